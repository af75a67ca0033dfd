interface Position {
  /** From 0. */
  readonly line: number;
  readonly character: number;
}

/** A replacement in a document, as editors tell it; positions are those before it. */
export interface Replacement {
  readonly range: { readonly start: Position; readonly end: Position };
  readonly text: string;
}

/**
 * Where a line of a document has gone by an edit; undefined where the edit touched the line itself.
 *
 * @param replacements of one edit, which do not overlap
 */
export function lineAfter(line: number, replacements: readonly Replacement[]): number | undefined {
  let after = line;
  for (const replacement of replacements) {
    const { start, end } = replacement.range;
    if (start.line > line) continue;
    if (!endsAbove(line, replacement)) return undefined;
    after += replacement.text.split('\n').length - 1 - (end.line - start.line);
  }
  return after;
}

/** Whole lines that come or go just above a line leave it as it is. */
function endsAbove(line: number, { range: { start, end }, text }: Replacement): boolean {
  if (end.line < line) return true;
  const upToLine = end.line === line && end.character === 0;
  return upToLine && (text === '' ? start.line < line && start.character === 0 : text.endsWith('\n'));
}
