import { describe, expect, it } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../src/base/core/cancellation.ts';
import type { ServerKind } from '../../tools/tinkerServer.ts';
import { adam, datum, lora, open, sampling } from './opened.ts';

const twice = { ...sampling, samples: 2, maxTokens: 4 };

describe.each(['skyrl', 'skyrl-json', 'tuft', 'service'] as const)(
  'a training with %s',
  (kind: ServerKind) => {
    it('samples, trains, saves and continues', async () => {
      const { session, server } = await open({ kind });
      const model = await session.createModel(lora, neverCancelled);
      const sampler = await model.sampler();
      const [first, second] = await sampler.sample(Int32Array.of(1, 2), twice, neverCancelled);
      expect([...(first?.tokenIds ?? [])]).toEqual([1, 2, 3, 9]);
      expect([...(first?.logprobs ?? [])]).toEqual([-0.25, -0.375, -0.5, -1.25]);
      expect(second).toMatchObject({ stopReason: 'stop' });
      expect([...(await sampler.score(Int32Array.of(1, 2, 3), neverCancelled))]).toEqual([NaN, -0.375, -0.5]);

      const loss = { name: 'ppo', clip: { low: 0.8, high: 1.2 } } as const;
      const pass = model.forwardBackward([datum([1, 2]), datum([4, 5, 6])], loss);
      const step = model.optimStep(adam);
      expect((await pass).logprobs.map((list) => [...list])).toEqual([
        [-0.25, -0.375],
        [-0.625, -0.75, -0.875],
      ]);
      expect(await step).toMatchObject({ 'skyrl.ai/grad_norm': 1 });
      const [sent] = server.models.get(model.id)?.passes ?? [];
      expect(sent).toMatchObject({
        seqId: 2,
        loss: 'ppo',
        config: { clip_low_threshold: 0.8, clip_high_threshold: 1.2 },
      });
      expect(sent?.datums[1]?.inputs).toMatchObject({
        target_tokens: [4, 5, 6],
        advantages: [0.5, 0.5, 0.5],
      });
      expect('weights' in (sent?.datums[0]?.inputs ?? {})).toBe(kind.startsWith('skyrl'));

      const path = await model.save('step-1');
      await model.unload();
      const next = await session.createModel(lora, neverCancelled);
      await next.load(path);
      expect(server.models.get(next.id)?.steps).toBe(1);
      const saved = await next.saveForSampling('last');
      const source = kind.startsWith('skyrl') ? path : saved;
      const other = await session.openSampler({ path: source }, neverCancelled);
      expect(await other.sample(Int32Array.of(1), twice, neverCancelled)).toHaveLength(2);
    });
  },
);

const prompt = Int32Array.of(1, 2);

it('counts the tokens that the server processes', async () => {
  const counts = { prefill: 0, sample: 0, train: 0 };
  const { session } = await open({}, { onTokens: (kind, count) => (counts[kind] += count) });
  const model = await session.createModel(lora, neverCancelled);
  const sampler = await model.sampler();
  await sampler.sample(prompt, twice, neverCancelled);
  expect(counts).toEqual({ prefill: 2, sample: 8, train: 0 });
  await sampler.score(Int32Array.of(1, 2, 3), neverCancelled);
  expect(counts).toEqual({ prefill: 5, sample: 9, train: 0 });
  await model.forwardBackward([datum([1, 2]), datum([4, 5, 6])], { name: 'ppo' });
  expect(counts).toEqual({ prefill: 5, sample: 9, train: 5 });
});

