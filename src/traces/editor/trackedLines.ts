/** The current position of each line of a text; undefined: it was edited. */
type Lines = readonly (number | undefined)[];

/** Tracks lines of documents from a text with a known fingerprint. */
export class TrackedLines {
  /** By document and fingerprint. */
  readonly #documents = new Map<string, Map<string, Lines>>();

  /** Records that the document has that text now. */
  isNow(document: string, fingerprint: string, lineCount: number): void {
    const texts = this.#documents.get(document) ?? new Map<string, Lines>();
    this.#documents.set(
      document,
      texts.set(
        fingerprint,
        Array.from({ length: lineCount }, (_, line) => line),
      ),
    );
  }

  /** Returns the current line; undefined: it was edited, or the text is unknown. Lines are counted from 0. */
  now(document: string, fingerprint: string, line: number): number | undefined {
    return this.#documents.get(document)?.get(fingerprint)?.[line];
  }

  edited(document: string, replacements: readonly Replacement[]): void {
    const texts = this.#documents.get(document);
    for (const [fingerprint, lines] of texts ?? []) {
      texts?.set(
        fingerprint,
        lines.map((line) => (line === undefined ? undefined : lineAfter(line, replacements))),
      );
    }
  }

  /** Handles that the document was closed. Later changes of its file are not reported. */
  forget(document: string): void {
    this.#documents.delete(document);
  }
}

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

/** @param replacements the replacements of one edit, which do not overlap */
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
