/** One POSIX shell command of these words, whatever is in them; for programs that take nothing but such a text. */
export function shellCommand(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

function quoted(word: string): string {
  // A NUL ends a word for the shell's own system call; nothing can quote it.
  const text = word.replaceAll('\0', '');
  return /^[A-Za-z0-9_./:@%+-][A-Za-z0-9_./:@%+-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
