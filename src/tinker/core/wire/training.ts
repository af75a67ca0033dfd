/** Requests for gradients and their results. */
import * as z from 'zod/mini';
import { anyNumber, checked } from '../checked.ts';
import type { Result } from '../connection.ts';
import { tinkerErrors } from '../errors.ts';
import type { Datum, Loss, PassResult } from '../service.ts';
import { bytesOf, floatsOf, int64sOf } from './numbers.ts';
import { decodeMessage, dtypes, encodeMessage } from './schema.ts';

export interface PassRequest {
  readonly modelId: string;
  readonly seqId: number;
  readonly datums: readonly Datum[];
  readonly loss: Loss;
  /** Set if the server knows `weights`. */
  readonly sendsWeights: boolean;
}

/** Throws `tinker/bad-datum`: servers accept lists of another length and shift them without a word. */
export function checkDatums(datums: readonly Datum[]): void {
  for (const [index, datum] of datums.entries()) {
    const length = datum.inputIds.length;
    if (length === 0) throw tinkerErrors.badDatum(index, 'it has no tokens');
    for (const name of ['targetIds', 'logprobs', 'advantages', 'weights'] as const) {
      const list = datum[name];
      if (list.length !== length) {
        throw tinkerErrors.badDatum(index, `it has ${length} tokens, but ${list.length} ${name}`);
      }
      if (!list.every(Number.isFinite)) throw tinkerErrors.badDatum(index, `its ${name} are not all numbers`);
    }
  }
}

/** The limits of one request. Servers take more, but answer other requests late then. */
const most = { datums: 1024, bytes: 5_000_000 };

/** Splits a batch for several requests. */
export function chunksOf(datums: readonly Datum[]): Datum[][] {
  const chunks: Datum[][] = [];
  let bytes = Infinity;
  for (const datum of datums) {
    const size = 24 * datum.inputIds.length;
    if (bytes + size > most.bytes || (chunks.at(-1)?.length ?? most.datums) >= most.datums) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(datum);
    bytes += size;
  }
  return chunks;
}

/** The lists of a datum by their names in requests. */
const inputsOf = ({ targetIds, logprobs, advantages, weights }: Datum, sendsWeights: boolean) => ({
  target_tokens: targetIds,
  logprobs,
  advantages,
  ...(sendsWeights && { weights }),
});

function lossConfig({ clip }: Loss): Record<string, number> | undefined {
  return clip && { clip_low_threshold: clip.low, clip_high_threshold: clip.high };
}

export function passMessage({ modelId, seqId, datums, loss, sendsWeights }: PassRequest): Uint8Array {
  const tensor = (list: Int32Array | Float32Array) => ({
    dense: bytesOf(list instanceof Int32Array ? BigInt64Array.from(list, BigInt) : list),
    dtype: list instanceof Int32Array ? dtypes.int64 : dtypes.float32,
    shape: [BigInt(list.length)],
  });
  return encodeMessage('ForwardBackwardRequest', {
    ...{ modelId, seqId },
    data: datums.map((datum) => ({
      modelInput: [{ encodedText: { tokens: bytesOf(datum.inputIds) } }],
      lossFnInputs: mapValues(inputsOf(datum, sendsWeights), tensor),
    })),
    ...{ lossFn: loss.name, lossFnConfig: lossConfig(loss) ?? {} },
  });
}

/** The request for servers before the protobuf wire. */
export function passJson({ modelId, seqId, datums, loss, sendsWeights }: PassRequest): object {
  const tensor = (list: Int32Array | Float32Array) => ({
    ...{ data: [...list], dtype: list instanceof Int32Array ? 'int64' : 'float32', shape: [list.length] },
  });
  const config = lossConfig(loss);
  return {
    ...{ model_id: modelId, seq_id: seqId },
    forward_backward_input: {
      data: datums.map((datum) => ({
        model_input: { chunks: [{ type: 'encoded_text', tokens: [...datum.inputIds] }] },
        loss_fn_inputs: mapValues(inputsOf(datum, sendsWeights), tensor),
      })),
      loss_fn: loss.name,
      ...(config && { loss_fn_config: config }),
    },
  };
}

export const metrics = z.record(z.string(), anyNumber);
const jsonOutput = z.object({
  loss_fn_outputs: z.array(z.object({ logprobs: z.object({ data: z.array(z.number()) }) })),
  metrics: z.optional(z.nullable(metrics)),
});

const bytes = z.instanceof(Uint8Array);
const protobufOutput = z.object({
  lossFnOutputs: z.array(
    z.object({
      fields: z.object({ logprobs: z.object({ data: bytes, offsets: bytes, dtype: z.number() }) }),
    }),
  ),
  metrics,
});

/** Reads the result of a pass over these datums. Throws an error with a reason if it is invalid. */
export function readPass(result: Result, datums: readonly Datum[]): PassResult {
  const pass = 'protobuf' in result ? ofProtobuf(result.protobuf) : ofJson(result.json);
  if (pass.logprobs.length !== datums.length) {
    throw new Error(`outputs for ${pass.logprobs.length} samples instead of ${datums.length}`);
  }
  for (const [index, { length }] of pass.logprobs.entries()) {
    const expected = datums[index]?.inputIds.length ?? 0;
    if (length !== expected) throw new Error(`${length} log probabilities for ${expected} tokens`);
  }
  return pass;
}

function ofProtobuf(message: Uint8Array): PassResult {
  const output = checked(protobufOutput, decodeMessage('ForwardBackwardOutput', message));
  const logprobs = output.lossFnOutputs.flatMap(({ fields: { logprobs: batch } }) => {
    const offsets = int64sOf(batch.offsets);
    const isOutside = (at: number, index: number): boolean =>
      at < (offsets[index - 1] ?? 0) || at > batch.data.length;
    if (offsets.some(isOutside)) throw new Error('the offsets of log probabilities are out of range');
    return offsets
      .slice(1)
      .map((end, index) => floatsOf(batch.data.subarray(offsets[index], end), batch.dtype));
  });
  return { logprobs, metrics: output.metrics };
}

function ofJson(json: unknown): PassResult {
  const output = checked(jsonOutput, json);
  return {
    logprobs: output.loss_fn_outputs.map(({ logprobs }) => Float32Array.from(logprobs.data)),
    metrics: output.metrics ?? {},
  };
}

/** Merges the results of the requests that one batch was sent in. */
export function mergePasses(passes: readonly PassResult[]): PassResult {
  const names = new Set(passes.flatMap((pass) => Object.keys(pass.metrics)));
  return {
    logprobs: passes.flatMap(({ logprobs }) => logprobs),
    metrics: Object.fromEntries(
      [...names].map((name) => {
        const parts = passes.flatMap(({ metrics: { [name]: value }, logprobs }) =>
          value === undefined ? [] : [{ value, weight: logprobs.length }],
        );
        return [metricName(name), combine(name.split(':')[1], parts)];
      }),
    ),
  };
}

/** Returns the name of a metric without the reduction that servers append, as in `loss:sum`. */
export const metricName = (name: string): string => name.split(':')[0] ?? name;

function combine(
  reduction: string | undefined,
  parts: readonly { readonly value: number; readonly weight: number }[],
): number {
  const values = parts.map(({ value }) => value);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  if (reduction === 'sum') return sum(values);
  if (reduction === 'min') return Math.min(...values);
  if (reduction === 'max') return Math.max(...values);
  return sum(parts.map(({ value, weight }) => value * weight)) / sum(parts.map(({ weight }) => weight));
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
