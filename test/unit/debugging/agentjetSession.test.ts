import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/base/core/ports.ts';
import { systemClock } from '../../../src/base/node/clock.ts';
import { FakeClock } from '../fakeClock.ts';
import type { DapMessage } from './dapClient.ts';
import { fixtures, ScriptedLauncher } from './scriptedLauncher.ts';
import {
  attachTo,
  connect,
  endSessions,
  expectGolden,
  initialize,
  isChildRequest,
  launching,
  start,
} from './sessions.ts';

endSessions();

const isLaunched = (message: DapMessage): boolean =>
  message.type === 'response' && message.command === 'launch';
const isThread = (message: DapMessage): boolean => message.event === 'thread';

/** Gives a run all the time that it wants to end by itself. */
const patient: Clock = {
  ...systemClock,
  after: (milliseconds, run) => systemClock.after(Math.max(milliseconds, 60_000), run),
};

/** Once it is gone, the signal that ended the one process of a launcher. */
async function howEnded({ processes }: ScriptedLauncher): Promise<string | null | undefined> {
  expect(processes).toHaveLength(1);
  return (await processes[0]?.exited)?.signal;
}

describe('a run without debugging', () => {
  it('goes from launch to end', async () => {
    const { client } = connect();
    await start(client, 'completes', { noDebug: true });
    await client.event('terminated');
    await client.request('disconnect');
    await expectGolden(client, 'run-completes');
  });

  it('tells more when asked to', async () => {
    const { client } = connect();
    await start(client, 'completes', { noDebug: true, verbose: true });
    await client.event('terminated');
    await expectGolden(client, 'run-completes-verbose');
  });

  it('reports a run that cannot start', async () => {
    const { client } = connect();
    await start(client, 'fails', { noDebug: true });
    await client.event('terminated');
    await expectGolden(client, 'run-fails');
  });

  it('reports a process that cannot be started', async () => {
    const { client } = connect();
    await start(client, 'completes', { noDebug: true, runtimeExecutable: '/no/such/node' });
    await client.until(isLaunched);
    await expectGolden(client, 'process-cannot-start');
  });

  it('reports a process that dies', async () => {
    const { client } = connect();
    await start(client, 'dies', { noDebug: true });
    await client.event('terminated');
    await expectGolden(client, 'process-dies');
  });

  it('loses nothing of a flood, and passes over what is not of the protocol', async () => {
    const { client } = connect();
    await start(client, 'floods', { noDebug: true });
    await client.event('terminated');
    await expectGolden(client, 'process-floods');
  });

  it('names the episodes that run as threads', async () => {
    const { client } = connect();
    await start(client, 'waits', { noDebug: true });
    await client.until((message) => isThread(message) && message.body?.['threadId'] === 3);
    await client.request('threads');
    await client.request('disconnect');
    await expectGolden(client, 'threads');
  });
});

describe('a run whose model is a person', () => {
  it('passes on what is asked, and what is answered by the editor or in the console', async () => {
    const { client } = connect();
    await start(client, 'asks', { noDebug: true });
    const first = await client.event('agentjet.modelAsks');
    const { title, conversation } = first.body ?? {};
    expect([title, conversation]).toEqual(['call 0 of sum, repeat 0, by solver', '### user\n\nHow many?']);
    const refused = await client.request('agentjet.modelAnswers', { id: 0 });
    expect(refused).toMatchObject({
      success: false,
      message: expect.stringContaining('[debug/bad-answer]') as string,
    });
    await client.request('agentjet.modelAnswers', { id: 0, text: 'five' });
    await client.until(({ event, body }) => event === 'agentjet.modelAsks' && body?.['id'] === 1);
    expect(await client.request('evaluate', { expression: 'six', context: 'repl' })).toMatchObject({
      success: true,
    });
    await client.event('terminated');
    const said = client.messages.map(({ body }) => String(body?.['output'])).join('');
    expect(said).toMatch(/0 is answered: five[^]*1 is answered: six/);
    client.golden();
  });
});

