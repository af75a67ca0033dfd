/** The keys of a path, dots at its head as empty ones: `a.b[0]` is `a`, `b`, `0`. */
export function splitKeys(written: string): string[] {
  const [head] = /^\.*[^.[]*/.exec(written) ?? [''];
  const keys = head.split('.');
  if (written.charAt(head.length) === '[' && keys.at(-1) === '') keys.pop();
  for (const [, name, index] of written.slice(head.length).matchAll(/\.([^.[]*)|\[(.*?)\]/gs)) {
    keys.push((name === '' ? index : name) ?? index ?? '');
  }
  return keys;
}

/** Absolute path of what is written at a place: a dot at its head names the section around. Undefined where the dots lead out of the config. */
export function absolutePath(written: string, place: readonly string[]): readonly string[] | undefined {
  const [dots] = /^\.*/.exec(written) ?? [''];
  if (dots === '') return splitKeys(written);
  const rest = written.slice(dots.length);
  const keys = rest === '' ? [] : splitKeys(rest);
  return dots.length > place.length ? undefined : [...place.slice(0, place.length - dots.length), ...keys];
}
