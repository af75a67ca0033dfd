import { afterEach, describe, expect, it } from 'vitest';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import type { Datum, TinkerSession } from '../../../src/tinker/core/service.ts';
import { openTinker, type TinkerOptions } from '../../../src/tinker/node/openTinker.ts';
import { TinkerServer, type ServerKind, type TinkerServerOptions } from '../../tools/tinkerServer.ts';

let server: TinkerServer;
const sessions: TinkerSession[] = [];

async function open(
  serverOptions: TinkerServerOptions = {},
  options: TinkerOptions = {},
): Promise<TinkerSession> {
  server = await TinkerServer.start(serverOptions);
  const session = await openTinker({ baseUrl: server.url, env: {}, homeFolder: '/nowhere', ...options });
  sessions.push(session);
  return session;
}

afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close('success');
  await server.close();
});

const lora = { baseModel: 'tiny', rank: 8, trainMlp: true, trainAttn: true, trainUnembed: true };
const sampling = { samples: 2, maxTokens: 4, temperature: 1, topP: 1, topK: -1, stop: [9] };
const adam = { learningRate: 0.01, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: 0, gradClipNorm: 0 };

function datum(targets: readonly number[], advantage = 0.5): Datum {
  return {
    inputIds: Int32Array.from([3, ...targets.slice(0, -1)]),
    targetIds: Int32Array.from(targets),
    logprobs: Float32Array.from(targets, () => -0.5),
    advantages: Float32Array.from(targets, () => advantage),
    weights: Float32Array.from(targets, () => 1),
  };
}

describe.each(['skyrl', 'skyrl-json', 'tuft', 'service'] as const)(
  'a training with %s',
  (kind: ServerKind) => {
    it('samples, trains, saves and continues', async () => {
      const session = await open({ kind });
      const model = await session.createModel(lora, neverCancelled);
      const sampler = await model.sampler();
      const [first, second] = await sampler.sample(Int32Array.of(1, 2), sampling, neverCancelled);
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
      const other = await session.openSampler({ path: saved }, neverCancelled);
      expect(await other.sample(Int32Array.of(1), sampling, neverCancelled)).toHaveLength(2);
    });
  },
);
