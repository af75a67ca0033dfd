import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BeginSpan } from '../../../../src/backbone/core/context-tracker/spans.ts';
import { EnvClient } from '../../../../src/backbone/core/env-service/client.ts';
import { CancellationSource, neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { CodedError } from '../../../../src/base/core/errors.ts';
import { envTransport } from '../../../../src/backbone/node/readerTools.ts';
import { FakeClock } from '../../fakeClock.ts';
import { startService, type Fault } from './service.ts';

let service: Awaited<ReturnType<typeof startService>>;
let clock: FakeClock;
let logged: string[];

beforeEach(async () => {
  service = await startService();
  clock = new FakeClock();
  logged = [];
});
afterEach(() => service.stop());

/** @param random what is drawn for every pause */
function client(random = 0.5, baseUrl = `${service.url}/`, beginSpan?: BeginSpan): EnvClient {
  return new EnvClient({
    baseUrl,
    location: { file: '/c.yaml', line: 3 },
    transport: envTransport,
    clock,
    // Every pause is over as soon as it has been announced.
    logger: {
      log: (_, message) => {
        logged.push(message.replaceAll(service.url, 'URL'));
        queueMicrotask(() => clock.advance(Number(/in ([\d.]+) s/.exec(message)?.[1]) * 1000 + 100));
      },
    },
    random: () => random,
    beginSpan,
  });
}

async function failureOf(work: Promise<unknown>): Promise<CodedError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof CodedError) return error;
  throw new Error(`Not a CodedError: ${String(error)}`);
}

const action = { role: 'assistant', content: '3' };

