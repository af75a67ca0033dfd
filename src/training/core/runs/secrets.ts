import * as z from 'zod/mini';
import { isSecret } from '../../../base/core/secrets/names.ts';
import { redacted, redactSecrets, shortestSecret } from '../../../base/core/secrets/texts.ts';

/**
 * Marks that find secrets in a text without storing them. A few bits of the hash of their first characters select
 * candidates. A salted digest then decides.
 */
export const secretMarks = z.object({
  salt: z.string(),
  /** 16 bits each. */
  starts: z.array(z.int()),
  /** Each with the length of its secret. */
  digests: z.array(z.tuple([z.int(), z.string()])),
});
export type SecretMarks = z.infer<typeof secretMarks>;
export type Digest = (salt: string, text: string) => string;

export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isSecret(name, value) ? [value] : [],
  );
}

/**
 * Returns the passed variables of a run that can be secrets, whatever their names are. They have 8 characters or more. They
 * are not numbers, paths, up to three words, or addresses without a user and a query.
 */
export function confidentialValues(env: Readonly<Record<string, string>>): string[] {
  return Object.values(env).filter(
    (value) => value.length >= 8 && !plainValues.some((one) => one.test(value)),
  );
}

const plainValues = [
  /^[-+\d.,:e ]+$/,
  /^(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/][\w.@:-]{1,64})+[\\/]?$/,
  // A path below the working folder, or the name of a model.
  /^(?=[^/]+\/)(?:[A-Za-z]{1,16}\d{0,2}|\d{1,4}[A-Za-z]{0,2})(?:[-_./](?:[A-Za-z]{1,16}\d{0,2}|\d{1,4}[A-Za-z]{0,2}))+$/,
  /^https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w.-]{0,20})*$/,
  /^[A-Za-z]+(?:[_-][A-Za-z]+){0,2}$/,
];

/** Returns the marks of secrets. `salt` is random and used by one run only. */
export function marksOf(
  secrets: readonly string[],
  salt: string,
  digest: Digest,
  base64: (text: string) => string,
): SecretMarks {
  const texts = secrets.flatMap((secret) => formsOf(secret, base64));
  const unique = [...new Set(texts)].filter(isTelling);
  const starts = unique.map((text) => sumOf(text, 0, baseOf(salt)) >>> 16);
  return {
    salt,
    starts: [...new Set(starts)].sort((a, b) => a - b),
    digests: unique.map((text) => [text.length, digest(salt, text)]),
  };
}

/** Returns how a secret can be written in a log: line by line, quoted as JSON or Python, in an address, or encoded. */
function formsOf(value: string, base64: (text: string) => string): string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return [value, ...lines].flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    text.replaceAll('\\', '\\\\').replaceAll("'", "\\'"),
    encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')),
    base64(text),
  ]);
}

/** A short text or a small number, such as a limit of tokens, is not a secret. */
function isTelling(text: string): boolean {
  return text.length >= shortestSecret && !/^\d{1,11}$/.test(text);
}

export class LogRedactor {
  readonly #marks: SecretMarks;
  readonly #digest: Digest;
  readonly #base: number;
  readonly #starts: ReadonlySet<number>;
  readonly #digests: ReadonlySet<string>;
  /** Longest first: one secret can be the beginning of another. */
  readonly #lengths: readonly number[];

  constructor(marks: SecretMarks, digest: Digest) {
    this.#marks = marks;
    this.#digest = digest;
    this.#base = baseOf(marks.salt);
    this.#starts = new Set(marks.starts);
    this.#digests = new Set(marks.digests.map(([, sum]) => sum));
    this.#lengths = [...new Set(marks.digests.map(([length]) => length))].sort((a, b) => b - a);
  }

  line(text: string): string {
    return redactSecrets(this.#withoutMarked(text));
  }

  #withoutMarked(text: string): string {
    if (this.#starts.size === 0) return text;
    const pieces: string[] = [];
    let copied = 0;
    let sum = 0;
    // The factor of the character that leaves the window.
    const oldest = power(this.#base, shortestSecret - 1);
    for (let at = 0; at + shortestSecret <= text.length; at++) {
      sum =
        at === 0
          ? sumOf(text, 0, this.#base)
          : (Math.imul(sum - Math.imul(text.charCodeAt(at - 1), oldest), this.#base) +
              text.charCodeAt(at + shortestSecret - 1)) |
            0;
      if (at < copied || !this.#starts.has(sum >>> 16)) continue;
      const length = this.#lengthAt(text, at);
      if (length === undefined) continue;
      pieces.push(text.slice(copied, at), redacted);
      copied = at + length;
    }
    return copied === 0 ? text : pieces.join('') + text.slice(copied);
  }

  #lengthAt(text: string, at: number): number | undefined {
    return this.#lengths.find(
      (length) =>
        at + length <= text.length &&
        this.#digests.has(this.#digest(this.#marks.salt, text.slice(at, at + length))),
    );
  }
}

/** Odd, so that its powers lose no character. */
function baseOf(salt: string): number {
  let base = 0;
  for (let at = 0; at < salt.length; at++) base = (Math.imul(base, 31) + salt.charCodeAt(at)) | 0;
  return base | 1;
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let count = 0; count < exponent; count++) result = Math.imul(result, base);
  return result;
}

function sumOf(text: string, from: number, base: number): number {
  let sum = 0;
  for (let at = from; at < from + shortestSecret; at++)
    sum = (Math.imul(sum, base) + text.charCodeAt(at)) | 0;
  return sum;
}
