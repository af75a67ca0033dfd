/** The program itself, as its users start it, with traces that the real writer makes meanwhile. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/node/clock.ts';
import { serveViewer } from '../../../../src/traces/cli/logView.ts';
import { StdioTraceClient } from '../../../../src/traces/node/client/traceClient.ts';
import { openTraceWriter } from '../../../../src/traces/node/store/openWriter.ts';
import type { TraceWriter } from '../../../../src/tracking/core/records/trace.ts';
import {
  sampleCall,
  sampleEnd,
  sampleEpisode,
  sampleMessages,
  sampleRun,
  sampleTokens,
} from './sampleRun.ts';

const program = path.resolve(import.meta.dirname, '../../../../src/traces/node/server/main.ts');

let folder: string;
let file: string;
const started: ChildProcessWithoutNullStreams[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agentjet-server-'));
  file = path.join(folder, 'sample.ajtrace');
});

afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function spawnServer(args: readonly string[]): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args]);
  started.push(child);
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8');
  await once(child, 'spawn');
  return child;
}

function newClient(): StdioTraceClient {
  return new StdioTraceClient({
    spawn: spawnServer,
    clock: systemClock,
    logger: { log: () => undefined },
  });
}

function writeEpisode(writer: TraceWriter, episode: number): void {
  writer.episodeStarted(sampleEpisode(episode));
  writer.callEnded(sampleCall(episode), sampleMessages, episode === 0 ? sampleTokens : []);
  writer.episodeEnded(sampleEnd(episode), []);
}

function writeWholeRun(): void {
  const writer = openTraceWriter(file, sampleRun);
  writeEpisode(writer, 0);
  writeEpisode(writer, 1);
  writer.runEnded({ status: 'completed', error: null, endedAt: sampleRun.startedAt + 100 });
}

describe('over standard streams', () => {
  it('answers every method from a trace', async () => {
    writeWholeRun();
    const client = newClient();
    const trace = file;
    expect(await client.ask('run', { trace })).toMatchObject({
      experiment: 'sample',
      end: { status: 'completed' },
      totals: { started: 2, ended: 2, calls: 2, tokens: 12, trainableTokens: 6 },
    });
    expect(await client.ask('episodes', { trace, from: 1, limit: 5 })).toMatchObject({
      total: 2,
      rows: [{ taskId: 't1', reward: 1 }],
    });
    expect(await client.ask('episode', { trace, episode: 0 })).toMatchObject({
      calls: [{ agent: 'solver' }],
      timelines: [{ tokens: 6 }],
    });
    const call = await client.ask('call', { trace, episode: 0, call: 0 });
    expect(call.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(call.reply).toMatchObject({ text: 'w4 w5 w6' });
    expect(await client.ask('timeline', { trace, episode: 0, timeline: 0 })).toMatchObject({
      messages: [{ role: 'system' }, { role: 'user' }, { role: 'assistant' }],
    });
    expect(await client.ask('tokens', { trace, episode: 0, timeline: 0, from: 1, limit: 100 })).toMatchObject(
      {
        from: 1,
        total: 6,
        ids: [2, 3, 4, 5, 6],
        texts: ['w2 ', 'w3 ', 'w4 ', 'w5 ', 'w6 '],
        lossMask: [0, 0, 1, 1, 1],
        logprobs: [null, null, null, null, null],
      },
    );
    expect(await client.ask('summaries', { traces: [trace] })).toMatchObject([
      { trace, experiment: 'sample', state: 'completed' },
    ]);
    client.dispose();
  });

  it('says of a trace that grows that it has, and shows it', async () => {
    const writer = openTraceWriter(file, sampleRun);
    const client = newClient();
    const changes: string[] = [];
    let heard: () => void = () => undefined;
    client.onChanged((trace) => {
      changes.push(trace);
      heard();
    });
    await client.ask('watch', { trace: file });
    const change = new Promise<void>((resolve) => (heard = resolve));
    writeEpisode(writer, 0);
    await change;
    expect(new Set(changes)).toEqual(new Set([file]));
    expect(await client.ask('episodes', { trace: file, from: 0, limit: 5 })).toMatchObject({ total: 1 });
    writer.runEnded({ status: 'completed', error: null, endedAt: sampleRun.startedAt + 100 });
    client.dispose();
  });

  it('answers what is wrong with a file, and goes on', async () => {
    writeWholeRun();
    const broken = path.join(folder, 'broken.ajtrace');
    await writeFile(broken, 'this is no trace');
    const client = newClient();
    await expect(client.ask('run', { trace: broken })).rejects.toMatchObject({
      code: expect.stringMatching(/^trace\//) as string,
    });
    await expect(client.ask('run', { trace: path.join(folder, 'gone.ajtrace') })).rejects.toMatchObject({
      code: expect.stringMatching(/^trace\//) as string,
    });
    await expect(client.ask('episode', { trace: file, episode: 7 })).rejects.toMatchObject({
      code: expect.stringMatching(/^trace\//) as string,
    });
    expect(await client.ask('run', { trace: file })).toMatchObject({ experiment: 'sample' });
    expect(started).toHaveLength(1);
    client.dispose();
  });

  it('goes on with a trace whose file was moved away and came back', async () => {
    writeWholeRun();
    const client = newClient();
    await client.ask('run', { trace: file });
    const moved = path.join(folder, 'moved.ajtrace');
    await rename(file, moved);
    expect(await client.ask('run', { trace: moved })).toMatchObject({ experiment: 'sample' });
    client.dispose();
  });

  it('ends with who started it', async () => {
    const child = await spawnServer(['--stdio']);
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('ends with the process that started it, also while a query runs', async () => {
    writeWholeRun();
    const database = new DatabaseSync(file);
    // Without keys, the same episode and tool many times: joining them takes minutes.
    database.exec(`
      DROP TABLE usedTools;
      CREATE TABLE usedTools (episode INTEGER NOT NULL, tool TEXT NOT NULL) STRICT;
      CREATE TABLE more AS WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a LIMIT 100000) SELECT n FROM a;
      INSERT INTO usedTools SELECT 0, 'add' FROM more;
      ALTER TABLE episodes RENAME TO before;
      CREATE TABLE episodes AS SELECT before.* FROM before, more WHERE episode = 0;
    `);
    database.close();
    const [first, endless] = ['unwatch', 'lines'].map((method, id) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { trace: file } });
      return JSON.stringify(`Content-Length: ${body.length}\r\n\r\n${body}`);
    });
    const parent = spawn(process.execPath, [
      '-e',
      `const child = require('node:child_process').spawn(process.execPath, [
        '--disable-warning=ExperimentalWarning', ${JSON.stringify(program)}, '--stdio',
      ]);
      child.stdin.write(${first});
      child.stdout.once('data', () => child.stdin.write(${endless}, () => console.log(child.pid)));`,
    ]);
    const [answered] = (await once(parent.stdout, 'data')) as [Buffer];
    const server = Number(String(answered));
    const before = ticksOf(server);
    await expect.poll(() => ticksOf(server), { interval: 50 }).toBeGreaterThan(before + 30);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await expect.poll(() => isAlive(server), { interval: 100, timeout: 20_000 }).toBe(false);
  });
});

/** Returns the processor time of a process, in hundredths of a second. */
function ticksOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[13]);
}

