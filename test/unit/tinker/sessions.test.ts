import { mkdtemp, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it, vi } from 'vitest';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import { findApiKey } from '../../../src/tinker/node/credentialSources.ts';
import { startHeartbeats } from '../../../src/tinker/node/heartbeats.ts';
import { timeLimit } from '../../../src/tinker/node/httpTransport.ts';
import { FakeClock } from '../fakeClock.ts';
import { lora, open, sampling } from './opened.ts';

describe('heartbeats', () => {
  it('start at once, and end the session when the server has', async () => {
    const { session, server, clock } = await open({}, { heartbeatInterval: 50, startHeartbeats });
    await server.received('session_heartbeat');
    const sampler = await session.openSampler({ baseModel: 'tiny' }, neverCancelled);
    server.hold('asample');
    const sample = sampler.sample(Int32Array.of(1), sampling, neverCancelled);
    for (const one of server.sessions.values()) one.over = true;
    await expect(sample).rejects.toMatchObject({ code: 'tinker/session-over' });
    const later = session.createModel(lora, neverCancelled);
    await expect(later).rejects.toMatchObject({ code: 'tinker/session-over' });
    clock.isQuick = false;
  });

  it('continue after their process was killed, and end with the session', async () => {
    const { server } = await open();
    const onOver = vi.fn();
    const order = {
      baseUrl: server.url,
      sessionId: 'session_none',
      key: null,
      usesTokens: false,
      interval: 50,
    };
    const [sessionId = ''] = server.sessions.keys();
    const beats = startHeartbeats({ ...order, sessionId }, { onOver, onNotice: vi.fn() });
    await server.received('session_heartbeat');
    const first = beats.pid ?? 0;
    process.kill(first, 'SIGKILL');
    await expect.poll(() => beats.pid).not.toBe(first);
    const count = server.sent('session_heartbeat').length;
    await server.received('session_heartbeat', count + 1);
    beats.dispose();
    const last = beats.pid ?? 0;
    await expect.poll(() => isRunning(last)).toBe(false);
    expect(onOver).not.toHaveBeenCalled();
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the end of a session', () => {
  it('unloads its models, and says how it ended', async () => {
    const { session, server, clock } = await open({ kind: 'service' });
    await session.createModel(lora, neverCancelled);
    clock.isQuick = false;
    await session.close('interrupted');
    expect(server.models.size).toBe(0);
    expect([...server.sessions.values()]).toMatchObject([{ over: true, outcome: 'interrupted' }]);
  });
});

describe('the API key', () => {
  const store = async (text: string): Promise<string> => {
    const homeFolder = await mkdtemp(path.join(tmpdir(), 'tinker-'));
    await mkdir(path.join(homeFolder, '.tinker'));
    await writeFile(path.join(homeFolder, '.tinker/credentials.json'), text);
    return homeFolder;
  };
  const keys = { one: { type: 'manual', key: 'tml-1' }, two: { type: 'manual', key: 'tml-2' } };

  it('is the given one, else that of the variable, the command or the file', async () => {
    const homeFolder = await store(JSON.stringify({ version: 1, default: 'two', keys }));
    const { PATH } = process.env;
    const command = { PATH, TINKER_CREDENTIAL_CMD: 'echo tml-3' };
    const env = { ...command, TINKER_API_KEY: ' tml-4 ' };
    expect(await findApiKey({ apiKey: 'tml-5', env, homeFolder })).toBe('tml-5');
    expect(await findApiKey({ env, homeFolder })).toBe('tml-4');
    expect(await findApiKey({ env: command, homeFolder })).toBe('tml-3');
    expect(await findApiKey({ env: {}, homeFolder })).toBe('tml-2');
    expect(await findApiKey({ env: {}, homeFolder: '/nowhere' })).toBeUndefined();
  });

  it('is not read from what is broken', async () => {
    const file = findApiKey({ env: {}, homeFolder: await store('{') });
    await expect(file).rejects.toMatchObject({ code: 'tinker/bad-credentials' });
    const command = findApiKey({ env: { TINKER_CREDENTIAL_CMD: 'exit 3' }, homeFolder: '/nowhere' });
    await expect(command).rejects.toMatchObject({ code: 'tinker/credential-command' });
  });

  it('does not go to a server that asks for none', async () => {
    const { server } = await open({}, { env: { TINKER_API_KEY: 'tml-secret' } });
    expect(server.requests.some(({ headers }) => 'x-api-key' in headers)).toBe(false);
  });

  it('is exchanged for a token where the server wants that, again if it is no longer valid', async () => {
    const { session, server } = await open(
      { kind: 'service', key: 'tml-1', usesTokens: true },
      { apiKey: 'tml-1' },
    );
    const sampler = await session.openSampler({ baseModel: 'tiny' }, neverCancelled);
    server.token = 'another';
    expect(await sampler.sample(Int32Array.of(1), sampling, neverCancelled)).toHaveLength(1);
    const { headers } = server.sent('asample').at(-1) ?? {};
    expect(headers?.['x-api-key']).toBe(server.token);
  });
});

describe('a time limit', () => {
  it('does not count time in which the process was held', () => {
    const clock = new FakeClock();
    const onOver = vi.fn();
    const limit = timeLimit(45_000, clock, onOver);
    clock.stall(3_600_000);
    expect(limit.isOver()).toBe(false);
    clock.advance(44_999);
    expect(onOver).not.toHaveBeenCalled();
    clock.advance(1);
    expect(onOver).toHaveBeenCalledOnce();
    expect(limit.isOver()).toBe(true);
  });
});
