/** How far Hydra looks for `# @package`. */
const longest = 512;

/**
 * `# @package a.b` at the head of a file: where its content goes when nothing else says so. Only blank lines and lines of
 * this kind may stand before it. `wrong`: a line that Hydra refuses.
 */
export function readHeader(text: string): {
  readonly header: string | undefined;
  readonly wrong?: { readonly line: number; readonly message: string };
} {
  let header: string | undefined;
  for (const [index, line] of text
    .slice(0, longest)
    .split(/\r\n|\n|\r/)
    .entries()) {
    const trimmed = line.trim();
    if (trimmed === '') continue;
    if (!/^#\s*@/.test(trimmed)) break;
    const words = trimmed.replace(/^#+/, '').trim().split(' ').filter(Boolean);
    const [key, value] = words;
    if (value === undefined || words.length > 2) {
      return {
        header,
        wrong: { line: index + 1, message: `\`${trimmed}\` is no header that Hydra can read.` },
      };
    }
    if (key === '@package') header = value;
  }
  return { header };
}
