import { redacted } from '../../base/secrets.ts';

/** Takes out of exports what should not leave the machine. */

export interface Redaction {
  /** Whether texts of messages go, with those of their tokens. */
  readonly texts: boolean;
  /** What is replaced wherever it stands; each has the flag `g`. */
  readonly patterns: readonly RegExp[];
}

export class Redactor {
  readonly #redaction: Redaction;
  readonly #onFound: ((pattern: RegExp, found: string) => void) | undefined;

  /** @param onFound told what is replaced, and by which pattern */
  constructor(redaction: Redaction, onFound?: (pattern: RegExp, found: string) => void) {
    this.#redaction = redaction;
    this.#onFound = onFound;
  }

  /** A text that is no message's. */
  text(text: string): string {
    return this.#redaction.patterns.reduce(
      (rest, pattern) =>
        rest.replace(pattern, (found) => {
          this.#onFound?.(pattern, found);
          return redacted;
        }),
      text,
    );
  }

  message(text: string): string {
    if (text === '') return text;
    return this.#redaction.texts ? redacted : this.text(text);
  }

  /** JSON: what strings in it say, its names apart. */
  json(text: string): string {
    try {
      return JSON.stringify(this.value(JSON.parse(text)));
    } catch {
      return this.message(text); // no JSON after all
    }
  }

  /** Every string in a value; names in it stay, but for secrets. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.message(value);
    if (Array.isArray(value)) return value.map((one) => this.value(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [this.text(name), this.value(one)]));
  }
}
