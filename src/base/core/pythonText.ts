/** The whitespace of Python's `str.split()` and `str.strip()`, which differs from `\s`. */
const blank = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const isBlank = new RegExp(`^${blank}$`);

/** The separators of `str.split()`. */
export const pythonBlanks = new RegExp(`${blank}+`);

/** Returns `text.strip()` of Python. */
export function pythonStrip(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank.test(text.charAt(start))) start++;
  while (end > start && isBlank.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
