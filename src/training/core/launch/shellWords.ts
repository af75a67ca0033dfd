/** Returns one POSIX shell command with these words quoted, for programs that accept only such a text. */
export function shellCommand(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

function quoted(word: string): string {
  // A NUL would end the word, and no quoting can prevent that.
  const text = word.replaceAll('\0', '');
  return /^[A-Za-z0-9_./:@%+-][A-Za-z0-9_./:@%+-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
