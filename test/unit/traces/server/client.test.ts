import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { afterEach, describe, expect, it } from 'vitest';
import { traceServerSpawner } from '../../../../src/traces/node/client/serverProcess.ts';
import { StdioTraceClient } from '../../../../src/traces/node/client/traceClient.ts';
import { FakeClock } from '../../fakeClock.ts';

const program = path.join(import.meta.dirname, 'programs/scriptedServer.ts');
const trace = '/a.ajtrace';

const disposables: { dispose(): void }[] = [];
afterEach(() => {
  for (const disposable of disposables.splice(0)) disposable.dispose();
});

function bench() {
  const clock = new FakeClock();
  const started: ChildProcessWithoutNullStreams[] = [];
  const logged: string[] = [];
  const client = new StdioTraceClient({
    clock,
    logger: { log: (level, message) => logged.push(`${level}: ${message}`) },
    spawn: async (args) => {
      const child = spawn(process.execPath, [program, ...args]);
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8');
      await once(child, 'spawn');
      started.push(child);
      return child;
    },
  });
  disposables.push(client);
  const heard: string[] = [];
  const waiting: (() => void)[] = [];
  disposables.push(
    client.onChanged((changed) => {
      heard.push(changed);
      for (const resolve of waiting.splice(0)) resolve();
    }),
  );
  const changed = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  return { client, clock, started, logged, heard, changed };
}

describe('the client of a trace server', () => {
  it('starts the server with the first question and asks them all of it', async () => {
    const { client, started } = bench();
    expect(started).toHaveLength(0);
    const answers = await Promise.all([
      client.ask('run', { trace }),
      client.ask('episodes', { trace, from: 0, limit: 5 }),
    ]);
    expect(answers).toMatchObject([{ live: true }, { total: 0, rows: [] }]);
    expect(started).toHaveLength(1);
  });

  it('starts no server while the workspace is not trusted', async () => {
    let trusted = false;
    const spawnServer = traceServerSpawner({
      distFolder: '/none',
      ownExecutable: process.execPath,
      runtimeExecutable: () => undefined,
      isTrusted: () => trusted,
    });
    const client = new StdioTraceClient({
      clock: new FakeClock(),
      logger: { log: () => undefined },
      spawn: spawnServer,
    });
    disposables.push(client);
    await expect(client.ask('run', { trace })).rejects.toMatchObject({ code: 'trace/not-trusted' });
    trusted = true;
    await expect(client.ask('run', { trace })).rejects.toMatchObject({ code: 'trace/server-died' });
  });

  it('rejects with what the server reports', async () => {
    const { client } = bench();
    await expect(client.ask('run', { trace: '/other' })).rejects.toMatchObject({
      code: 'trace/internal',
      message: 'no /other',
    });
  });

  it('tells those who wait that the server died, and starts the next one with the next question', async () => {
    const { client, started, logged } = bench();
    await client.ask('run', { trace });
    const dying = client.ask('call', { trace, episode: 0, call: 0 });
    await expect(dying).rejects.toMatchObject({
      code: 'trace/server-died',
      message: 'The trace server ended before it answered: exit code 7.',
    });
    expect(await client.ask('run', { trace })).toMatchObject({ live: true });
    expect(started).toHaveLength(2);
    expect(logged).toContain('warn: The trace server ended: exit code 7.');
    expect(logged).toContain('warn: Trace server: started');
  });

  it('kills a server that does not answer for two minutes', async () => {
    const { client, clock, logged } = bench();
    const endless = client.ask('lines', { trace });
    await expect.poll(() => logged.join()).toContain('busy');
    const waiting = client.ask('run', { trace });
    clock.advance(119_999);
    clock.advance(1);
    const error = {
      code: 'trace/server-died',
      message: expect.stringContaining('SIGKILL, after 120 seconds') as string,
    };
    await expect(endless).rejects.toMatchObject(error);
    await expect(waiting).rejects.toMatchObject({ code: 'trace/server-died' });
    expect(await client.ask('run', { trace })).toMatchObject({ live: true });
    clock.advance(300_000);
    expect(await client.ask('run', { trace })).toMatchObject({ live: true });
  });

  it('kills a server that is busy when it is disposed', async () => {
    const { client, started, logged } = bench();
    const endless = client.ask('lines', { trace });
    await expect.poll(() => logged.join()).toContain('busy');
    client.dispose();
    await expect(endless).rejects.toMatchObject({ code: 'trace/server-died' });
    expect(started[0]?.signalCode).toBe('SIGKILL');
  });

  it('goes on watching with the next server', async () => {
    const { client, clock, started, changed } = bench();
    await client.ask('watch', { trace });
    clock.advance(60_000);
    const told = changed();
    started[0]?.kill('SIGKILL');
    await told;
    const toldByTheNext = changed();
    await client.ask('episode', { trace, episode: 0 });
    await toldByTheNext;
    expect(started).toHaveLength(2);
  });

  it('asks no server by itself that dies at once', async () => {
    const { client, started, heard } = bench();
    await client.ask('watch', { trace });
    await expect(client.ask('call', { trace, episode: 0, call: 0 })).rejects.toMatchObject({
      code: 'trace/server-died',
    });
    expect(heard).toEqual([]);
    expect(started).toHaveLength(1);
  });

  it('watches while any of its users does', async () => {
    const { client, heard, changed } = bench();
    await client.ask('watch', { trace });
    await client.ask('watch', { trace });
    await client.ask('unwatch', { trace });
    const told = changed();
    await client.ask('episode', { trace, episode: 0 });
    await told;
    await client.ask('unwatch', { trace });
    expect(heard).toEqual([trace]);
  });

  it('says that no server can be started, each time it is asked', async () => {
    const spawnFails = (): Promise<never> => Promise.reject(new Error('no Node'));
    const client = new StdioTraceClient({
      clock: new FakeClock(),
      logger: { log: () => undefined },
      spawn: spawnFails,
    });
    await expect(client.ask('run', { trace })).rejects.toThrow('no Node');
    await expect(client.ask('run', { trace })).rejects.toThrow('no Node');
    client.dispose();
  });

  it('ends its server when it is disposed, and answers no more', async () => {
    const { client, started } = bench();
    await client.ask('run', { trace });
    const [server] = started;
    const ended = server && once(server, 'exit');
    client.dispose();
    expect(await ended).toEqual([0, null]);
    await expect(client.ask('run', { trace })).rejects.toMatchObject({ code: 'trace/client-disposed' });
  });
});
