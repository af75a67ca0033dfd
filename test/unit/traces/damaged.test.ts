/** Damaged files: what can be read is shown as it was, what cannot be is counted, and nothing fails without a code. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Random } from '../../../src/base/core/random.ts';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type { RunView } from '../../../src/traces/core/protocol/runRpc.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { generateTrace, runOf, smallTrace } from '../../tools/traces/generateTrace.ts';
import { fuzz } from '../fuzz.ts';
import { temporaryFolder } from './folder.ts';

const size = { ...smallTrace, episodes: 16, repeat: 4, calls: 6, tokens: 80, training: 1 };
const pageSize = 2_048;
const ended = { status: 'completed', error: null, endedAt: 1_790_000_009_000 } as const;

let whole: Buffer;
let wholeView: ReadonlyMap<number, string>;

/** A trace as a run leaves it, or as one that was killed does, with its journal. */
function made(
  seed: number,
  { isOver, folder = temporaryFolder() }: { readonly isOver: boolean; readonly folder?: string },
): string {
  const writer = openTraceWriter(path.join(folder, 'written.ajtrace'), runOf({ ...size, seed }), 'wal');
  generateTrace(writer, { ...size, seed });
  if (isOver) {
    writer.runEnded(ended);
    return writer.file;
  }
  const killed = path.join(folder, 'killed.ajtrace');
  for (const end of ['', '-wal']) copyFileSync(writer.file + end, killed + end);
  writer.runEnded(ended);
  return killed;
}

beforeAll(() => {
  const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-damaged-'));
  const file = made(1, { isOver: true, folder });
  whole = readFileSync(file);
  wholeView = look(file).episodes;
  rmSync(folder, { recursive: true });
});

interface Look {
  /** Undefined: it did not open. */
  readonly run: RunView | undefined;
  /** What episodes consist of, as JSON, those of which all can be read. */
  readonly episodes: ReadonlyMap<number, string>;
  readonly listed: readonly number[];
  readonly codes: ReadonlySet<string>;
}