describe('a run with a trace', () => {
  it.each([
    ['completes', 'completed'],
    ['fails-late', 'failed'],
    ['dies', 'died'],
  ])('that %s tells where it is, and last that it is complete', async (scenario, status) => {
    const { client } = connect();
    await start(client, scenario, { noDebug: true, env: { SCENARIO: scenario, TRACED: '1' } });
    await client.event('terminated');
    const where = { trace: path.join(fixtures, 'scripted.ajtrace'), folder: fixtures };
    expect(await client.event('agentjet.runStarted')).toMatchObject({ body: where });
    expect(await client.event('agentjet.runEnded')).toMatchObject({ body: { ...where, status } });
    const events = client.messages.flatMap(({ event }) => event ?? []);
    expect(events.slice(-3)).toEqual(['agentjet.runEnded', 'exited', 'terminated']);
    client.golden();
  });

  it('that is stopped counts as cancelled, also when it had to be killed', async () => {
    const { client } = connect();
    await start(client, 'holds', { noDebug: true, env: { SCENARIO: 'holds', TRACED: '1' } });
    await client.until(isThread);
    await client.request('terminate');
    await client.event('terminated');
    expect(await client.event('agentjet.runEnded')).toMatchObject({ body: { status: 'cancelled' } });
    client.golden();
  });
});

describe('stopping', () => {
  it('lets a run report what there is', async () => {
    const { client } = connect({ clock: patient });
    await start(client, 'waits', { noDebug: true });
    await client.until((message) => isThread(message) && message.body?.['threadId'] === 3);
    await client.request('terminate');
    await client.event('terminated');
    await expectGolden(client, 'terminate');
  });

  it('waits until a training has saved a checkpoint', async () => {
    const clock = new FakeClock();
    const { client } = connect({ clock });
    const more = { noDebug: true, backbone: 'tinker', tinkerUrl: 'http://127.0.0.1:1' };
    await start(client, 'trains', more);
    await client.until((message) => message.body?.['message'] === 'step 2 of 4, rollout');
    await client.request('terminate');
    await client.until((message) => JSON.stringify(message).includes('Stop again to end it at once'));
    clock.advance(60_000);
    await client.request('agentjet.held', { held: true });
    await client.event('terminated');
    await expectGolden(client, 'terminate-training');
  });

  it('works from the progress as well', async () => {
    const { client } = connect({ clock: patient });
    await start(client, 'waits', { noDebug: true });
    await client.until((message) => isThread(message) && message.body?.['threadId'] === 3);
    await client.request('cancel', { progressId: 'agentjet-run' });
    await client.event('terminated');
    await expectGolden(client, 'cancel-progress');
  });

  it('ends a process that does not answer', async () => {
    const { client, launcher } = connect();
    await start(client, 'holds', { noDebug: true });
    await client.until(isThread);
    await client.request('terminate');
    await client.event('terminated');
    expect(await howEnded(launcher)).toBe('SIGKILL');
    await expectGolden(client, 'terminate-held');
  });

  it('is over with the answer to disconnect, while a debugger holds the process', async () => {
    const { client, launcher } = connect();
    await start(client, 'silent');
    const child = await client.until(isChildRequest);
    client.answer(child, true);
    await client.request('disconnect', { restart: true });
    const now = await Promise.race([launcher.processes[0]?.exited, Promise.resolve('still there')]);
    expect(now).toMatchObject({ signal: 'SIGKILL' });
    await expectGolden(client, 'disconnect-held');
  });

  it('works while the process is being started', async () => {
    const scripted = new ScriptedLauncher();
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const { client } = connect({
      launcher: { launch: (spec) => gate.then(() => scripted.launch(spec)) },
    });
    await start(client, 'holds');
    await client.request('terminate');
    open();
    await client.until(isLaunched);
    expect(await howEnded(scripted)).toBe('SIGKILL');
    await expectGolden(client, 'terminate-launching');
  });

  it('is over when the client goes away without a word', async () => {
    const { client, launcher } = connect();
    await start(client, 'holds', { noDebug: true });
    await client.until(isThread);
    client.golden();
    client.toAdapter.destroy();
    expect(await howEnded(launcher)).toBe('SIGKILL');
  });
});

