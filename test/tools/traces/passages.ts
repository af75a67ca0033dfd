/** Texts with their tokens, cut out of one long seeded passage: each cut is another text, and none costs more than its copy. */
import { Random } from '../../../src/base/core/random.ts';
import type { TracedMessage, TracedToken } from '../../../src/tracking/core/records/trace.ts';

/** Tokens of the passage; a power of two. */
const passageLength = 2 ** 17;
const words = 4_096;

const marks = [
  '.',
  ',',
  '\n',
  '\n\n',
  ' **',
  '**',
  ' `',
  '`',
  '\n- ',
  '\n```\n',
  ' ✓',
  ' 数',
  ' é',
  '(',
  ')',
  ' =',
];
const special = ['<|im_start|>', '<|im_end|>'] as const;
const roles = ['system', 'user', 'assistant', 'tool'] as const;
export type Role = (typeof roles)[number];

const pieces: readonly string[] = [...special, ...roles, '\n', ...marks];
const firstMark = pieces.length - marks.length;
const start = 0;
const end = 1;
const newLine = special.length + roles.length;

/** Tokens of a message that the chat template adds. */
export const templateTokens = 5;

export class Passages {
  readonly #random: Random;
  readonly #vocabulary: readonly string[];
  readonly #ids = new Int32Array(passageLength);
  readonly #logprobs = new Float32Array(passageLength);
  /** Where each token's text begins in the passage's. */
  readonly #offsets = new Int32Array(passageLength + 1);
  readonly #text: string;

  constructor(seed: number) {
    const random = new Random(`passages ${seed}`);
    this.#random = random;
    this.#vocabulary = [...pieces, ...Array.from({ length: words }, () => ` ${wordOf(random)}`)];
    const texts: string[] = [];
    let length = 0;
    for (let index = 0; index < passageLength; index++) {
      const id = random.chance(0.15)
        ? firstMark + random.below(marks.length)
        : pieces.length + Math.floor(words * random.next() ** 3);
      const text = this.#vocabulary[id] ?? '';
      texts.push(text);
      length += text.length;
      this.#ids[index] = id;
      this.#logprobs[index] = random.chance(0.6)
        ? -(random.next() ** 4) / 10
        : Math.log(random.next() + 1e-6);
      this.#offsets[index + 1] = length;
    }
    this.#text = texts.join('');
  }

  /** All tokens that messages can have. */
  tokens(): readonly TracedToken[] {
    const encoder = new TextEncoder();
    return this.#vocabulary.map((text, id) => ({
      id,
      bytes: encoder.encode(text),
      special: id < special.length,
    }));
  }

  /** @param tokens of the message, those of the template included; at least one more than these */
  message(role: Role, tokens: number, details: Partial<TracedMessage> = {}): TracedMessage {
    const written = Math.max(1, tokens - templateTokens);
    const from = this.#random.below(passageLength);
    const isReply = role === 'assistant';
    const tokenIds = new Int32Array(written + templateTokens);
    tokenIds.set([start, special.length + roles.indexOf(role), newLine]);
    this.#copy(this.#ids, tokenIds, from, written);
    tokenIds.set([end, newLine], written + 3);
    const lossMask = new Uint8Array(tokenIds.length);
    if (isReply) lossMask.fill(1, 3, written + 4);
    return {
      role,
      author: isReply ? 'llm' : 'env',
      text: this.#textOf(from, written),
      toolCalls: null,
      toolCallId: null,
      tokenIds,
      logprobs: isReply ? this.#logprobsOf(from, written) : null,
      lossMask,
      ...details,
    };
  }

  #logprobsOf(from: number, written: number): Float32Array {
    const logprobs = new Float32Array(written + templateTokens).fill(Number.NaN);
    this.#copy(this.#logprobs, logprobs, from, written);
    logprobs[written + 3] = -0.01;
    return logprobs;
  }

  /** Behind the template's first tokens, and from the passage's beginning again where it ends. */
  #copy<T extends Int32Array | Float32Array>(passage: T, into: T, from: number, length: number): void {
    for (let done = 0; done < length;) {
      const at = (from + done) % passageLength;
      const part = Math.min(length - done, passageLength - at);
      into.set(passage.subarray(at, at + part), 3 + done);
      done += part;
    }
  }

  #textOf(from: number, length: number): string {
    const parts: string[] = [];
    for (let done = 0; done < length;) {
      const at = (from + done) % passageLength;
      const part = Math.min(length - done, passageLength - at);
      parts.push(this.#text.slice(this.#offsets[at], this.#offsets[at + part]));
      done += part;
    }
    return parts.join('');
  }
}

const syllables = [
  'ra',
  'to',
  'mi',
  'ne',
  'lo',
  'ku',
  'sa',
  'vi',
  'der',
  'an',
  'po',
  'che',
  'ing',
  'ter',
  'u',
  'bel',
];

function wordOf(random: Random): string {
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(syllables)).join('');
}
