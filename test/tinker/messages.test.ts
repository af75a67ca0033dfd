/** The protobuf messages against the classes of the official SDK, which the rehearsal server's environment has. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Datum } from '../../src/tinker/core/service.ts';
import { readSamples } from '../../src/tinker/core/wire/sampling.ts';
import { passMessage, readPass } from '../../src/tinker/core/wire/training.ts';
import { shownRequest } from '../tools/tinkerConversations/conversation.ts';
import { anyPass, anyRequest, anySamples } from '../unit/tinker/anyMessages.ts';
import { rehearsal } from './rehearsalServer.ts';

interface Answer {
  readonly requests: readonly unknown[];
  readonly samples: readonly string[];
  readonly passes: readonly string[];
}

const withLists = (_: string, value: unknown): unknown =>
  ArrayBuffer.isView(value) ? [...(value as Float32Array)] : value;

test('messages mean the same to the official SDK', async () => {
  const { python } = await rehearsal();
  const sampling = { seed: 2221, numRuns: 1_000 };
  const requests = fc.sample(anyRequest, sampling);
  const samples = fc.sample(anySamples, sampling);
  const passes = fc.sample(anyPass, sampling);
  const messages = requests.map((request) => Buffer.from(passMessage(request)).toString('base64'));
  const { stdout, stderr } = spawnSync(python, [path.join(import.meta.dirname, 'messages.py')], {
    input: JSON.stringify({ requests: messages, samples, passes }, withLists),
    encoding: 'utf8',
    maxBuffer: Infinity,
  });
  expect(stderr).toBe('');
  const answer = JSON.parse(stdout) as Answer;
  const bytes = (text: string) => ({ protobuf: Uint8Array.from(Buffer.from(text, 'base64')) });
  expect(answer.requests).toEqual(requests.map(shownRequest));
  expect(
    samples.map(({ sequences }, at) => readSamples(bytes(answer.samples[at] ?? ''), sequences.length)),
  ).toEqual(samples);
  const datumsOf = (lists: readonly Float32Array[]) =>
    lists.map(({ length }) => ({ inputIds: new Int32Array(length) }) as unknown as Datum);
  expect(
    passes.map(({ logprobs }, at) => readPass(bytes(answer.passes[at] ?? ''), datumsOf(logprobs))),
  ).toEqual(passes);
});