describe('a run with debugging', () => {
  it('starts a child session, and the run once that has attached', async () => {
    const { client } = connect();
    await start(client, 'completes');
    const child = await client.until(isChildRequest);
    const { configuration } = child.arguments as { configuration: { websocketAddress: string } };
    client.answer(child, true);
    await attachTo(configuration.websocketAddress);
    await client.event('terminated');
    await expectGolden(client, 'debug-completes');
  });

  it('leaves the output to the child when told so', async () => {
    const { client } = connect();
    await start(client, 'completes', {
      jsDebug: { outputCapture: 'console', websocketAddress: 'ws://127.0.0.1:1/' },
    });
    const child = await client.until(isChildRequest);
    const { configuration } = child.arguments as { configuration: { websocketAddress: string } };
    client.answer(child, true);
    await attachTo(configuration.websocketAddress);
    await client.event('terminated');
    await expectGolden(client, 'debug-output-of-child');
  });

  it('ends when the child session cannot start', async () => {
    const { client, launcher } = connect();
    await start(client, 'completes');
    client.answer(await client.until(isChildRequest), false, 'no such debugger');
    await client.event('terminated');
    expect(await howEnded(launcher)).toBe('SIGKILL');
    await expectGolden(client, 'debug-child-fails');
  });

  it('starts the child by the means it was given', async () => {
    const addresses: string[] = [];
    const { client } = connect({
      startChild: async (child) => {
        addresses.push(String(child['websocketAddress']));
        await attachTo(String(child['websocketAddress']));
        await client.event('terminated'); // a run as short as this is over before an editor says so
        return true;
      },
    });
    await start(client, 'fails');
    await client.until(isLaunched);
    expect(addresses).toEqual([expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}$/)]);
    await expectGolden(client, 'debug-own-child');
  });

  it('says where to attach when the client cannot start sessions', async () => {
    const { client } = connect();
    await client.request('initialize', { pathFormat: 'path' });
    await client.request('launch', launching('completes'));
    await client.until((message) => JSON.stringify(message.body ?? '').includes('127.0.0.1'));
    await client.request('disconnect');
    await expectGolden(client, 'debug-attach-yourself');
  });
});

describe('requests', () => {
  it('are refused with what is wrong, when attributes are', async () => {
    const { client } = connect();
    await client.request('initialize', initialize);
    await client.request('launch', { type: 'agentjet', noDebug: true });
    await expectGolden(client, 'bad-attributes');
  });

  it('are each answered, whatever they are', async () => {
    const { client } = connect();
    await client.request('initialize', initialize);
    await client.request('setBreakpoints', {
      source: { path: '/a.ts' },
      breakpoints: [{ line: 3 }, { line: 9 }],
    });
    await client.request('setBreakpoints', { source: { path: '/b.py' } });
    await client.request('setExceptionBreakpoints', { filters: [] });
    await client.request('evaluate', { expression: '1 + 1' });
    await client.request('pause', { threadId: 1 });
    await client.request('stackTrace', { threadId: 1 });
    await client.request('threads');
    await client.request('cancel', { requestId: 1 });
    await client.request('restart');
    await client.request('toString');
    await client.request('noSuchRequest', { a: '{b}' });
    await client.request('terminate');
    await client.request('launch', launching('completes', { noDebug: true }));
    await client.request('disconnect');
    await expectGolden(client, 'every-request');
  });

  it('launch one run and no second', async () => {
    const { client } = connect();
    await start(client, 'waits', { noDebug: true });
    await client.request('launch', launching('waits', { noDebug: true }));
    await client.until((message) => isThread(message) && message.body?.['threadId'] === 3);
    await client.request('disconnect');
    await expectGolden(client, 'launch-twice');
  });
});
