import process from 'node:process';
import { afterEach, describe, expect, test } from 'vitest';
import {
  startBackbone,
  type BackboneChannel,
  type BackboneLaunch,
} from '../../../../src/backbone/node/process/backboneChannel.ts';
import type { RunEvent } from '../../../../src/backbone/core/protocol/run.ts';
import { inspectorSocket } from '../../../tools/inspectorSocket.ts';
import { launchOf } from './programs/launch.ts';

const started: BackboneChannel[] = [];

afterEach(async () => {
  for (const channel of started.splice(0)) {
    channel.killNow();
    await channel.exited;
  }
});

interface Observed {
  readonly channel: BackboneChannel;
  readonly events: RunEvent[];
  readonly text: { stdout: string; stderr: string };
  /** Resolves with the first log message. */
  readonly firstLog: Promise<string>;
}

async function observe(scenario: string, changes: Partial<BackboneLaunch> = {}): Promise<Observed> {
  const channel = await startBackbone({ ...launchOf(scenario), ...changes });
  started.push(channel);
  const events: RunEvent[] = [];
  const text = { stdout: '', stderr: '' };
  channel.onOutput((output) => (text[output.stream] += output.text));
  const firstLog = new Promise<string>((resolve) => {
    channel.onEvent((event) => {
      events.push(event);
      if (event.type === 'log') resolve(event.message);
    });
  });
  return { channel, events, text, firstLog };
}

describe('a run that ends by itself', () => {
  test('tells its events and its output whole, and exits without an error', async () => {
    const { channel, events, text } = await observe('ends');
    expect(await channel.exited).toEqual({ code: 0, signal: null, error: undefined });
    expect(events).toEqual([{ type: 'run-ended', status: 'completed', error: null }]);
    expect(text.stdout).toBe(`config /somewhere/agent.yaml ${'ü€'.repeat(50_000)}\n`);
    expect(text.stderr).toBe('one warning\n');
  });

  test('is over although a program that it started lives on and holds its output', async () => {
    const { channel } = await observe('leaves-program-behind');
    expect(await channel.exited).toMatchObject({ code: 0, error: undefined });
  });

  test('a line that is not of the protocol becomes a warning', async () => {
    const { channel, events } = await observe('unknown-line');
    await channel.exited;
    expect(events[0]).toMatchObject({ type: 'log', level: 'warn' });
    expect(events[0]).toHaveProperty('message', expect.stringContaining('no-such-event'));
  });
});

describe('a process that ends before its run', () => {
  test('by process.exit: every event sent before it arrives, and the error names the call', async () => {
    const { channel, events } = await observe('exit-after-events');
    const { error } = await channel.exited;
    expect(events).toHaveLength(2000);
    expect(events[1999]).toMatchObject({ message: `1999 ${'é'.repeat(500)}` });
    expect(error).toMatchObject({
      code: 'run/process-died',
      hint: expect.stringContaining('process.exit') as string,
    });
  });

  test('by process.exit with a code: the error names the call', async () => {
    const { channel } = await observe('exits-in-silence');
    const { code, error } = await channel.exited;
    expect(code).toBe(3);
    expect(error?.hint).toContain('process.exit');
  });

  test('by an error: the exit code and what it wrote last', async () => {
    const { channel } = await observe('throws');
    const { code, error } = await channel.exited;
    expect(code).toBe(1);
    expect(error?.code).toBe('run/process-died');
    expect(error?.message).toContain('exit code 1');
    expect(error?.message).toContain('TypeError: thrown in a timer');
    expect(error?.hint).not.toContain('process.exit');
  });

  test('killed: the signal', async () => {
    const { channel, firstLog } = await observe('waits-for-cancel');
    await firstLog;
    channel.killNow();
    const { signal, error } = await channel.exited;
    expect(signal).toBe('SIGKILL');
    expect(error?.message).toContain('signal SIGKILL');
  });
});

test('cancel reaches the run, which ends in its own way', async () => {
  const { channel, events, firstLog } = await observe('waits-for-cancel');
  await firstLog;
  channel.cancel();
  expect(await channel.exited).toMatchObject({ code: 0, error: undefined });
  expect(events.at(-1)).toMatchObject({ type: 'run-ended', status: 'cancelled' });
});

test('terminate ends a process with the signal, before the grace is over', async () => {
  const { channel, firstLog } = await observe('waits-for-cancel');
  await firstLog;
  await channel.terminate(60_000);
  expect((await channel.exited).signal).toBe('SIGTERM');
});

test('a run that cannot be started rejects with a code and the program', async () => {
  const launch = { ...launchOf('ends'), runtime: { executable: '/no/such/node', env: {} } };
  await expect(startBackbone(launch)).rejects.toMatchObject({
    code: 'run/cannot-start',
    message: expect.stringContaining('/no/such/node') as string,
  });
});

test('cancelling or killing a run that is over does nothing', async () => {
  const { channel } = await observe('ends');
  await channel.exited;
  channel.cancel();
  channel.killNow();
  await channel.terminate();
});

describe('under the inspector', () => {
  test('the address is known, the process waits, and messages of the inspector are not output of the user', async () => {
    const { channel, text } = await observe('ends', { inspect: true });
    const socket = await inspectorSocket(await channel.inspectorUrl);
    socket.addEventListener('message', ({ data }) => {
      if (String(data).includes('executionContextDestroyed')) socket.close();
    });
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.enable' }));
    channel.debuggerAttached();
    expect(await channel.exited).toMatchObject({ code: 0, error: undefined });
    expect(text.stderr).toBe('one warning\n');
  });

  test('the inspector does not publish its address', async () => {
    const { channel } = await observe('ends', { inspect: true });
    const { host, pathname } = await channel.inspectorUrl;
    const list = await fetch(`http://${host}/json/list`).then(
      (response) => response.text(),
      () => '',
    );
    expect(list).not.toContain(pathname.slice(1));
    channel.debuggerAttached();
    await channel.exited;
  });

  test('the address is refused when the process ends before it listens', async () => {
    const { channel } = await observe('ends', { inspect: true, runtimeArgs: ['--no-such-option'] });
    await expect(channel.inspectorUrl).rejects.toMatchObject({ code: 'run/no-inspector' });
    expect((await channel.exited).error?.message).toContain('--no-such-option');
  });
});

test('what the chosen Node needs in its environment is there, whatever the caller says', async () => {
  const runtime = { executable: process.execPath, env: { SCENARIO: 'ends' } };
  const { channel } = await observe('waits-for-cancel', { runtime });
  expect((await channel.exited).error).toBeUndefined();
});
