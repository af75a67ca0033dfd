/** Who can debug the Python code of a run: one client, which has the token. */
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { startWorker } from '../../../src/backbone/node/python/worker.ts';
import { systemClock } from '../../../src/base/node/clock.ts';
import type { DebuggerAddress } from '../../../src/backbone/core/protocol/run.ts';
import { pythonConfiguration } from '../../../src/debugging/node/childSession.ts';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { DapClient } from '../../unit/debugging/dapClient.ts';

let python: string;
beforeAll(async () => {
  python = await ensurePython();
}, 300_000);

let address: DebuggerAddress;
beforeEach(async () => {
  const worker = await startWorker({
    executable: python,
    folder: path.join(inject('dist'), 'python'),
    clock: systemClock,
    cwd: import.meta.dirname,
    begin: { path: [import.meta.dirname], package: 'bundled', plugins: [], debug: true, debugpy: [] },
    answer: () => undefined,
    onUncaught: () => undefined,
    onMissing: () => undefined,
    onDebugger: (debuggerAddress) => (address = debuggerAddress),
  });
  onTestFinished(async () => {
    worker.kill();
    await worker.ended;
  });
});

async function open(): Promise<DapClient> {
  const socket = connect(address.port, '127.0.0.1');
  await once(socket, 'connect');
  onTestFinished(() => void socket.destroy());
  const client = new DapClient();
  client.toAdapter.pipe(socket);
  socket.pipe(client.fromAdapter);
  socket.on('error', () => undefined);
  await client.request('initialize', { adapterID: 'debugpy' });
  return client;
}

const configuration = (changes: object = {}): object => ({
  ...pythonConfiguration({ ...address, config: 'small.yaml', ownFolder: inject('dist'), overrides: {} }),
  ...changes,
});

async function attach(client: DapClient): Promise<void> {
  const answered = client.request('attach', configuration());
  await client.event('initialized');
  await client.request('configurationDone');
  expect(await answered).toMatchObject({ success: true });
}

const evaluate = { expression: '6 * 7', context: 'repl' };

describe('the debugger of Python code', () => {
  it('serves a client with the token', async () => {
    const client = await open();
    await attach(client);
    expect(await client.request('evaluate', evaluate)).toMatchObject({ body: { result: '42' } });
  });

  it.each([
    ['attach', { __agentjetDebugpyToken: undefined }],
    ['attach', { __agentjetDebugpyToken: '0' }],
    ['launch', { program: 'other.py' }],
  ])('refuses %s with %j, and serves its own client afterwards', async (command, changes) => {
    const stranger = await open();
    expect(await stranger.request(command, configuration(changes))).toMatchObject({ success: false });
    expect(await stranger.request('evaluate', evaluate)).toMatchObject({ success: false });
    await attach(await open());
    expect(await stranger.request('evaluate', evaluate)).toMatchObject({ success: false });
  });

  it('serves nobody else, also after its client has detached', async () => {
    const early = await open();
    const client = await open();
    await attach(client);
    await expect(open()).rejects.toThrow('ECONNREFUSED');
    await client.request('disconnect');
    expect(await early.request('attach', configuration())).toMatchObject({ success: false });
    await expect(open()).rejects.toThrow('ECONNREFUSED');
  });
});
