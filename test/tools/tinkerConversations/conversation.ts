/** Recorded conversations of a client with a Tinker server. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { floatsOf, float32sOf, int32sOf, int64sOf } from '../../../src/tinker/core/wire/numbers.ts';
import { decodeMessage, dtypes, type MessageName } from '../../../src/tinker/core/wire/schema.ts';
import type { PassRequest } from '../../../src/tinker/core/wire/training.ts';

/** A protobuf message: its bytes, and the same as a person reads it. */
export interface ShownMessage {
  readonly message: MessageName;
  readonly base64: string;
  readonly shown: unknown;
}

export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** Those that a server or a client acts on, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly status: number;
  readonly answer: unknown;
}

export interface Conversation {
  readonly client: string;
  readonly server: string;
  /** The part of the server's `/openapi.json` that tells its kind. */
  readonly openApi: { readonly info: { readonly title: string }; readonly paths: readonly string[] };
  readonly exchanges: readonly Exchange[];
}

const folder = path.resolve(import.meta.dirname, '../../fixtures/tinker');

export function readConversation(name: string): Conversation {
  return JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8')) as Conversation;
}

export function isMessage(body: unknown): body is ShownMessage {
  return typeof body === 'object' && body !== null && 'base64' in body;
}

/** Decodes a message, with arrays of numbers in place of their bytes. */
export function shownMessage(message: MessageName, bytes: Uint8Array): ShownMessage {
  // A Buffer would become an object before it can be replaced.
  const plain = Uint8Array.from(bytes);
  const shown = JSON.parse(JSON.stringify(decodeMessage(message, plain), withNumbers)) as unknown;
  return { message, base64: Buffer.from(bytes).toString('base64'), shown };
}

/** Returns what a message for gradients shows. */
export function shownRequest({ modelId, seqId, datums, loss, sendsWeights }: PassRequest): unknown {
  const tensor = (list: Int32Array | Float32Array, dtype: number): object => ({
    ...{ dense: [...list], dtype, shape: [list.length] },
  });
  return {
    ...{ modelId, seqId, lossFn: loss.name, forwardOnly: false },
    lossFnConfig: loss.clip ? { clip_low_threshold: loss.clip.low, clip_high_threshold: loss.clip.high } : {},
    data: datums.map(({ inputIds, targetIds, logprobs, advantages, weights }) => ({
      modelInput: [{ encodedText: { tokens: [...inputIds] } }],
      lossFnInputs: {
        target_tokens: tensor(targetIds, dtypes.int64),
        logprobs: tensor(logprobs, dtypes.float32),
        advantages: tensor(advantages, dtypes.float32),
        ...(sendsWeights && { weights: tensor(weights, dtypes.float32) }),
      },
    })),
  };
}

/** The numbers of the bytes that have one type in all messages. */
const numbers: Readonly<Record<string, (bytes: Uint8Array) => ArrayLike<number>>> = {
  tokens: int32sOf,
  logprobs: float32sOf,
  promptLogprobs: float32sOf,
  offsets: int64sOf,
};

function withNumbers(this: unknown, key: string, value: unknown): unknown {
  if (key === '$typeName') return undefined;
  if (typeof value === 'bigint') return Number(value);
  if (!(value instanceof Uint8Array)) return value;
  const { dtype } = this as { readonly dtype?: number };
  const read = numbers[key];
  if (read !== undefined) return Array.from(read(value));
  return Array.from(dtype === dtypes.int64 ? int64sOf(value) : floatsOf(value, dtype ?? 0));
}
