import { redacted, redactField, redactSecrets, type OnSecret } from '../../../base/core/secrets/texts.ts';

export interface Redaction {
  /** True to remove the texts of messages and of their tokens. */
  readonly texts: boolean;
  /** Patterns to remove in addition to secrets. Each has the flag `g`. */
  readonly patterns: readonly RegExp[];
}

/** Removes secrets, and other data that should not leave the machine, from exports. */
export class Redactor {
  readonly #redaction: Redaction;
  readonly #onFound: OnSecret | undefined;

  constructor(redaction: Redaction, onFound?: OnSecret) {
    this.#redaction = redaction;
    this.#onFound = onFound;
  }

  /** Redacts a text that is not part of a message. */
  text(text: string): string {
    return this.#withoutPatterns(redactSecrets(text, this.#onFound));
  }

  #withoutPatterns(text: string): string {
    return this.#redaction.patterns.reduce((rest, pattern) => rest.replace(pattern, redacted), text);
  }

  message(text: string): string {
    if (text === '') return text;
    return this.#redaction.texts ? redacted : this.text(text);
  }

  /** Redacts the strings in a JSON text, without the names of fields. */
  json(text: string): string {
    try {
      return JSON.stringify(this.value(JSON.parse(text)));
    } catch {
      return this.message(text); // not JSON
    }
  }

  /** Redacts every string in a value. Names of fields stay, except for secrets in them. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.message(value);
    if (Array.isArray(value)) return value.map((one) => this.value(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [this.text(name), this.#field(name, one)]),
    );
  }
  #field(name: string, value: unknown): unknown {
    if (typeof value !== 'string' || this.#redaction.texts) return this.value(value);
    return this.#withoutPatterns(redactField(name, value, this.#onFound));
  }
}
