import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  environmentsOf,
  taskListingOf,
  type EpisodeEnvironment,
} from '../../../../src/backbone/core/env-service/environment.ts';
import type { EnvAnswer } from '../../../../src/backbone/core/env-service/client.ts';
import { CancellationSource, neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { envTransport } from '../../../../src/backbone/node/readerTools.ts';
import { composeText } from '../../configs/memoryFiles.ts';
import { FakeClock } from '../../fakeClock.ts';
import { startService } from './service.ts';

let service: Awaited<ReturnType<typeof startService>>;
let clock: FakeClock;
let logged: string[];
let steps: number;

beforeEach(async () => {
  service = await startService();
  clock = new FakeClock();
  logged = [];
  steps = 0;
});
afterEach(() => service.stop());

async function environment(type = 'env_service', url = service.url): Promise<EpisodeEnvironment> {
  const { config } = await composeText(
    `ajet: {task_reader: {type: ${type}, env_service: {env_url: '${url}', env_type: guess}}}\n`,
  );
  const log = (_: string, message: string): void => {
    logged.push(message);
    queueMicrotask(() => clock.advance(11_000));
  };
  const ports = { transport: envTransport, clock, logger: { log }, seed: 1 };
  return environmentsOf(config, ports)({ episode: 4, uuid: 'u4', onStep: () => (steps += 1) });
}

const task = { main_query: '[not defined]', init_messages: [], task_id: '7', env_type: 'x', metadata: {} };
const guess = (content: unknown) => ({ role: 'assistant', content });
const none = { role: 'user', content: '' };

describe('the environment of an episode', () => {
  it('is made with the query, acted in, scored and released', async () => {
    const { gymEnv, enter, leave } = bound(await environment());
    expect(await enter(task)).toMatchObject({
      main_query: 'Which is it? (instance u4)',
      init_messages: [{ role: 'system' }, { role: 'user', content: 'Which is it? (instance u4)' }],
      task_id: '7',
      env_type: 'x',
    });
    expect(gymEnv.serviceUrl).toBe(service.url);
    expect(await gymEnv.step(guess('5'))).toEqual({ obs: 'Higher.', reward: 0, terminate: false, info: {} });
    expect(await gymEnv.evaluate()).toBe(0);
    expect(await gymEnv.step(guess([{ type: 'text', text: '7' }]))).toMatchObject({
      obs: 'Right.',
      terminate: true,
    });
    expect(await gymEnv.evaluate({ sparse: false })).toBe(1);
    expect(steps).toBe(2);
    await leave(neverCancelled);
    expect(service.instances.size).toBe(0);
    expect(service.endpoints()).toEqual(['create', 'step', 'evaluate', 'step', 'evaluate', 'release']);
    await expect(gymEnv.step(guess('1'))).rejects.toMatchObject({ code: 'env-service/episode-over' });
  });

  it('leaves the query to a reader that knows it', async () => {
    const { enter } = bound(await environment('deep_finance'));
    expect(await enter({ ...task, main_query: 'known' })).toMatchObject({
      main_query: 'known',
      init_messages: [],
    });
    expect(service.endpoints()).toEqual(['create']);
  });

  it.each([
    [
      '{"role": "user", "content": "q"}',
      { main_query: 'q', init_messages: [{ role: 'user', content: 'q' }] },
    ],
    ['[{"role": "user", "content": null}]', { main_query: 'None' }],
  ])('takes as what it tells of itself %s', async (state, expected) => {
    service.plan('create', { body: `{"data": {"state": ${state}}}` });
    expect(await bound(await environment()).enter(task)).toMatchObject(expected);
  });

  it.each(['"text"', '[]', '["a"]', '{"role": "user"}', '[{}, {"role": "user"}]'])(
    'cannot begin with %s, and is released',
    async (state) => {
      service.plan('create', { body: `{"data": {"state": ${state}}}` });
      const { enter, leave } = bound(await environment());
      await expect(enter(task)).rejects.toMatchObject({ code: 'env-service/bad-reply' });
      await leave(neverCancelled);
      expect(service.endpoints()).toEqual(['create', 'release']);
    },
  );

  it('is released in one try where it was most likely never made', async () => {
    service.plan('create', 'cut', 'cut', 'cut');
    service.plan('release', 'cut');
    const { enter, leave } = bound(await environment());
    await expect(enter(task)).rejects.toMatchObject({ code: 'env-service/unreachable' });
    await leave(neverCancelled);
    expect(service.endpoints()).toEqual(['create', 'create', 'create', 'release']);
  });

  it('is an error where it cannot be released', async () => {
    const { enter, leave } = bound(await environment());
    await enter(task);
    const fault = { status: 500, body: 'boom' };
    service.plan('release', fault, fault, fault);
    await expect(leave(neverCancelled)).rejects.toMatchObject({
      code: 'env-service/not-released',
      message: expect.stringContaining('u4') as string,
    });
  });

  it('tells where the service does not say that it released it', async () => {
    const { enter, leave } = bound(await environment());
    await enter(task);
    service.plan('release', { body: '{}' });
    await leave(neverCancelled);
    expect(logged).toEqual([expect.stringContaining('did not confirm')]);
  });

  it('lets a run stop soon, though the service hangs', async () => {
    const { gymEnv, enter, leave } = bound(await environment());
    await enter(task);
    service.plan('step', 'hang');
    service.plan('release', 'hang', 'hang');
    const step = expect(gymEnv.step(guess('1'))).rejects.toMatchObject({ code: 'env-service/episode-over' });
    await service.seen(2);
    const stopped = new CancellationSource();
    const left = expect(leave(stopped.token)).rejects.toMatchObject({ code: 'env-service/not-released' });
    await step;
    await service.seen(3);
    stopped.cancel();
    await service.seen(4);
    clock.advance(5100);
    await left;
  });

  it.each([
    ['[{"role": "user", "content": ""}]', 'Warning: the environment gave no feedback.'],
    ['[{"role": "user"}]', 'Warning: the environment gave no feedback.'],
    [
      '[{"error": "x"}], "error": {"a": [null, true, "it"]}',
      "[Error from environment: {'a': [None, True, 'it']}]",
    ],
  ])('answers in words to the state %s', async (state, obs) => {
    service.plan('step', { body: `{"data": {"state": ${state}, "is_terminated": false}}` });
    const { gymEnv } = bound(await environment());
    expect(await gymEnv.step(none)).toMatchObject({ obs: expect.stringContaining(obs) as string, reward: 0 });
  });

  it('hands on a list of messages with its reward', async () => {
    const state = '[[{"role": "user", "content": "a"}]], "reward": 0.5, "info": {"n": 1}';
    service.plan('step', { body: `{"data": {"state": ${state}, "is_terminated": true}}` });
    expect(await bound(await environment()).gymEnv.step(none)).toEqual({
      obs: [{ role: 'user', content: 'a' }],
      reward: 0.5,
      terminate: true,
      info: { n: 1 },
    });
  });

  it.each([
    ['{"state": [{"content": "x"}]}', '`is_terminated`'],
    ['{"state": {"content": "x"}, "is_terminated": false}', '`state`'],
    ['{"state": [], "is_terminated": false}', '`state`'],
    ['{"state": [[]], "is_terminated": false}', '`reward`'],
    ['{"state": [{"error": "no tool"}], "is_terminated": false}', 'no tool'],
  ])('cannot be acted in where it answers %s', async (data, named) => {
    service.plan('step', { body: `{"data": ${data}}` });
    const { gymEnv } = bound(await environment());
    await expect(gymEnv.step(none)).rejects.toMatchObject({
      code: 'env-service/bad-reply',
      message: expect.stringContaining(named) as string,
    });
  });

  it('is there without a service, too, but does nothing', async () => {
    const { gymEnv, enter, leave } = bound(await environment('jsonl_dataset_file', 'nonsense'));
    expect(await enter(task)).toBe(task);
    expect(gymEnv.serviceUrl).toBeUndefined();
    await expect(gymEnv.step(none)).rejects.toMatchObject({ code: 'env-service/no-environment' });
    await expect(gymEnv.evaluate()).rejects.toMatchObject({ code: 'env-service/no-environment' });
    expect(() => gymEnv.reset()).toThrow(expect.objectContaining({ code: 'env-service/no-reset' }));
    await leave(neverCancelled);
  });

  it('cannot be reset', async () => {
    const { gymEnv } = bound(await environment());
    expect(() => gymEnv.reset()).toThrow(expect.objectContaining({ code: 'env-service/no-reset' }));
  });

  it('has to be named by a URL', async () => {
    await expect(environment('env_service', 'nonsense')).rejects.toMatchObject({
      code: 'env-service/bad-url',
    });
  });
});

function bound(one: EpisodeEnvironment) {
  return { gymEnv: one.gymEnv, enter: one.enter.bind(one), leave: one.leave.bind(one) };
}

describe('in the same words as AgentJet', () => {
  const file = path.join(import.meta.dirname, '../../../fixtures/rollout/requests.json');
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly requests: readonly { url: string; body: unknown; timeout: number }[];
    readonly steps: readonly { data: unknown; told: object | null }[];
    readonly actions: readonly { content: unknown; sent: unknown }[];
  };

  /** Answers every step with the same data, and notes what it is sent. */
  async function scripted(data: unknown) {
    const sent: { url: string; body: unknown }[] = [];
    const replies: Readonly<Record<string, unknown>> = {
      get_env_profile: { data: [1] },
      create: { data: { state: [{ role: 'user', content: 'q' }] } },
      step: { data },
      evaluate: { data: 1 },
      release: { success: true },
    };
    const post = (url: URL, body: string): Promise<EnvAnswer> => {
      sent.push({ url: url.href, body: JSON.parse(body) as unknown });
      return Promise.resolve({ status: 200, body: JSON.stringify(replies[url.pathname.slice(1)]) });
    };
    const { config } = await composeText(
      'ajet: {task_reader: {type: env_service, env_service: {env_url: "http://host:1/", env_type: guess}}}\n',
    );
    const ports = { transport: { post }, clock, logger: { log: () => undefined }, seed: 1 };
    const one = environmentsOf(config, ports)({ episode: 0, uuid: 'i1', onStep: () => undefined });
    return { sent, one, listing: taskListingOf(config, ports, neverCancelled) };
  }

  it('asks', async () => {
    const { sent, one, listing } = await scripted({ state: [{ content: 'x' }], is_terminated: false });
    await listing.listTasks('guess', 'train');
    await one.enter({ ...task, task_id: '3' });
    await one.gymEnv.step(guess('3'));
    await one.gymEnv.evaluate({ sparse: false });
    await one.leave(neverCancelled);
    expect(sent).toEqual(vectors.requests.map(({ url, body }) => ({ url, body })));
    expect(new Set(vectors.requests.map(({ timeout }) => timeout))).toEqual(new Set([300]));
  });

  it.each(vectors.steps)('understands $data', async ({ data, told }) => {
    const { one } = await scripted(data);
    const step = await one.gymEnv.step(guess('3')).catch(() => null);
    const isWarning = step !== null && typeof step.obs === 'string' && step.obs.startsWith('Warning: ');
    expect(isWarning ? { ...step, obs: '(warning)' } : step).toEqual(told);
  });

  it.each(vectors.actions)('sends the content $content', async ({ content, sent: expected }) => {
    const { one, sent } = await scripted({ state: [{ content: 'x' }], is_terminated: false });
    await one.gymEnv.step(guess(content));
    expect(sent[0]?.body).toMatchObject({ messages: { role: 'assistant', content: expected } });
  });
});
