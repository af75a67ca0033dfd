import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { idsOf, textOf, tokensPerMessage } from '../programs/traceEpisodes.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-trace-test-'));
  onTestFinished(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

const program = (name: string): string => path.join(import.meta.dirname, '../programs', name);

/** A process that writes a trace, and what it has told to be written. */
class Writer {
  readonly file: string;
  readonly child: ChildProcessByStdio<null, Readable, null>;
  readonly closed: Promise<unknown>;
  #told: string[] = [];
  #rest = '';

  constructor(file: string, journal: 'wal' | 'delete', count: number) {
    this.file = file;
    const args = [program('writesTrace.ts'), file, journal, String(count)];
    this.child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    this.closed = once(this.child, 'close');
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  /** Episodes that it has told so far. */
  get written(): number {
    return this.#told.filter((line) => line !== 'ended').length;
  }

  async toldOf(count: number): Promise<void> {
    while (this.written < count) await once(this.child.stdout, 'data');
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    this.#told.push(...lines);
  }
}

function expectWhole(reader: TraceReader, episode: number): void {
  const view = reader.read((views) => views.episode(episode));
  expect(view.row).toMatchObject({ state: 'ended', reward: 1, calls: 1, timelines: 1 });
  const { messages } = reader.read((views) => views.timeline(episode, 0));
  expect(messages.map(({ text }) => text)).toEqual([textOf(episode, 0), textOf(episode, 1)]);
  const { ids, texts } = reader.read((views) => views.tokens.window(episode, 0, 0, 2 * tokensPerMessage));
  const expected = [...idsOf(episode, 0), ...idsOf(episode, 1)];
  expect(ids).toEqual(expected);
  expect(texts).toEqual(expected.map((id) => `<${id}>`));
}

async function immediates(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise(setImmediate);
}

/** Numbers that look like chance, the same in every run. */
function seeded(seed: number, below: number): number {
  return ((seed * 2_654_435_761) >>> 7) % below;
}

async function killedWriter(seed: number, journal: 'wal' | 'delete'): Promise<Writer> {
  const writer = new Writer(path.join(temporaryFolder(), 'long.ajtrace'), journal, 1_000_000);
  await writer.toldOf(1 + seeded(seed, 60));
  await immediates(seeded(seed + 1_000, 40));
  writer.child.kill('SIGKILL');
  await writer.closed;
  return writer;
}

describe.each([
  ['wal', 20],
  ['delete', 6],
] as const)('a writer killed at any moment, with journal %s', (journal, moments) => {
  test.each(Array.from({ length: moments }, (_, seed) => seed + 1))(
    'has left every episode it told of, whole (moment %i)',
    async (seed) => {
      const { file, written } = await killedWriter(seed, journal);
      const reader = openTraceReader(file);
      const { rows, total } = reader.read((views) => views.episodes(0, 500));
      expect(total).toBeGreaterThanOrEqual(written);
      expect(rows.filter(({ state }) => state === 'running')).toEqual([]);
      for (const { episode, state } of rows) if (state === 'ended') expectWhole(reader, episode);
      expect(rows.slice(0, written).every(({ state }) => state === 'ended')).toBe(true);
      expect(reader.read((views) => views.summary()).state).toBe('killed');
      reader.close();
      // A rollback journal may stay behind that has nothing to roll back.
      if (journal === 'wal') expect(readdirSync(path.dirname(file))).toEqual(['long.ajtrace']);
    },
  );
});

test('a reader sees each episode as soon as it is told, while the writer goes on, and its end', async () => {
  const writer = new Writer(path.join(temporaryFolder(), 'long.ajtrace'), 'wal', 400);
  await writer.toldOf(1);
  const reader = openTraceReader(writer.file);
  let [changes, ended] = [reader.changeCount(), reader.read((views) => views.run()).totals.ended];
  for (let seen = 0; seen < 400; seen = writer.written) {
    await writer.toldOf(seen + 1);
    const { written } = writer;
    const now = reader.read((views) => views.run()).totals.ended;
    expect(now).toBeGreaterThanOrEqual(written);
    if (now > ended) expect(reader.changeCount()).not.toBe(changes);
    expectWhole(reader, written - 1);
    [changes, ended] = [reader.changeCount(), reader.read((views) => views.run()).totals.ended];
  }
  await writer.closed;
  expect(reader.read((views) => views.summary())).toMatchObject({
    state: 'completed',
    totals: { ended: 400 },
  });
  reader.close();
  expect(readdirSync(path.dirname(writer.file))).toEqual(['long.ajtrace']);
});

test('a writer that is held, as at a breakpoint, is read and lives', async () => {
  const writer = new Writer(path.join(temporaryFolder(), 'long.ajtrace'), 'wal', 1_000_000);
  await writer.toldOf(5);
  writer.child.kill('SIGSTOP');
  const reader = openTraceReader(writer.file);
  expect(reader.read((views) => views.run())).toMatchObject({ live: true, end: null });
  for (const episode of [0, 1, 2, 3, 4]) expectWhole(reader, episode);
  writer.child.kill('SIGCONT');
  const { written } = writer;
  await writer.toldOf(written + 5);
  expect(reader.read((views) => views.run()).totals.ended).toBeGreaterThanOrEqual(written + 5);
  writer.child.kill('SIGKILL');
  await writer.closed;
  expect(reader.read((views) => views.run()).live).toBe(false);
  reader.close();
});

describe.runIf(process.platform !== 'win32')('in a folder that may not be written', () => {
  /** What a process sees that is not root, which may write anywhere. */
  async function seenBy(file: string): Promise<unknown> {
    const someone = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const child = spawn(process.execPath, [program('readsTrace.ts'), file], {
      ...someone,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const text = (await child.stdout.setEncoding('utf8').toArray()).join('');
    return JSON.parse(text);
  }

  function moved(from: string, companions: readonly string[]): string {
    const folder = temporaryFolder();
    const file = path.join(folder, 'long.ajtrace');
    for (const companion of ['', ...companions]) {
      copyFileSync(from + companion, file + companion);
      chmodSync(file + companion, 0o444);
    }
    chmodSync(folder, 0o555);
    return file;
  }

  async function killedAfter(count: number, journal: 'wal' | 'delete'): Promise<Writer> {
    const writer = new Writer(path.join(temporaryFolder(), 'long.ajtrace'), journal, 1_000_000);
    await writer.toldOf(count);
    writer.child.kill('SIGKILL');
    await writer.closed;
    return writer;
  }

  test('a finished trace is read', async () => {
    const writer = new Writer(path.join(temporaryFolder(), 'long.ajtrace'), 'wal', 3);
    await writer.closed;
    const seen = await seenBy(moved(writer.file, []));
    expect(seen).toEqual({ ended: 3, live: false, first: 'Query 0', state: 'completed' });
  });

  test.each([[['-wal', '-shm']], [['-wal']]])(
    'what a killed writer left there is read, with its %j',
    async (companions) => {
      const { file, written } = await killedAfter(5, 'wal');
      const file2 = moved(file, companions);
      const seen = (await seenBy(file2)) as { readonly ended: number };
      expect(seen).toMatchObject({ live: false, first: 'Query 0', state: 'killed' });
      expect(seen.ended).toBeGreaterThanOrEqual(written);
      expect(readdirSync(path.dirname(file2))).toHaveLength(1 + companions.length);
    },
  );

  test('a file that would want a WAL, but has none, is read', async () => {
    const writer = new Writer(path.join(temporaryFolder(), 'long.ajtrace'), 'wal', 3);
    await writer.closed;
    const database = new DatabaseSync(writer.file);
    database.exec('PRAGMA journal_mode = WAL');
    database.close();
    const seen = await seenBy(moved(writer.file, []));
    expect(seen).toEqual({ ended: 3, live: false, first: 'Query 0', state: 'completed' });
  });
});
