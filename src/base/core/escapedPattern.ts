/** Returns a regular expression that matches a text, for the flag `u`. */
export function escapedPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