describe('requests of a model', () => {
  it('wait for the result of the previous one on SkyRL, which may reorder them', async () => {
    const { session, server } = await open();
    const model = await session.createModel(lora, neverCancelled);
    const release = server.hold('forward_backward');
    const pass = model.forwardBackward([datum([1])], { name: 'importance_sampling' });
    const step = model.optimStep(adam);
    await server.received('retrieve_future', 2);
    expect(server.sent('optim_step')).toEqual([]);
    release();
    await Promise.all([pass, step]);
    expect(server.sent('optim_step')[0]?.body.seq_id).toBe(2);
  });

  it('are sent ahead to the service, in order and one at a time', async () => {
    const { session, server } = await open({ kind: 'service' });
    const model = await session.createModel(lora, neverCancelled);
    const release = server.hold('forward_backward');
    const pass = model.forwardBackward([datum([1])], { name: 'importance_sampling' });
    await model.optimStep(adam);
    release();
    await pass;
    expect(server.requests.map(({ body }) => body.seq_id).filter(Boolean)).toEqual([1, 2]);
  });

  it('are several for a large batch, whose results are merged', async () => {
    const { session, server } = await open({ kind: 'tuft' });
    const model = await session.createModel(lora, neverCancelled);
    const batch = Array.from({ length: 1500 }, (_, index) => datum([index % 50]));
    const pass = await model.forwardBackward(batch, { name: 'importance_sampling' });
    expect(pass.logprobs).toHaveLength(1500);
    expect(pass.metrics).toEqual({ loss: 1500 });
    expect(server.models.get(model.id)?.passes.map(({ datums }) => datums.length)).toEqual([1024, 476]);
  });

  it('make no step after a pass that failed', async () => {
    const { session, server } = await open();
    const model = await session.createModel(lora, neverCancelled);
    server.script('forward_backward', { status: 422, body: { detail: 'no such loss' } });
    const pass = model.forwardBackward([datum([1])], { name: 'ppo' });
    const step = model.optimStep(adam);
    await expect(pass).rejects.toMatchObject({ code: 'tinker/rejected' });
    await expect(step).rejects.toMatchObject({ code: 'tinker/rejected' });
    expect(server.sent('optim_step')).toEqual([]);
  });

  it.each([
    ['without tokens', { inputIds: Int32Array.of() }],
    ['with a list of another length', { advantages: Float32Array.of(1) }],
    ['with NaN', { logprobs: Float32Array.of(NaN, 0) }],
  ])('are refused for samples %s', async (_, change) => {
    const { session, server } = await open();
    const model = await session.createModel(lora, neverCancelled);
    const pass = model.forwardBackward([datum([1, 2]), { ...datum([1, 2]), ...change }], { name: 'ppo' });
    await expect(pass).rejects.toMatchObject({ code: 'tinker/bad-datum' });
    expect(server.sent('forward_backward')).toEqual([]);
  });

  it('stop waiting when they are canceled', async () => {
    const { session, server } = await open();
    const model = await session.createModel(lora, neverCancelled);
    server.hold('forward_backward');
    const stop = new CancellationSource();
    const pass = model.forwardBackward([datum([1])], { name: 'ppo' }, stop.token);
    await server.received('retrieve_future', 2);
    stop.cancel();
    await expect(pass).rejects.toMatchObject({ code: 'tinker/cancelled' });
  });

  it.each(['skyrl', 'tuft', 'service'] as const)(
    'are sent to the end when they are canceled, so that %s counts the next one',
    async (kind) => {
      const { session, server } = await open({ kind });
      const model = await session.createModel(lora, neverCancelled);
      const release = server.delay('forward_backward');
      const stop = new CancellationSource();
      const pass = model.forwardBackward([datum([1])], { name: 'ppo' }, stop.token);
      const late = model.save('late', stop.token);
      await server.received('forward_backward');
      stop.cancel();
      await expect(pass).rejects.toMatchObject({ code: 'tinker/cancelled' });
      await expect(late).rejects.toMatchObject({ code: 'tinker/cancelled' });
      const saved = model.save('last');
      release();
      expect(await saved).toContain('/weights/last');
      expect(server.requests.map(({ body }) => body.seq_id).filter(Boolean)).toEqual([1, 2]);
    },
  );
});

describe('samplers', () => {
  it('of SkyRL refuse to answer after a step, which they would undo', async () => {
    const { session } = await open();
    const model = await session.createModel(lora, neverCancelled);
    const sampler = await model.sampler();
    await model.forwardBackward([datum([1])], { name: 'ppo' });
    expect(await sampler.sample(prompt, sampling, neverCancelled)).toHaveLength(1);
    await model.optimStep(adam);
    const late = sampler.sample(prompt, sampling, neverCancelled);
    await expect(late).rejects.toMatchObject({ code: 'tinker/stale-sampler' });
  });

  it('of SkyRL load saved weights into a model of their own', async () => {
    const { session, server } = await open();
    const model = await session.createModel(lora, neverCancelled);
    const path = await model.save('step-0');
    await session.openSampler({ path }, neverCancelled);
    expect(server.models.size).toBe(2);
    server.script('weights_info', { status: 404, body: { detail: 'Model not found' } });
    for (const lost of ['tinker://model_x/weights/step-0', `${path}-lost`]) {
      const other = session.openSampler({ path: lost }, neverCancelled);
      await expect(other).rejects.toMatchObject({ code: 'tinker/no-weights' });
    }
  });

  it('ask again when the server has lost a result', async () => {
    const { session, server } = await open();
    const sampler = await session.openSampler({ baseModel: 'tiny' }, neverCancelled);
    server.script('retrieve_future', { status: 410, body: { detail: 'expired' } });
    expect(await sampler.sample(prompt, sampling, neverCancelled)).toHaveLength(1);
    expect(server.sent('asample').map(({ body }) => body.seq_id)).toEqual([0, 1]);
  });

  it('reject answers that they cannot use', async () => {
    const { session, server } = await open({ kind: 'service' });
    const sampler = await session.openSampler({ baseModel: 'tiny' }, neverCancelled);
    const answers = [
      { sequences: [] },
      { sequences: [{ stop_reason: 'stop', tokens: [1, 2], logprobs: [-1] }] },
      { sequences: [{ stop_reason: 'odd', tokens: [1], logprobs: [-1] }] },
    ].map((body) => ({ status: 200, body }));
    const garbage = { status: 200, body: Uint8Array.of(255, 255) };
    for (const answer of [...answers, garbage]) {
      server.script('retrieve_future', answer);
      const sample = sampler.sample(prompt, sampling, neverCancelled);
      await expect(sample).rejects.toMatchObject({ code: 'tinker/bad-answer' });
    }
  });
});
