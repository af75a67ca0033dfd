import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../../../src/base/core/cancellation.ts';
import { Random } from '../../../../../src/base/core/random.ts';
import { leaseTime } from '../../../../../src/training/node/host/sync/snapshotLeases.ts';
import { openHostSync, type OpenHostSync } from '../../../../../src/training/node/host/sync/hostSync.ts';
import type { SnapshotEntry } from '../../../../../src/training/core/protocol/hostRpc.ts';
import { manifestText, packHeader } from '../../../../../src/training/core/sync/manifest.ts';
import { FakeClock } from '../../../fakeClock.ts';

let folder = '';
let clock: FakeClock;
let host: OpenHostSync;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-collect-'));
  clock = new FakeClock();
  host = await opened();
});
afterEach(async () => {
  await host.flushed();
  await rm(folder, { recursive: true, force: true });
});

/** As a process that was started anew. */
function opened(): Promise<OpenHostSync> {
  return openHostSync({ dataFolder: path.join(folder, 'data'), clock });
}

const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const folderAccess = (text: string): string =>
  path.join(folder, 'data/contents', sumOf(text).slice(0, 2), sumOf(text).slice(2));
const manifestPlace = (snapshot: string): string => path.join(folder, 'data/snapshots', `${snapshot}.json`);

async function put(text: string): Promise<void> {
  const sink = await host.put(sumOf(text), text.length);
  await sink.write(Buffer.from(text), 0);
  await sink.end();
}

async function pack(texts: readonly string[]): Promise<void> {
  const bytes = Buffer.concat(
    texts.flatMap((text) => [packHeader(sumOf(text), text.length), Buffer.from(text)]),
  );
  const sink = await host.pack(bytes.length);
  await sink.write(bytes, 0);
  await sink.end();
}

function manifestOf(texts: readonly string[]): { snapshot: string; entries: SnapshotEntry[] } {
  const entries = [...texts].sort().map((text) => ({ path: text, sha256: sumOf(text), bytes: text.length }));
  return { snapshot: sumOf(manifestText(entries)), entries };
}

async function keep(...texts: readonly string[]): Promise<string> {
  const { snapshot, entries } = manifestOf(texts);
  expect(await host.manifest('test', { snapshot, from: 0, entries, done: true })).toBe(true);
  return snapshot;
}

const collect = (...needed: readonly string[]): Promise<void> =>
  host.collect(new Set(needed), neverCancelled);
/** Those of the texts that are there. */
const there = (...texts: readonly string[]): string[] =>
  texts.filter((text) => existsSync(folderAccess(text)));

async function filesBelow(inside: string): Promise<string[]> {
  const entries = await readdir(path.join(folder, 'data', inside), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.name !== 'unflushed').map(({ name }) => name);
}

describe('what no run has any more', () => {
  test('goes, and what another run has as well stays', async () => {
    for (const text of ['own', 'shared', 'other']) await put(text);
    const removed = await keep('own', 'shared');
    const needed = await keep('other', 'shared');
    clock.advance(leaseTime + 1);
    expect(host.bytes).toBeNull();
    await collect(needed);
    expect(there('own', 'shared', 'other')).toEqual(['shared', 'other']);
    expect(await host.has(removed)).toBe(false);
    expect(await host.lacks([sumOf('own'), sumOf('shared')])).toEqual([sumOf('own')]);
    expect(host.bytes).toBe('other'.length + 'shared'.length);
    await put('own');
    expect(host.bytes).toBe('other'.length + 'shared'.length + 'own'.length);
    expect(await keep('own', 'shared')).toBe(removed);
    expect(await host.has(removed)).toBe(true);
  });

  test('stays for a while after a client was told that it is there', async () => {
    await pack(['told', 'untold', 'kept', 'asked for']);
    const kept = await keep('kept');
    clock.advance(leaseTime - 1);
    await collect();
    expect(there('told', 'untold', 'kept')).toEqual(['told', 'untold', 'kept']);
    expect(await host.lacks([sumOf('told')])).toEqual([]);
    expect(await host.has(kept)).toBe(true);
    clock.advance(leaseTime);
    await collect();
    expect(there('told', 'untold', 'kept')).toEqual(['told', 'kept']);
    expect(await keep('told')).toBe(manifestOf(['told']).snapshot);
    clock.advance(leaseTime);
    await collect();
    expect(there('told', 'untold', 'kept')).toEqual(['told']);
  });

  test('stays for that while also where the process has ended meanwhile', async () => {
    await put('told');
    clock.advance(2 * leaseTime);
    expect(await host.lacks([sumOf('told')])).toEqual([]);
    clock.advance(leaseTime / 2);
    host = await opened();
    await collect();
    expect(there('told')).toEqual(['told']);
    clock.advance(leaseTime);
    host = await opened();
    await collect();
    expect(there('told')).toEqual([]);
  });

  test('goes piece by piece: ended in between, all that is there is whole', async () => {
    const texts = Array.from({ length: 40 }, (_, at) => `text ${at}`);
    await pack(texts);
    const removed = await keep(...texts);
    const needed = await keep('text 7');
    clock.advance(leaseTime + 1);
    const stop = new CancellationSource();
    const collecting = host.collect(new Set([needed]), stop.token);
    while (there(...texts).length === texts.length) await new Promise(setImmediate);
    stop.cancel();
    await collecting;
    expect(there(...texts).length).toBeGreaterThan(1);
    host = await opened();
    expect(await host.has(removed)).toBe(false);
    expect(await host.has(needed)).toBe(true);
    clock.advance(leaseTime + 60_001);
    await collect(needed);
    expect(there(...texts)).toEqual(['text 7']);
    expect(await filesBelow('snapshots')).toEqual([`${needed}.json`]);
  });
});

