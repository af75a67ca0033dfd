import * as z from 'zod/mini';
import { redacted, secretPatterns } from '../../base/secrets.ts';

/** Whether the value of a variable is probably a secret, by its name. */
export function isSecretName(name: string): boolean {
  if (/_(?:PATH|FILE|DIR|HOME|SOCK|URL|ENV|NAME|ID)$/i.test(name)) return false;
  return (
    /(?:^|_)(?:KEYS?|TOKENS?|SECRETS?|PASS|PASSWORDS?|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|AUTHORIZATION|COOKIES?|PAT|DSN|WEBHOOK)(?:_|$)/i.test(
      name,
    ) || /(?:API|ACCESS|SECRET|PRIVATE|AUTH)(?:KEY|TOKEN)/i.test(name)
  );
}

/**
 * By what secrets are known again in a text after they themselves were forgotten. A few bits of the sum of their first
 * characters tell where to look closer, and a salted digest whether it is one.
 */
export const secretMarks = z.object({
  salt: z.string(),
  /** 16 bits each. */
  starts: z.array(z.int()),
  /** With the lengths of what they are of. */
  digests: z.array(z.tuple([z.int(), z.string()])),
});
export type SecretMarks = z.infer<typeof secretMarks>;

/** Characters that a secret has at least; shorter ones are words that logs are full of. */
const least = 6;

export type Digest = (salt: string, text: string) => string;

/** The values of variables that are named as secrets. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isSecretName(name) ? [value] : [],
  );
}

/** @param salt random, of this run alone */
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

/** As it can stand in a log: a line of it each, within quotes of JSON or Python, in an address, or encoded. */
function formsOf(value: string, base64: (text: string) => string): string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return [value, ...lines].flatMap((text) => {
    const quoted = JSON.stringify(text).slice(1, -1);
    return [
      text,
      quoted,
      text.replaceAll('\\', '\\\\').replaceAll("'", "\\'"),
      inAddress(text),
      base64(text),
    ];
  });
}

function inAddress(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

/** A small number, say the tokens that a model may write, is no secret. */
function isTelling(text: string): boolean {
  return text.length >= least && !/^\d{1,11}$/.test(text);
}

/** Takes secrets out of lines. */
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
    return withoutKnownKinds(this.#withoutMarked(text));
  }

  #withoutMarked(text: string): string {
    if (this.#starts.size === 0) return text;
    const pieces: string[] = [];
    let copied = 0;
    let sum = 0;
    // What the character that goes has become when it goes.
    const oldest = power(this.#base, least - 1);
    for (let at = 0; at + least <= text.length; at++) {
      sum =
        at === 0
          ? sumOf(text, 0, this.#base)
          : (Math.imul(sum - Math.imul(text.charCodeAt(at - 1), oldest), this.#base) +
              text.charCodeAt(at + least - 1)) |
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

/** Odd, so that no character is lost in the powers of it. */
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
  for (let at = from; at < from + least; at++) sum = (Math.imul(sum, base) + text.charCodeAt(at)) | 0;
  return sum;
}

/** What each of the known kinds has, so that most lines are looked at once. */
const hints =
  /sk-|AKIA|ASIA|gh[opsur]_|github_pat|glpat|hf_|xox|AIza|LTAI|eyJ|bearer|PRIVATE KEY|:\/\/|key|secret|passw|token/i;

function withoutKnownKinds(text: string): string {
  if (!hints.test(text)) return text;
  return secretPatterns.reduce((rest, pattern) => rest.replace(pattern, redacted), text);
}
