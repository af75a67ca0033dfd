import { lineAfter, type Replacement } from './lineAfter.ts';

/** Where each line of a text is by now; undefined: it was edited. */
type Lines = readonly (number | undefined)[];

/** Where the lines of documents are by now that they had in a text of a known fingerprint. */
export class TrackedLines {
  /** By document and fingerprint. */
  readonly #documents = new Map<string, Map<string, Lines>>();

  /** The document has that text at this moment. */
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

  /**
   * The line now; undefined where it was edited, or where the document has not had that text since it was opened.
   *
   * @param line from 0
   */
  now(document: string, fingerprint: string, line: number): number | undefined {
    return this.#documents.get(document)?.get(fingerprint)?.[line];
  }

  /** @param replacements of one edit */
  edited(document: string, replacements: readonly Replacement[]): void {
    const texts = this.#documents.get(document);
    for (const [fingerprint, lines] of texts ?? []) {
      texts?.set(
        fingerprint,
        lines.map((line) => (line === undefined ? undefined : lineAfter(line, replacements))),
      );
    }
  }

  /** The document was closed: what is done to its file from now on nobody tells. */
  forget(document: string): void {
    this.#documents.delete(document);
  }
}
