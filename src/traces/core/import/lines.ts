/** Characters of the longest line that is read; a longer one is told and left out. */
export const longestLine = 2 ** 28;

export interface SourceLine {
  /** From 1. */
  readonly line: number;
  /** Without its end; null: it is longer than {@link longestLine}. */
  readonly text: string | null;
}

/** The lines of a text that comes in pieces. */
export async function* linesOf(
  pieces: AsyncIterable<string>,
  longest = longestLine,
): AsyncGenerator<SourceLine> {
  let line = 1;
  let open: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', start)) {
      length += end - start;
      if (length <= longest) open.push(piece.slice(start, end));
      yield { line, text: length <= longest ? textOf(open, line) : null };
      [open, length, start] = [[], 0, end + 1];
      line += 1;
    }
    length += piece.length - start;
    if (length <= longest) open.push(piece.slice(start));
    else open = [];
  }
  if (length > 0) yield { line, text: length <= longest ? textOf(open, line) : null };
}

function textOf(pieces: readonly string[], line: number): string {
  const text = pieces.join('');
  const begin = line === 1 && text.startsWith('\ufeff') ? 1 : 0;
  return text.slice(begin, text.endsWith('\r') ? -1 : undefined);
}
