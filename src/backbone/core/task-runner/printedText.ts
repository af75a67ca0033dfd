import type { PrintedOutput } from '../../../tracking/core/records/trace.ts';

type Part = PrintedOutput['parts'][number];

/** The most characters of an episode that are kept. */
const most = 65_536;

/** Collects what the code of an episode prints, in order. Of a long output it keeps the end. */
export class PrintedText {
  #parts: Part[] = [];
  #size = 0;
  #cut = 0;

  /** @param cut the number of characters before the text that are already lost */
  add({ stream, text }: Part, cut = 0): void {
    this.#cut += cut;
    if (text === '') return;
    const last = this.#parts.at(-1);
    if (last?.stream === stream) this.#parts[this.#parts.length - 1] = { stream, text: last.text + text };
    else this.#parts.push({ stream, text });
    this.#size += text.length;
    // Twice the limit, so that not every write copies the text.
    if (this.#size > 2 * most) this.#shorten();
  }

  /** Returns the output; undefined: nothing was printed. */
  output(): PrintedOutput | undefined {
    this.#shorten();
    return this.#parts.length === 0 ? undefined : { cut: this.#cut, parts: this.#parts };
  }

  #shorten(): void {
    for (let excess = this.#size - most; excess > 0; excess = this.#size - most) {
      const [first] = this.#parts;
      if (first === undefined) return;
      const rest = first.text.slice(excess);
      const lost = first.text.length - rest.length;
      this.#parts.splice(0, 1, ...(rest === '' ? [] : [{ ...first, text: rest }]));
      this.#size -= lost;
      this.#cut += lost;
    }
  }
}
