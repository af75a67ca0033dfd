/** Returns a text for one line: control, direction and invisible characters, also line ends, are replaced by their codes. */
export function escapeControlCharacters(text: string): string {
  return text.replace(notVisible, codeOf);
}

/**
 * Returns a text that cannot control a terminal. It keeps line ends, tabs and invisible characters of scripts and emoji.
 * The codes are those of JSON, so JSON keeps its meaning.
 */
export function withoutControl(text: string): string {
  return text.replace(controls, codeOf);
}

export function hasControlCharacters(text: string): boolean {
  return text.search(notVisible) >= 0;
}

const notVisible = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;
const controls = /(?![\t\n]|\r\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