function isAlive(pid: number): boolean {
  try {
    // A process that nobody has waited for is a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('over HTTP', () => {
  it('serves the one trace, and those to compare it with, until its input ends', async () => {
    writeWholeRun();
    const other = path.join(folder, 'other.ajtrace');
    copyFileSync(file, other);
    const viewer = await serveViewer(spawnServer, file, { others: [other] });
    const { origin, hash } = new URL(viewer.url);
    const token = new URLSearchParams(hash.slice(1)).get('token') ?? '';
    const ask = async (trace: string): Promise<unknown> => {
      const response = await fetch(`${origin}/rpc`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ id: 1, request: { method: 'run', trace } }),
      });
      return response.json();
    };
    for (const name of ['sample.ajtrace', 'other.ajtrace']) {
      expect(await ask(name)).toMatchObject({ result: { experiment: 'sample' } });
    }
    expect(await ask(file)).toMatchObject({ error: { code: 'trace/other-trace' } });
    viewer.dispose();
    await viewer.ended;
    await expect(ask('sample.ajtrace')).rejects.toThrow();
  });

  it('says which file is not there, and with what it was started wrongly', async () => {
    const gone = path.join(folder, 'gone.ajtrace');
    expect(existsSync(gone)).toBe(false);
    await expect(serveViewer(spawnServer, gone)).rejects.toMatchObject({ code: 'trace/no-such-file' });
    writeWholeRun();
    const others = { others: [gone] };
    await expect(serveViewer(spawnServer, file, others)).rejects.toMatchObject({
      code: 'trace/no-such-file',
    });
    const wrong = await spawnServer(['--http']);
    expect(await once(wrong, 'exit')).toEqual([2, null]);
  });
});