/** Asks for everything. Whatever fails must fail with a code. */
function look(file: string): Look {
  const codes = new Set<string>();
  const attempt = <T>(ask: () => T): T | undefined => {
    try {
      return ask();
    } catch (error) {
      expect(error).toMatchObject({ name: 'CodedError', code: expect.stringMatching(/^trace\//) as string });
      codes.add((error as { code: string }).code);
      return undefined;
    }
  };
  const reader = attempt(() => openTraceReader(file));
  if (reader === undefined) return { run: undefined, episodes: new Map(), listed: [], codes };
  try {
    attempt(() => reader.changeCount());
    const rows = attempt(() => reader.read((views) => views.episodes(0, 100)))?.rows ?? [];
    const listed = rows.map(({ episode }) => episode);
    const found = listed.flatMap((episode) => {
      const all = attempt(() => partsOf(reader, episode));
      return all === undefined ? [] : [[episode, all] as const];
    });
    attempt(() => reader.read((views) => views.summary()));
    const lists = [
      attempt(
        () =>
          reader.read((views) => views.episodes(0, 100, { sort: { by: 'reward', descending: true } })).total,
      ),
      attempt(() =>
        reader.read((views) => views.groups(0, 100)).rows.reduce((sum, { started }) => sum + started, 0),
      ),
    ];
    // However much of the episodes themselves could not be read.
    if (rows.length > 0) expect(lists).toEqual([rows.length, rows.length]);
    attempt(() => reader.read((views) => views.histograms()));
    attempt(() => reader.read((views) => views.names()));
    return {
      run: attempt(() => reader.read((views) => views.run())),
      episodes: new Map(found),
      listed,
      codes,
    };
  } finally {
    reader.close();
  }
}

/** Without what depends on the other episodes of its group. */
function partsOf(reader: TraceReader, episode: number): string {
  const { row, calls, timelines } = reader.read((views) => views.episode(episode));
  const parts = [
    row,
    calls.map(({ call }) => reader.read((views) => views.call(episode, call))),
    timelines.map(({ timeline }) => reader.read((views) => views.timeline(episode, timeline))),
    timelines.map(({ timeline }) => reader.read((views) => views.tokens.window(episode, timeline, 0, 8_192))),
  ];
  const ofGroup = ['advantage', 'trains', 'findings'];
  return JSON.stringify(parts, (key, value: unknown) => (ofGroup.includes(key) ? undefined : value));
}

function fileOf(bytes: Buffer): string {
  const file = path.join(temporaryFolder(), 'damaged.ajtrace');
  writeFileSync(file, bytes);
  return file;
}

/** How many episodes are as they were. */
function soundIn({ episodes }: Look): number {
  return [...episodes].filter(([episode, parts]) => wholeView.get(episode) === parts).length;
}

function expectTold({ run, episodes, listed }: Look): void {
  if (run === undefined) return;
  const { damage } = run;
  const bad = listed.filter((episode) => wholeView.get(episode) !== episodes.get(episode));
  if (bad.length === 0 && listed.length === size.episodes) return;
  expect(damage).toBeDefined();
  expect(listed.length + (damage?.lost ?? 0)).toBeGreaterThanOrEqual(
    damage?.run === true ? 1 : size.episodes,
  );
  // Cut off, it has nothing that is not as it was: what is not whole is told, or cannot be asked for.
  for (const episode of bad) {
    if (episodes.has(episode)) expect(damage?.episodes).toContain(episode);
  }
}

/** Where a file is damaged, seeded. */
function places(seed: number, full: number): readonly number[] {
  const { numRuns } = fuzz(seed, full);
  const random = new Random(`damage ${seed}`);
  return Array.from({ length: numRuns }, () => random.next());
}

describe('a file that is cut off', () => {
  test.each(['at a page', 'anywhere'])('%s shows the episodes that are left', (where) => {
    let opened = 0;
    const cuts = places(where === 'anywhere' ? 2 : 1, 100).filter((place) => place > 0.01);
    for (const place of cuts) {
      const bytes = Math.floor(place * whole.length);
      const seen = look(fileOf(whole.subarray(0, where === 'anywhere' ? bytes : bytes - (bytes % pageSize))));
      expectTold(seen);
      expect([...seen.codes].filter((code) => !/damaged|not-a-trace|no-such|empty/.test(code))).toEqual([]);
      if (seen.run !== undefined) opened += 1;
      // They lie in the order in which they ran, and what leads to them as a rule not behind them.
      if (place > 0.6) expect(soundIn(seen)).toBeGreaterThan(size.episodes * (place - 0.3));
    }
    expect(opened / cuts.length).toBeGreaterThan(0.8);
  });

  test('of all but its first pages tells what it has none of', () => {
    const seen = look(fileOf(whole.subarray(0, 2 * pageSize)));
    expect(seen.run).toBeUndefined();
    expect([...seen.codes]).toEqual(['trace/damaged']);
  });
});

describe.each(['zeros', 'noise', 'another page'])('a page overwritten with %s', (what) => {
  test('takes no more with it than the episodes that lie in it', () => {
    const pages = whole.length / pageSize;
    const random = new Random(what);
    const sound: number[] = [];
    let opened = 0;
    const chosen = places(3, 120).map((place) => Math.floor(place * pages));
    for (const page of chosen) {
      const bytes = Buffer.from(whole);
      const from = random.below(pages) * pageSize;
      if (what === 'another page') whole.copy(bytes, page * pageSize, from, from + pageSize);
      else
        for (let at = 0; at < pageSize; at++)
          bytes[page * pageSize + at] = what === 'zeros' ? 0 : random.below(256);
      const seen = look(fileOf(bytes));
      if (seen.run !== undefined) opened += 1;
      sound.push(soundIn(seen));
    }
    expect(opened / chosen.length).toBeGreaterThan(0.9);
    expect(sound.reduce((sum, one) => sum + one, 0) / sound.length).toBeGreaterThan(size.episodes / 2);
  });
});

test('bytes changed anywhere never fail but with a code', () => {
  const random = new Random('bytes');
  for (const place of places(4, 120)) {
    const bytes = Buffer.from(whole);
    for (let times = 0; times < 20; times++) {
      bytes[Math.floor(((place + random.next() / 50) % 1) * bytes.length)] = random.below(256);
    }
    look(fileOf(bytes));
  }
});

describe('beside a run that was killed', () => {
  test('a journal that is cut off costs what lay behind', () => {
    const file = made(1, { isOver: false });
    const journal = readFileSync(`${file}-wal`);
    const counts = [1, 0.7, 0.4, 0.1].map((share) => {
      writeFileSync(`${file}-wal`, journal.subarray(0, Math.floor(journal.length * share)));
      const { run, listed, episodes } = look(file);
      expect(run?.damage).toBeUndefined();
      expect(episodes.size).toBe(listed.length);
      return listed.length;
    });
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(counts[0]).toBe(size.episodes);
    expect(counts[2]).toBeGreaterThan(0);
  });

  test('a journal that is missing, or of another run, never fails but with a code, and stays as it is', () => {
    const file = made(1, { isOver: false });
    const other = made(2, { isOver: false });
    rmSync(`${file}-wal`);
    look(file);
    for (const rest of [readFileSync(`${other}-wal`), Buffer.alloc(4_096, 1), Buffer.alloc(0)]) {
      writeFileSync(`${file}-wal`, rest);
      look(file);
    }
    writeFileSync(`${file}-journal`, Buffer.alloc(600, 7));
    look(file);
  });
});

test('texts of tokens that are lost are told of', () => {
  const file = fileOf(whole);
  const database = new DatabaseSync(file);
  const [root] = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'tokens'").all();
  database.close();
  const at = (Number(root?.['rootpage']) - 1) * pageSize;
  writeFileSync(file, Buffer.from(whole).fill(0, at, at + pageSize));
  const reader = openTraceReader(file);
  onTestFinished(() => reader.close());
  expect(reader.read((views) => views.tokens.window(1, 0, 0, 10)).ids).toHaveLength(10);
  expect(reader.read((views) => views.run()).damage).toMatchObject({ tokens: true, lost: 0, incomplete: 0 });
});

test('scores and samples are not made of a part', () => {
  const reader = openTraceReader(fileOf(whole.subarray(0, Math.floor(whole.length / 2))));
  onTestFinished(() => reader.close());
  expect(reader.read((views) => views.run()).damage?.incomplete).toBeGreaterThan(0);
  for (const ask of [
    () => reader.read((views) => views.recorded()),
    () => reader.read((views) => views.batch()),
  ]) {
    expect(ask).toThrow(expect.objectContaining({ code: 'trace/damaged' }));
  }
});

test('a result that cannot be read is missed, and the others are shown', () => {
  const file = fileOf(whole);
  const database = new DatabaseSync(file);
  database.exec(
    "UPDATE results SET result = '{' WHERE sequence = (SELECT sequence FROM episodes WHERE episode = 5)",
  );
  database.close();
  const { run, listed } = look(file);
  expect(run?.damage).toEqual({ run: false, tokens: false, lost: 0, incomplete: 1, episodes: [5] });
  expect(listed).toHaveLength(size.episodes);
  expect(run?.totals.ended).toBe(size.episodes);
});

test('what is told of the run may be lost, and its groups are still known', () => {
  const file = fileOf(whole);
  const before = openTraceReader(file);
  const { rows } = before.read((views) => views.episodes(0, 100));
  before.close();
  const database = new DatabaseSync(file);
  database.exec("UPDATE meta SET value = '?' WHERE key = 'run'");
  database.close();
  const reader = openTraceReader(file);
  onTestFinished(() => reader.close());
  expect(reader.read((views) => views.run())).toMatchObject({
    repeat: 4,
    tasks: 4,
    damage: { run: true, lost: 0, incomplete: 0 },
  });
  expect(reader.read((views) => views.episodes(0, 100)).rows).toEqual(rows);
});

test('a file that is mended is read whole again', () => {
  const file = fileOf(whole);
  truncateSync(file, Math.floor(whole.length / 2));
  const reader = openTraceReader(file);
  onTestFinished(() => reader.close());
  expect(reader.read((views) => views.run()).damage).toBeDefined();
  const count = reader.changeCount();
  writeFileSync(file, whole);
  expect(reader.changeCount()).not.toBe(count);
  expect(reader.read((views) => views.run()).damage).toBeUndefined();
});

test('a pipe is no trace, and nobody waits for it', () => {
  const pipe = path.join(temporaryFolder(), 'pipe.ajtrace');
  execFileSync('mkfifo', [pipe]);
  expect(existsSync(pipe)).toBe(true);
  expect([...look(pipe).codes]).toEqual(['trace/cannot-read']);
});

test.each([
  [
    'a view',
    'DROP TABLE queries; CREATE VIEW queries AS WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT n AS episode, n AS query FROM a',
  ],
  ['a virtual table', 'DROP TABLE queries; CREATE VIRTUAL TABLE queries USING rtree(episode, low, high)'],
  ['a computed column', 'ALTER TABLE queries ADD COLUMN more TEXT AS (hex(zeroblob(1000000)))'],
])('a file with %s in place of a table is no trace', (_, change) => {
  const file = fileOf(whole);
  const database = new DatabaseSync(file);
  database.exec(change);
  database.close();
  expect([...look(file).codes]).toEqual(['trace/not-a-trace']);
});