test('while contents go, each client is told rightly what is there', async () => {
  const texts = Array.from({ length: 300 }, (_, at) => `text ${at}`);
  // As they go.
  texts.sort((a, b) => (sumOf(a) < sumOf(b) ? -1 : 1));
  await pack(texts);
  for (let round = 0; round < 5; round++) {
    clock.advance(leaseTime + 1);
    const lacked: string[] = [];
    const client = async (from: number): Promise<void> => {
      for (const text of texts.slice(from)) {
        if ((await host.lacks([sumOf(text)])).length === 0) continue;
        lacked.push(text);
        await put(text);
      }
    };
    const first = host.collect(new Set(), neverCancelled);
    while (existsSync(folderAccess(texts[20] ?? ''))) await new Promise(setImmediate);
    await Promise.all([first, client(0), client(10), client(20)]);
    expect(lacked.length).toBeGreaterThan(20);
    expect(there(...texts)).toEqual(texts);
    const bytes = texts.reduce((sum, text) => sum + text.length, 0);
    await collect();
    expect(host.bytes).toBe(bytes);
  }
});

test('what comes again while it would go is there afterwards, whole', async () => {
  const texts = Array.from({ length: 200 }, (_, at) => `text ${at}`);
  await pack(texts);
  for (const text of texts) await keep(text);
  for (let round = 0; round < 5; round++) {
    clock.advance(leaseTime + 1);
    // Of the contents none is on its way out before all have been claimed again.
    const lacked = await host.lacks(texts.map(sumOf));
    expect(lacked).toEqual([]);
    const [kept] = await Promise.all([Promise.all(texts.map((text) => keep(text))), collect()]);
    const gone = kept.filter((snapshot) => !existsSync(manifestPlace(snapshot)));
    expect(gone).toEqual([]);
  }
});

/** Clients, runs and a host that is started anew, in any order; what they may rely on is looked at all the time. */
class World {
  readonly #random: Random;
  readonly #texts = Array.from({ length: 30 }, (_, at) => `content ${at}`.repeat(1 + (at % 4)));
  /** Snapshots by run. */
  readonly runs = new Map<number, readonly string[]>();
  /** When each sync that goes on was begun. */
  readonly #syncs = new Set<{ readonly since: number }>();
  #made = 0;
  started = 0;
  /** Contents that were sent although they had been there before. */
  again = 0;
  readonly #sent = new Set<string>();

  constructor(seed: string) {
    this.#random = new Random(seed);
  }

  get snapshots(): string[] {
    return Array.from(this.runs.values(), (texts) => manifestOf(texts).snapshot);
  }

