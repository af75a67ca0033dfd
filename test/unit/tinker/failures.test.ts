import { describe, expect, it } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../src/base/core/cancellation.ts';
import { openTinker } from '../../../src/tinker/node/openTinker.ts';
import type { TinkerServer } from '../../tools/tinkerServer.ts';
import { readConversation } from '../../tools/tinkerConversations/conversation.ts';
import { adam, datum, lora, open, sampling, startServer } from './opened.ts';

const prompt = Int32Array.of(1, 2);

describe('opening fails', () => {
  const attempt = (baseUrl: string, apiKey?: string) =>
    openTinker({ baseUrl, apiKey, env: {}, homeFolder: '/nowhere' });

  it('without a server', async () => {
    await expect(attempt('http://127.0.0.1:9')).rejects.toMatchObject({ code: 'tinker/no-server' });
  });

  it('without a URL', async () => {
    await expect(attempt('localhost:8000')).rejects.toMatchObject({ code: 'tinker/bad-url' });
  });

  it('at a server of another kind', async () => {
    const server = await startServer();
    await expect(attempt(`${server.url}/v1`)).rejects.toMatchObject({ code: 'tinker/not-tinker' });
  });

  it('without a key, and with a wrong one', async () => {
    const server = await startServer({ kind: 'tuft', key: 'right' });
    await expect(attempt(server.url)).rejects.toMatchObject({ code: 'tinker/no-key' });
    await expect(attempt(server.url, 'wrong')).rejects.toMatchObject({ code: 'tinker/wrong-key' });
  });

  it('with a key of another server', async () => {
    const service = 'https://tinker.thinkingmachines.dev/services/tinker-prod';
    await expect(attempt(service)).rejects.toMatchObject({ code: 'tinker/no-key' });
    await expect(attempt(service, 'sk-1')).rejects.toMatchObject({ code: 'tinker/other-key' });
  });

  it('at once if the account is out of funds', async () => {
    const server = await startServer({ kind: 'tuft' });
    server.script('get_server_capabilities', { status: 402, body: { detail: 'no billing' } });
    await expect(attempt(server.url)).rejects.toMatchObject({ code: 'tinker/no-funds' });
  });
});

describe('a model is refused', () => {
  it.each([
    ['that the server does not serve', { baseModel: 'huge' }, 'tinker/not-served'],
    ['with too high a rank', { rank: 99 }, 'tinker/rank'],
  ])('%s', async (_, change, code) => {
    const { session } = await open();
    await expect(session.createModel({ ...lora, ...change }, neverCancelled)).rejects.toMatchObject({ code });
  });

  it('when all places are taken', async () => {
    const { session } = await open({ maxModels: 1 });
    await session.createModel(lora, neverCancelled);
    await expect(session.createModel(lora, neverCancelled)).rejects.toMatchObject({ code: 'tinker/no-slot' });
  });

  it('and unloaded if it is canceled while the server makes it', async () => {
    const { session, server, clock } = await open();
    clock.isQuick = false;
    server.hold('create_model');
    const stop = new CancellationSource();
    const model = session.createModel(lora, stop.token);
    await server.received('retrieve_future');
    stop.cancel();
    await expect(model).rejects.toMatchObject({ code: 'tinker/cancelled' });
    expect(server.models.size).toBe(0);
  });
});