describe('the environment service', () => {
  it('is asked with the same five keys every time', async () => {
    const one = client();
    expect(await one.listTasks('guess', 'train', neverCancelled)).toEqual([3, '7']);
    await one.create('guess', '3', 'i1', neverCancelled);
    await one.step('i1', action, neverCancelled);
    expect(await one.evaluate('i1', { sparse: false }, neverCancelled)).toBe(1);
    expect(await one.release('i1', neverCancelled)).toBe(true);
    const none = { env_type: 'default', task_id: null, instance_id: 'i1', messages: {}, params: {} };
    expect(service.asked).toEqual([
      {
        endpoint: 'get_env_profile',
        body: { ...none, env_type: 'guess', instance_id: null, params: { split: 'train' } },
      },
      { endpoint: 'create', body: { ...none, env_type: 'guess', task_id: '3' } },
      { endpoint: 'step', body: { ...none, messages: action } },
      { endpoint: 'evaluate', body: { ...none, messages: { sparse: false } } },
      { endpoint: 'release', body: none },
    ]);
  });

  it('is timed try by try', async () => {
    const told: string[] = [];
    const one = client(0.5, `${service.url}/`, ({ kind, name }) => {
      told.push(`${kind} ${name}`);
      return (error) => told.push(error === null ? 'done' : 'failed');
    });
    await one.create('guess', '3', 'i1', neverCancelled);
    service.plan('step', { status: 503, body: 'starting' });
    await one.step('i1', action, neverCancelled);
    expect(told.slice(2)).toEqual(['environment step', 'failed', 'environment step', 'done']);
  });

  it('may tell its tasks in either of two ways, or none', async () => {
    const replies = ['{"task_ids": ["a"]}', '{}', '{"data": [1], "task_ids": ["a"]}'];
    service.plan('get_env_profile', ...replies.map((body) => ({ body })));
    const told: (readonly unknown[])[] = [];
    while (told.length < replies.length)
      told.push(await client().listTasks('guess', 'train', neverCancelled));
    expect(told).toEqual([['a'], [], [1]]);
  });

  it('is asked for its tasks once only', async () => {
    service.plan('get_env_profile', { status: 500, body: 'boom' });
    expect((await failureOf(client().listTasks('guess', 'train', neverCancelled))).code).toBe(
      'env-service/refused',
    );
    expect(logged).toEqual([]);
  });

  it.each<[Fault, string]>([
    [{ status: 503, body: 'starting' }, 'URL responded to step with status 503 and "starting"'],
    ['cut', 'URL did not respond to step'],
    ['cut-in-the-middle', 'URL did not respond to step'],
    [{ body: '<html>' }, 'URL responded to step with invalid JSON: "<html>"'],
    [{ body: '{"detail": "x"}' }, 'URL responded to step with `data` that is not an object'],
  ])('is asked again after %j', async (fault, told) => {
    await client().create('guess', '3', 'i1', neverCancelled);
    service.plan('step', fault, fault);
    expect(await client().step('i1', action, neverCancelled)).toMatchObject({ is_terminated: true });
    expect(logged).toHaveLength(2);
    expect(logged[0]).toContain(told);
    expect(logged[0]).toMatch(/Attempt 2 of 3 follows in 6\.5 s\.$/);
    expect(service.endpoints()).toEqual(['create', 'step', 'step', 'step']);
  });

  it.each([
    [0, '3.0'],
    [0.999, '10.0'],
  ])('is left alone between tries for a while that is drawn: %d', async (random, seconds) => {
    service.plan('release', 'cut');
    await client(random).release('i1', neverCancelled);
    expect(logged[0]).toContain(`in ${seconds} s.`);
  });

  it.each<[Fault, string]>([
    [{ status: 500, body: 'boom' }, 'env-service/refused'],
    ['cut', 'env-service/unreachable'],
    [{ body: '[]' }, 'env-service/bad-reply'],
  ])('fails after the third %j', async (fault, code) => {
    service.plan('create', fault, fault, fault);
    const failure = await failureOf(client().create('guess', '3', 'i1', neverCancelled));
    expect(failure).toMatchObject({ code, location: { file: '/c.yaml', line: 3 } });
    expect(failure.message).toContain(`The environment service at ${service.url} `);
    expect(failure.message).toContain(' (3 attempts).');
    expect(failure.hint).not.toBe('');
  });

  it('has 300 s for an answer, each time', async () => {
    service.plan('step', 'hang', 'hang', 'hang');
    const work = failureOf(client().step('i1', action, neverCancelled));
    for (const count of [1, 2, 3]) {
      await service.seen(count);
      clock.advance(299_000);
      expect(logged).toHaveLength(count - 1);
      clock.advance(2000);
    }
    expect(await work).toMatchObject({ code: 'env-service/timed-out' });
  });

  it('has time while a debugger holds the process', async () => {
    service.plan('step', 'hang');
    const over = new CancellationSource();
    const work = failureOf(client().step('i1', action, over.token));
    await service.seen(1);
    clock.stall(3_600_000);
    clock.advance(200_000);
    expect(logged).toEqual([]);
    over.cancel();
    expect((await work).code).toBe('env-service/episode-over');
  });

  it('is asked nothing more once the episode is over', async () => {
    const over = new CancellationSource();
    over.cancel();
    expect((await failureOf(client().step('i1', action, over.token))).code).toBe('env-service/episode-over');
    expect(service.asked).toEqual([]);
  });

  it('may give a score as a truth value, but not as a text', async () => {
    service.plan('evaluate', { body: '{"data": true}' }, { body: '{}' }, { body: '{"data": "1"}' });
    expect(await client().evaluate('i1', {}, neverCancelled)).toBe(1);
    expect(await client().evaluate('i1', {}, neverCancelled)).toBe(0);
    expect((await failureOf(client().evaluate('i1', {}, neverCancelled))).code).toBe('env-service/bad-reply');
  });

  it('cannot be asked where nobody listens', async () => {
    await service.stop();
    const failure = await failureOf(client().listTasks('guess', 'train', neverCancelled));
    expect(failure).toMatchObject({ code: 'env-service/unreachable' });
    expect(failure.hint).toContain('Start the service');
    service = await startService();
  });

  it.each(['', 'appworld', 'ftp://host'])('has to be named by a URL: %j', (url) => {
    expect(() => client(0, url)).toThrow(expect.objectContaining({ code: 'env-service/bad-url' }));
  });
});
