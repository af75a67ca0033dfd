/** Our client in place of the official SDK, in conversations that the SDK had with real servers. */
import { afterEach, expect, it } from 'vitest';
import { toDisposable } from '../../../src/base/core/disposable.ts';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import type { Datum, TinkerSession } from '../../../src/tinker/core/service.ts';
import { openTinker } from '../../../src/tinker/node/openTinker.ts';
import { isMessage, readConversation, shownMessage } from '../../tools/tinkerConversations/conversation.ts';
import { ReplayServer } from '../../tools/tinkerConversations/replay.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(
  name: string,
): Promise<{ readonly server: ReplayServer; readonly session: TinkerSession }> {
  const server = await ReplayServer.start(readConversation(name));
  ends.push(() => server.close());
  const session = await openTinker({
    ...{ baseUrl: server.url, apiKey: 'tml-recorded', homeFolder: '/nowhere' },
    env: { TINKER_PROJECT_ID: 'recorded' },
    startHeartbeats: () => toDisposable(() => undefined),
  });
  return { server, session };
}

const datum = (inputIds: number[], targetIds: number[], logprobs: number[], advantages: number[]): Datum => ({
  ...{ inputIds: Int32Array.from(inputIds), targetIds: Int32Array.from(targetIds) },
  ...{ logprobs: Float32Array.from(logprobs), advantages: Float32Array.from(advantages) },
  weights: Float32Array.from(advantages, (advantage) => (advantage === 0 ? 0 : 1)),
});

const close = (list: ArrayLike<number>): unknown =>
  Array.from(list, (value) => expect.closeTo(value, 5) as number);

it('sends to TuFT what the official SDK sends, and reads its answers', async () => {
  const { server, session } = await open('sdk-tuft');
  expect(session.server).toMatchObject({ kind: 'tuft', models: [{ name: 'tiny', maxContextLength: 256 }] });
  const lora = { ...{ baseModel: 'tiny', rank: 8, seed: 7 }, ...{ trainMlp: true, trainAttn: true } };
  const model = await session.createModel({ ...lora, trainUnembed: false }, neverCancelled);
  const sampler = await model.sampler();
  const prompt = Int32Array.of(1, 2, 3);
  const sampling = { samples: 2, maxTokens: 4, temperature: 0.75, topP: 0.5, topK: 20, stop: [9], seed: 5 };
  const sequences = await sampler.sample(prompt, sampling, neverCancelled);
  expect(sequences.map(({ tokenIds }) => [...tokenIds])).toEqual([
    [4, 5, 6, 7],
    [4, 5, 6, 7],
  ]);
  expect([...(sequences[0]?.logprobs ?? [])]).toEqual(close([-0.3, -0.3, -0.3, -0.3]));
  expect(sequences[0]?.stopReason).toBe('length');
  expect([...(await sampler.score(prompt, neverCancelled))]).toEqual([
    NaN,
    ...(close([-0.1, -0.1]) as number[]),
  ]);

  const data = [
    datum([1, 2, 3], [2, 3, 4], [0, -0.5, -0.25], [0, 1, 1]),
    datum([1, 2], [2, 7], [0, -2], [0, -1.5]),
  ];
  const adam = { learningRate: 0.01, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: 0.5, gradClipNorm: 1 };
  const clipped = { name: 'ppo', clip: { low: 0.75, high: 1.25 } } as const;
  for (const loss of [clipped, { name: 'importance_sampling' } as const]) {
    const pass = await model.forwardBackward(data, loss);
    expect(pass.logprobs.map(({ length }) => length)).toEqual([3, 2]);
    expect(Object.keys(pass.metrics).sort()).toEqual(['grad_norm', 'loss', 'step']);
    expect(await model.optimStep(adam)).toMatchObject({ learning_rate: 0.01 });
  }
  const path = await model.save('step-2');
  expect(path).toMatch(/^tinker:\/\/.+\/weights\/step-2$/);
  const weights = await model.saveForSampling('step-2');
  const next = await session.createModel({ ...lora, trainUnembed: true }, neverCancelled);
  await next.load(path);
  await session.openSampler({ path: weights }, neverCancelled);
  const lost = model.load('tinker://none/weights/none');
  await expect(lost).rejects.toMatchObject({ code: 'tinker/no-weights' });
  await session.openSampler({ baseModel: 'tiny' }, neverCancelled);
  expect(server.differences).toEqual([]);
  expect(server.others).toEqual([]);
  expect(server.left.filter((path) => !path.startsWith('/api/v1/client/'))).toEqual([]);
});

it('reads the messages of the official SDK as they are shown in the recordings', () => {
  const { exchanges } = readConversation('sdk-tuft');
  const messages = exchanges.flatMap(({ body, answer }) => [body, answer].filter(isMessage));
  expect(messages.length).toBeGreaterThan(5);
  for (const { message, base64, shown } of messages) {
    expect(shownMessage(message, Buffer.from(base64, 'base64')).shown).toEqual(shown);
  }
});