describe('a state that passes', () => {
  const sampleWith = async (script: (server: TinkerServer) => void) => {
    const opened = await open({ kind: 'service' });
    const sampler = await opened.session.openSampler({ baseModel: 'tiny' }, neverCancelled);
    script(opened.server);
    const result = await sampler.sample(prompt, sampling, neverCancelled).catch((error: unknown) => error);
    return { ...opened, result };
  };
  const times = (count: number, status: number, headers = {}) =>
    Array.from({ length: count }, () => ({ status, headers, body: { detail: 'not now' } }));

  it.each([
    [425, [1000, 1000]],
    [429, [1000, 2000]],
    [402, [5000, 5000]],
    [500, [500, 1000]],
    [503, [500, 1000]],
  ])('%i is waited out with a notice', async (status, pauses) => {
    const { result, clock, notices, server } = await sampleWith((one) =>
      one.script('asample', ...times(2, status)),
    );
    expect(result).toHaveLength(1);
    expect(clock.pauses).toEqual(pauses);
    expect(notices.map(({ kind }) => kind)).toEqual(['waiting', 'resumed']);
    const keys = server.sent('asample').map(({ headers }) => headers['x-idempotency-key']);
    expect(new Set(keys)).toHaveLength(1);
  });

  it('obeys the time that the server names', async () => {
    const { clock } = await sampleWith((server) =>
      server.script('asample', ...times(1, 429, { 'retry-after': '7' })),
    );
    expect(clock.pauses).toEqual([7000]);
  });

  it.each([
    [429, 'tinker/busy'],
    [500, 'tinker/server-failed'],
    [503, 'tinker/no-server'],
  ])('%i fails after its limit', async (status, code) => {
    const { result } = await sampleWith((server) =>
      server.script('asample', ...times(50, status, { 'retry-after': '60' })),
    );
    expect(result).toMatchObject({ code });
  });

  it('is left at once when it is canceled', async () => {
    const { session, server, clock } = await open();
    const sampler = await session.openSampler({ baseModel: 'tiny' }, neverCancelled);
    clock.isQuick = false;
    server.script('asample', ...times(1, 402));
    const stop = new CancellationSource();
    const sample = sampler.sample(prompt, sampling, stop.token);
    await server.received('asample');
    stop.cancel();
    await expect(sample).rejects.toMatchObject({ code: 'tinker/cancelled' });
  });

  it('is a result that is not there yet, in all forms', async () => {
    const paused = { type: 'try_again', queue_state: 'paused_capacity', queue_state_reason: 'full' };
    const { result, clock, notices } = await sampleWith((server) =>
      server.script('retrieve_future', { status: 408 }, { status: 200, body: paused }),
    );
    expect(result).toHaveLength(1);
    expect(clock.pauses).toEqual([]);
    expect(notices[0]).toMatchObject({ kind: 'waiting', text: expect.stringContaining('full') as string });
  });
});

describe('a failure is final', () => {
  it('in the answers that TuFT gives', async () => {
    const refusals = readConversation('refusals-tuft').exchanges.filter(({ status }) => status >= 300);
    const codes = await Promise.all(
      refusals.map(async ({ path, status, answer }) => {
        const { session, server } = await open({ kind: 'tuft' });
        const model = await session.createModel(lora, neverCancelled);
        server.script('optim_step', { status, body: answer });
        return model.optimStep(adam).catch((error: unknown) => [path.slice('/api/v1/'.length), error]);
      }),
    );
    expect(codes).toMatchObject([
      ['retrieve_future', { code: 'tinker/future-lost' }],
      ['create_model', { code: 'tinker/session-over' }],
      ['create_sampling_session', { code: 'tinker/session-over' }],
      ['forward_backward', { code: 'tinker/other-version' }],
      ['retrieve_future', { code: 'tinker/model-lost' }],
      ['retrieve_future', { code: 'tinker/no-weights' }],
      ['retrieve_future', { code: 'tinker/no-key' }],
    ]);
  });

  it.each([
    ['in the words of SkyRL', { status: 400, body: { detail: 'Model m not loaded' } }, 'tinker/model-lost'],
    ['in those of TuFT', { status: 422, body: { detail: 'bad' } }, 'tinker/rejected'],
    [
      'in those of the service',
      { status: 200, body: { error: 'bad', category: 'user' } },
      'tinker/server-failed',
    ],
    ['for a lost future', { status: 404, body: { detail: 'Future not found' } }, 'tinker/future-lost'],
    ['for an old server', { status: 415, body: { detail: 'protobuf' } }, 'tinker/other-version'],
  ])('%s', async (_, answer, code) => {
    const { session, server } = await open({ kind: 'service' });
    const model = await session.createModel(lora, neverCancelled);
    server.script('retrieve_future', answer);
    const pass = model.forwardBackward([datum([1])], { name: 'ppo' });
    await expect(pass).rejects.toMatchObject({ code });
  });
});