  /** One client; between two steps anything may happen. */
  async *client(): AsyncGenerator<void, void> {
    for (;;) {
      if (this.#random.chance(0.3)) await this.#fork();
      else {
        const sync = { since: clock.now() };
        this.#syncs.add(sync);
        yield* this.#sync();
        this.#syncs.delete(sync);
      }
      yield;
      const run = this.#anyRun();
      if (run !== undefined && this.#random.chance(0.7)) this.runs.delete(run);
    }
  }

  async *#sync(): AsyncGenerator<void, void> {
    const texts = this.#texts.filter(() => this.#random.chance(0.15));
    const lacking = new Set(await host.lacks(texts.map(sumOf)));
    yield;
    for (const text of texts.filter((one) => lacking.has(sumOf(one)))) {
      if (this.#random.chance(0.1)) return; // it is given up
      await (this.#random.chance(0.5) ? put(text) : pack([text]));
      if (this.#sent.has(text)) this.again++;
      this.#sent.add(text);
      yield;
    }
    const snapshot = await keep(...texts);
    yield;
    if (this.#random.chance(0.2)) return;
    await this.#start(snapshot, texts);
  }

  /** As the host does it: nothing else tells what the run needs before it is known. */
  async #start(snapshot: string, texts: readonly string[]): Promise<void> {
    expect(await host.has(snapshot)).toBe(true);
    for (let left = this.#random.below(5); left > 0; left--) await new Promise(setImmediate);
    this.runs.set(this.#made++, texts);
    this.started++;
  }

  async #fork(): Promise<void> {
    const run = this.#anyRun();
    const texts = run === undefined ? undefined : this.runs.get(run);
    if (run === undefined || texts === undefined) return;
    const { snapshot } = manifestOf(texts);
    const has = await host.has(snapshot);
    if (this.runs.has(run)) expect(has).toBe(true);
    if (has) await this.#start(snapshot, texts);
  }

  #anyRun(): number | undefined {
    const runs = [...this.runs.keys()];
    return runs.length === 0 ? undefined : this.#random.pick(runs);
  }

  /** Some clients take a step at once, while the host collects; the process may end afterwards. */
  async round(clients: readonly AsyncGenerator<void, void>[]): Promise<void> {
    const stop = new CancellationSource();
    const steps = clients.filter(() => this.#random.chance(0.5)).map((client) => client.next());
    const collecting = this.#random.chance(0.4)
      ? host.collect(new Set(this.snapshots), stop.token)
      : undefined;
    for (let left = this.#random.below(40); left > 0; left--) await new Promise(setImmediate);
    if (this.#random.chance(0.3)) stop.cancel();
    await Promise.all([...steps, collecting]);
    if (this.#random.chance(0.15)) {
      await host.flushed();
      host = await opened();
    }
    const oldest = Math.min(clock.now(), ...Array.from(this.#syncs, ({ since }) => since));
    clock.advance(this.#random.below(leaseTime - (clock.now() - oldest)));
  }

  /** Of every run all is there, to be put in place again. */
  async check(): Promise<void> {
    for (const texts of this.runs.values()) {
      expect(existsSync(manifestPlace(manifestOf(texts).snapshot))).toBe(true);
      expect(there(...texts)).toEqual(texts);
    }
    const run = this.#anyRun();
    const texts = run === undefined ? undefined : this.runs.get(run);
    if (texts === undefined) return;
    const work = path.join(folder, `work ${this.#made++}`);
    await host.materialize(manifestOf(texts).snapshot, work, neverCancelled);
    for (const text of texts) expect(await readFile(path.join(work, text), 'utf8')).toBe(text);
    await rm(work, { recursive: true });
  }
}

const share = process.env['AGENTJET_DEEP'] === '1' ? 10 : 1;

test.each(Array.from({ length: 4 * share }, (_, at) => `collect ${at}`))(
  'whatever is synced, started, removed and collected at once, nothing needed is lost and nothing else stays: %s',
  async (seed) => {
    const world = new World(seed);
    const clients = Array.from({ length: 4 }, () => world.client());
    for (let round = 0; round < 300; round++) {
      await world.round(clients);
      await world.check();
    }
    // Something had gone, or there was nothing to lose.
    expect(world.again).toBeGreaterThan(10);
    expect(world.started).toBeGreaterThan(10);
    clock.advance(2 * leaseTime);
    await collect(...world.snapshots);
    const needed = new Set([...world.runs.values()].flat());
    const names = Array.from(needed, (text) => sumOf(text).slice(2));
    expect((await filesBelow('contents')).sort()).toEqual(names.sort());
    const manifests = new Set(world.snapshots.map((snapshot) => `${snapshot}.json`));
    expect((await filesBelow('snapshots')).sort()).toEqual([...manifests].sort());
    expect(host.bytes).toBe([...needed].reduce((sum, text) => sum + text.length, 0));
  },
);
