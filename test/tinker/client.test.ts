/** The client against a real SkyRL server with a tiny model. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { neverCancelled } from '../../src/base/core/cancellation.ts';
import type { TinkerSession } from '../../src/tinker/core/service.ts';
import { readWeightsPath, writeWeightsPath } from '../../src/tinker/core/weightsPath.ts';
import { withAdapterFiles } from '../../src/tinker/node/adapterFiles.ts';
import { openCheckpoints, openTinker } from '../../src/tinker/node/openTinker.ts';
import { saveAdapter } from '../../src/training/node/checkpoints/saveAdapter.ts';
import { rehearsalServer } from './rehearsalServer.ts';

const server = rehearsalServer();
let session: TinkerSession;

beforeAll(async () => {
  session = await openTinker({ baseUrl: server().url, env: {}, homeFolder: '/nowhere' });
});

afterAll(() => session.close('success'));

const lora = () => ({
  ...{ baseModel: session.server.models[0]?.name ?? '', rank: 8, seed: 7 },
  ...{ trainMlp: true, trainAttn: true, trainUnembed: true },
});
const sampling = { samples: 2, maxTokens: 8, temperature: 1, topP: 1, topK: -1, stop: [258], seed: 1 };
const adam = { learningRate: 0.01, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: 0, gradClipNorm: 0 };
const prompt = Int32Array.from([
  257,
  ...Buffer.from('user\nhello'),
  258,
  10,
  257,
  ...Buffer.from('assistant\n'),
]);

test('trains, saves and continues, with equal log probabilities of sampler and trainer', async () => {
  expect(session.server).toMatchObject({ kind: 'skyrl', name: 'SkyRL 0.4', reduction: 'mean-of-datums' });
  const model = await session.createModel(lora(), neverCancelled);
  const sampler = await model.sampler();
  const [first] = await sampler.sample(prompt, sampling, neverCancelled);
  if (first === undefined) throw new Error('There is no sample.');
  const whole = Int32Array.from([...prompt, ...first.tokenIds]);
  const scores = await sampler.score(whole, neverCancelled);
  expect(scores[0]).toBeNaN();
  const sampled = first.tokenIds.length;
  const last = (list: Float32Array): number[] => [...list.slice(-sampled)];
  const close = (list: Float32Array | number[]): unknown =>
    [...list].map((value) => expect.closeTo(value, 4) as number);
  expect(last(scores)).toEqual(close(first.logprobs));

  const padded = (values: ArrayLike<number>): Float32Array => {
    const list = new Float32Array(whole.length - 1);
    list.set(values, list.length - sampled);
    return list;
  };
  const ones = new Float32Array(sampled).fill(1);
  const datum = {
    ...{ inputIds: whole.slice(0, -1), targetIds: whole.slice(1), logprobs: padded(first.logprobs) },
    ...{ advantages: padded(ones), weights: padded(ones) },
  };
  const clip = { low: 0.8, high: 1.2 };
  const losses = [{ name: 'importance_sampling' }, { name: 'ppo', clip }, { name: 'cispo', clip }] as const;
  for (const [index, loss] of losses.entries()) {
    const pass = model.forwardBackward([datum], loss);
    const step = model.optimStep(adam);
    const [logprobs = new Float32Array()] = (await pass).logprobs;
    const norm = (await step)['skyrl.ai/grad_norm'];
    if (index > 0) continue; // the later ones can be clipped as a whole
    expect(last(logprobs)).toEqual(close(first.logprobs));
    expect(norm).toBeGreaterThan(0);
  }
  const late = sampler.sample(prompt, sampling, neverCancelled);
  await expect(late).rejects.toMatchObject({ code: 'tinker/stale-sampler' });

  const path = await model.save('step-3');
  await expect(model.save('step-3')).rejects.toMatchObject({ code: 'tinker/name-taken' });
  const trained = await (await model.sampler()).score(whole, neverCancelled);
  const saved = await session.openSampler({ path }, neverCancelled);
  expect(last(await saved.score(whole, neverCancelled))).toEqual(close(last(trained)));
  await model.unload();
  await expect(model.optimStep(adam)).rejects.toMatchObject({ code: 'tinker/model-lost' });
});

test('lists, sends and deletes saved weights', async () => {
  const model = await session.createModel(lora(), neverCancelled);
  const path = await model.save('kept');
  const sampler = await model.saveForSampling('kept');
  await model.unload();
  const options = { baseUrl: server().url, env: {}, homeFolder: '/nowhere' };
  const { checkpoints } = await openCheckpoints(options);
  const paths = async (): Promise<string[]> =>
    (await checkpoints.list(model.id, neverCancelled)).map((one) => one.path).sort();
  const sampled = writeWeightsPath(readWeightsPath(sampler));
  expect(await paths()).toEqual([sampled, path]);

  const folder = await mkdtemp(join(tmpdir(), 'agentjet-adapter-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await withAdapterFiles(options, sampler, (files) => saveAdapter(files, folder));
  const config: unknown = JSON.parse(await readFile(join(folder, 'adapter_config.json'), 'utf8'));
  expect(config).toMatchObject({ peft_type: 'LORA', r: 8 });
  const weights = await readFile(join(folder, 'adapter_model.safetensors'));
  const header: unknown = JSON.parse(weights.toString('utf8', 8, 8 + Number(weights.readBigUInt64LE())));
  expect(Object.keys(header as object)).toContain(
    'base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight',
  );

  const published = checkpoints.setPublic(path, true, neverCancelled);
  await expect(published).rejects.toMatchObject({ code: 'tinker/not-offered' });
  await checkpoints.delete(path, neverCancelled);
  expect(await paths()).toEqual([sampled]);
  const again = checkpoints.delete(path, neverCancelled);
  await expect(again).rejects.toMatchObject({ code: 'tinker/no-weights' });
  await checkpoints.delete(sampler, neverCancelled);
  const gone = withAdapterFiles(options, sampler, (files) => saveAdapter(files, folder));
  await expect(gone).rejects.toMatchObject({ code: 'tinker/no-weights' });
});

test('names what the server refuses', async () => {
  const high = session.createModel({ ...lora(), rank: 99 }, neverCancelled);
  await expect(high).rejects.toMatchObject({ code: 'tinker/rank' });
  const lost = session.openSampler({ path: 'tinker://model_x/weights/none' }, neverCancelled);
  await expect(lost).rejects.toMatchObject({ code: 'tinker/no-weights' });
  const unknown = session.createModel({ ...lora(), baseModel: 'other' }, neverCancelled);
  await expect(unknown).rejects.toMatchObject({ code: 'tinker/not-served' });
});
