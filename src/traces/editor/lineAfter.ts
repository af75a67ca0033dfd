interface Position {
  /** The line, counted from 0. */
  readonly line: number;
  readonly character: number;
}

/** A replacement in a document, as VS Code reports it. Positions are those before the edit. */
export interface Replacement {
  readonly range: { readonly start: Position; readonly end: Position };
  readonly text: string;
}

/**
 * Returns the new position of a line after an edit; undefined: the edit changed the line.
 *
 * @param replacements the replacements of one edit, which do not overlap
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

/** Returns true for whole lines that are inserted or deleted directly above a line, which do not change it. */
function endsAbove(line: number, { range: { start, end }, text }: Replacement): boolean {
  if (end.line < line) return true;
  const upToLine = end.line === line && end.character === 0;
  return upToLine && (text === '' ? start.line < line && start.character === 0 : text.endsWith('\n'));
}
