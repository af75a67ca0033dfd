/** What a model wrote may steer a terminal, or turn the direction of its text: such characters are shown as their codes. */
export function escapeControlCharacters(text: string): string {
  return text.replace(unsafe, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Control characters, line ends among them, and what turns text around or is invisible. */
const unsafe = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;
