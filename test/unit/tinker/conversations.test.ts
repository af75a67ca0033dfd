/** Our client in place of the official SDK, in conversations that the SDK had with real servers. */
import { afterEach, expect, it } from 'vitest';
import { toDisposable } from '../../../src/base/core/disposable.ts';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import type { Datum, PassResult, TinkerSession } from '../../../src/tinker/core/service.ts';
import { openTinker } from '../../../src/tinker/node/openTinker.ts';
import { isMessage, readConversation, shownMessage } from '../../tools/tinkerConversations/conversation.ts';
import { ReplayServer, type Difference } from '../../tools/tinkerConversations/replay.ts';

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

const lora = { baseModel: 'tiny', rank: 8, seed: 7, trainMlp: true, trainAttn: true, trainUnembed: true };

/** Two samples of a model, the log probabilities of its prompt, and two steps. */
async function train(session: TinkerSession) {
  const model = await session.createModel({ ...lora, trainUnembed: false }, neverCancelled);
  const sampler = await model.sampler();
  const prompt = Int32Array.of(1, 2, 3);
  const sampling = { samples: 2, maxTokens: 4, temperature: 0.75, topP: 0.5, topK: 20, stop: [9], seed: 5 };
  const sequences = await sampler.sample(prompt, sampling, neverCancelled);
  const scores = await sampler.score(prompt, neverCancelled);
  const data = [
    datum([1, 2, 3], [2, 3, 4], [0, -0.5, -0.25], [0, 1, 1]),
    datum([1, 2], [2, 7], [0, -2], [0, -1.5]),
  ];
  const adam = { learningRate: 0.01, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: 0.5, gradClipNorm: 1 };
  const clipped = { name: 'ppo', clip: { low: 0.75, high: 1.25 } } as const;
  const passes: PassResult[] = [];
  const steps: Readonly<Record<string, number>>[] = [];
  for (const loss of [clipped, { name: 'importance_sampling' } as const]) {
    passes.push(await model.forwardBackward(data, loss));
    steps.push(await model.optimStep(adam));
  }
  return { model, sequences, scores, passes, steps };
}

/** The paths of recorded requests that our client did not send, but for those that configure the SDK. */
const leftBy = (server: ReplayServer): readonly string[] =>
  server.left.filter((path) => !path.startsWith('/api/v1/client/'));

it('sends to TuFT what the official SDK sends, and reads its answers', async () => {
  const { server, session } = await open('sdk-tuft');
  expect(session.server).toMatchObject({ kind: 'tuft', models: [{ name: 'tiny', maxContextLength: 256 }] });
  const { model, sequences, scores, passes, steps } = await train(session);
  expect(sequences.map(({ tokenIds, stopReason }) => [...tokenIds, stopReason])).toEqual([
    [4, 5, 6, 7, 'length'],
    [4, 5, 6, 7, 'length'],
  ]);
  expect([...(sequences[0]?.logprobs ?? [])]).toEqual(close([-0.3, -0.3, -0.3, -0.3]));
  expect([...scores]).toEqual([NaN, ...(close([-0.1, -0.1]) as number[])]);
  expect(passes.map(({ logprobs }) => logprobs.map(({ length }) => length))).toEqual([
    [3, 2],
    [3, 2],
  ]);
  expect(Object.keys(passes[0]?.metrics ?? {}).sort()).toEqual(['grad_norm', 'loss', 'step']);
  expect(steps[0]).toMatchObject({ learning_rate: 0.01 });
  const path = await model.save('step-2');
  expect(path).toMatch(/^tinker:\/\/.+\/weights\/step-2$/);
  const weights = await model.saveForSampling('step-2');
  const next = await session.createModel(lora, neverCancelled);
  await next.load(path);
  await session.openSampler({ path: weights }, neverCancelled);
  const lost = model.load('tinker://none/weights/none');
  await expect(lost).rejects.toMatchObject({ code: 'tinker/no-weights' });
  await session.openSampler({ baseModel: 'tiny' }, neverCancelled);
  expect(server.differences).toEqual([]);
  expect(server.others).toEqual([]);
  expect(leftBy(server)).toEqual([]);
});

it('sends to SkyRL what the official SDK sends, with the weights of tokens', async () => {
  const { server, session } = await open('sdk-skyrl');
  expect(session.server).toMatchObject({ kind: 'skyrl', name: 'SkyRL 0.4', models: [{ name: 'tiny' }] });
  const { model, sequences, scores, passes, steps } = await train(session);
  expect(sequences.map(({ tokenIds, logprobs }) => [tokenIds.length, logprobs.length])).toEqual([
    [4, 4],
    [4, 4],
  ]);
  expect([...scores].map(Number.isFinite)).toEqual([false, true, true]);
  expect(passes.map(({ logprobs }) => logprobs.map(({ length }) => length))).toEqual([
    [3, 2],
    [3, 2],
  ]);
  expect(steps[0]?.['skyrl.ai/grad_norm']).toBeGreaterThan(0);
  const path = await model.save('step-2');
  await model.saveForSampling('step-2');
  const next = await session.createModel(lora, neverCancelled);
  await next.load(path);
  await expect(model.load('tinker://none/weights/none')).rejects.toMatchObject({ code: 'tinker/rejected' });
  const different = server.differences.map(withoutWeights);
  expect(different.map(({ path: sent }) => sent)).toEqual([
    '/api/v1/forward_backward',
    '/api/v1/forward_backward',
  ]);
  for (const { sent, recorded } of different) expect(sent).toEqual(recorded);
  expect(server.others).toEqual([]);
  // Our client loads saved weights into a model, because SkyRL samples from its newest weights otherwise.
  expect(leftBy(server)).toEqual(['/api/v1/create_sampling_session', '/api/v1/create_sampling_session']);
});

function withoutWeights(difference: Difference): Difference {
  const text = JSON.stringify(difference, (key, value: unknown) => (key === 'weights' ? undefined : value));
  return JSON.parse(text) as Difference;
}

it.each(['sdk-tuft', 'sdk-skyrl'])('reads the messages of %s as they are shown there', (name) => {
  const { exchanges } = readConversation(name);
  const messages = exchanges.flatMap(({ body, answer }) => [body, answer].filter(isMessage));
  expect(messages.length).toBeGreaterThan(5);
  for (const { message, base64, shown } of messages) {
    expect(shownMessage(message, Buffer.from(base64, 'base64')).shown).toEqual(shown);
  }
});
