import { beforeEach, describe, expect, it } from 'vitest';
import { Emitter } from '../../../../src/base/core/event.ts';
import type { ParamsOf, TraceMethod } from '../../../../src/traces/core/protocol/traceRpc.ts';
import type { TraceClient, ResultOf } from '../../../../src/traces/core/methods.ts';
import type { TraceSummary } from '../../../../src/traces/core/protocol/runRpc.ts';
import type { RunFile } from '../../../../src/traces/editor/runs/run.ts';
import { batchSize, RunCatalog, type RunFiles } from '../../../../src/traces/editor/runs/runCatalog.ts';
import { FakeClock } from '../../fakeClock.ts';
import { runFile, summaryOf } from './runsFixtures.ts';

/** A disk of traces. */
class FakeFiles implements RunFiles {
  readonly disk = new Map<string, RunFile>();
  failure: Error | undefined;

  put(trace: string, changes: Partial<RunFile> = {}): string {
    this.disk.set(trace, runFile(trace, changes));
    return trace;
  }

  list(): Promise<readonly RunFile[]> {
    return this.failure ? Promise.reject(this.failure) : Promise.resolve([...this.disk.values()]);
  }

  stat(trace: string): Promise<RunFile | undefined> {
    return Promise.resolve(this.disk.get(trace));
  }
}

/** A server that knows every trace, unless told otherwise. */
class FakeClient implements TraceClient {
  readonly asked: string[][] = [];
  readonly watched = new Set<string>();
  readonly known = new Map<string, Partial<TraceSummary>>();
  failure: Error | undefined;
  silent = false;
  readonly #changed = new Emitter<string>();
  readonly onChanged = this.#changed.event;

  ask<M extends TraceMethod>(method: M, parameters: ParamsOf<M>): Promise<ResultOf<M>> {
    return this.#answer(method, parameters) as Promise<ResultOf<M>>;
  }

  grow(trace: string, changes: Partial<TraceSummary>): void {
    this.known.set(trace, changes);
    if (this.watched.has(trace)) this.#changed.fire(trace);
  }

  async #answer(method: TraceMethod, parameters: object): Promise<unknown> {
    const { trace, traces } = parameters as { trace: string; traces: string[] };
    if (method === 'watch') this.watched.add(trace);
    if (method === 'unwatch') this.watched.delete(trace);
    if (method !== 'summaries') return null;
    this.asked.push(traces);
    if (this.silent) await new Promise(() => undefined);
    if (this.failure) throw this.failure;
    return traces.map((name) => summaryOf(name, this.known.get(name)));
  }
}

let files: FakeFiles;
let client: FakeClient;
let clock: FakeClock;
let catalog: RunCatalog;

beforeEach(() => {
  files = new FakeFiles();
  client = new FakeClient();
  clock = new FakeClock();
  catalog = new RunCatalog({ files, client, clock });
});

const shown = (): string[] =>
  catalog.state().runs.map(({ summary }) => `${summary.experiment} ${summary.state}`);

/** Lets everything that is not waiting for the clock happen. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function later(milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  await settled();
}

describe('the catalog of runs', () => {
  it('asks nothing before it is looked at', async () => {
    files.put('/w/a.ajtrace');
    await catalog.fileChanged('/w/a.ajtrace');
    await catalog.pathGone('/w');
    await catalog.foldersChanged();
    catalog.folderCame();
    catalog.setVisible(true);
    await later(60_000);
    expect(client.asked).toEqual([]);
    expect(catalog.state().listed).toBe(false);
  });

  it('knows the difference between no runs and runs that are not looked for yet', async () => {
    expect(catalog.state()).toMatchObject({ listed: false, runs: [], unread: 0 });
    let changes = 0;
    catalog.onChanged(() => (changes += 1));
    await catalog.load();
    expect(catalog.state()).toMatchObject({ listed: true, runs: [], unread: 0 });
    expect(changes).toBe(1);
  });

  it('lists newest first', async () => {
    files.put('/w/old.ajtrace', { modified: 1 });
    files.put('/w/new.ajtrace', { modified: 2 });
    await catalog.load();
    expect(shown()).toEqual(['new completed', 'old completed']);
  });

  it('asks in batches, the newest first, and shows them before the rest is read', async () => {
    const count = 2 * batchSize + 3;
    for (let index = 0; index < count; index++) files.put(`/w/r${index}.ajtrace`, { modified: index });
    const unread: number[] = [];
    catalog.onChanged(() => unread.push(catalog.state().unread));
    await catalog.load();
    expect(client.asked[0]?.[0]).toBe(`/w/r${count - 1}.ajtrace`);
    expect(catalog.state().runs.length).toBeGreaterThanOrEqual(batchSize);
    await settled();
    expect(client.asked.map(({ length }) => length)).toEqual([batchSize, batchSize, 3]);
    expect(unread).toEqual([count, batchSize + 3, 3, 0]);
    expect(new Set(client.asked.flat()).size).toBe(count);
  });

  it('asks again only about files that changed', async () => {
    const a = files.put('/w/a.ajtrace');
    files.put('/w/b.ajtrace');
    await catalog.load();
    await catalog.refresh();
    expect(client.asked).toHaveLength(1);
    files.put(a, { size: 2000 });
    await catalog.refresh();
    await settled();
    expect(client.asked[1]).toEqual([a]);
  });

  it('shows traces as they come, and forgets those that go', async () => {
    await catalog.load();
    const a = files.put('/w/a.ajtrace');
    await catalog.fileChanged(a);
    expect(catalog.state().unread).toBe(1);
    await later(500);
    expect(shown()).toEqual(['a completed']);
    files.disk.delete(a);
    await catalog.fileChanged(a);
    expect(shown()).toEqual([]);
  });

  it('looks into folders that come, twice, since a run fills its folder bit by bit', async () => {
    await catalog.load();
    catalog.folderCame();
    files.put('/w/new/a.ajtrace');
    await later(500);
    expect(shown()).toEqual(['a completed']);
    files.put('/w/new/b.ajtrace');
    await later(4_500);
    expect(shown()).toEqual(['a completed', 'b completed']);
  });

  it('looks when it is shown again, and not before', async () => {
    await catalog.load();
    catalog.setVisible(false);
    files.put('/w/new/a.ajtrace');
    catalog.folderCame();
    await later(60_000);
    expect(shown()).toEqual([]);
    catalog.setVisible(true);
    await settled();
    expect(shown()).toEqual(['a completed']);
  });

  it('looks for the traces of a folder that went, which may have moved', async () => {
    files.put('/w/one/a.ajtrace');
    await catalog.load();
    files.disk.clear();
    files.put('/w/two/a.ajtrace');
    await catalog.pathGone('/w/elsewhere');
    expect(catalog.state().runs[0]?.file.trace).toBe('/w/one/a.ajtrace');
    await catalog.pathGone('/w/one');
    expect(catalog.state().runs.map(({ file }) => file.trace)).toEqual(['/w/two/a.ajtrace']);
  });
});

describe('a run that goes on', () => {
  const trace = '/w/a.ajtrace';

  beforeEach(async () => {
    files.put(trace);
    client.known.set(trace, { state: 'running' });
    await catalog.load();
    await settled();
  });

  it('is watched until it ends', async () => {
    expect([...client.watched]).toEqual([trace]);
    client.grow(trace, { state: 'completed' });
    await later(500);
    expect(shown()).toEqual(['a completed']);
    expect(client.watched.size).toBe(0);
  });

  it('is asked about once for many changes', async () => {
    for (let change = 0; change < 20; change++) client.grow(trace, { state: 'running' });
    await later(500);
    expect(client.asked).toHaveLength(2);
  });

  it('is left alone while nobody looks', async () => {
    catalog.setVisible(false);
    expect(client.watched.size).toBe(0);
    client.grow(trace, { state: 'killed' });
    await later(60_000);
    expect(client.asked).toHaveLength(1);
    catalog.setVisible(true);
    await later(500);
    expect(shown()).toEqual(['a killed']);
  });

  it('is asked about at once before something is done to it', async () => {
    client.known.set(trace, { state: 'completed' });
    const [now] = await catalog.readNow([trace]);
    expect(now?.summary.state).toBe('completed');
    expect(await catalog.readNow(['/w/unknown.ajtrace'])).toEqual([]);
  });
});

describe('when something fails', () => {
  it('shows what is there as unreadable and says why, until asked to try again', async () => {
    files.put('/w/a.ajtrace');
    client.failure = new Error('No server.');
    await catalog.load();
    expect(catalog.state()).toMatchObject({ unread: 0, problem: { message: 'No server.' } });
    expect(catalog.state().runs[0]?.summary).toMatchObject({
      state: 'unreadable',
      error: { message: 'No server.' },
    });
    client.failure = undefined;
    await catalog.refresh();
    expect(shown()).toEqual(['a completed']);
    expect(catalog.state().problem).toBeUndefined();
  });

  it('asks no further batch once one failed', async () => {
    for (let index = 0; index < 3 * batchSize; index++) files.put(`/w/r${index}.ajtrace`);
    client.failure = new Error('No server.');
    await catalog.load();
    await settled();
    expect(client.asked).toHaveLength(1);
    expect(catalog.state().runs).toHaveLength(3 * batchSize);
  });

  it('keeps what it knew of a run that can no longer be asked about', async () => {
    files.put('/w/a.ajtrace');
    client.known.set('/w/a.ajtrace', { state: 'running' });
    await catalog.load();
    client.failure = new Error('No server.');
    client.grow('/w/a.ajtrace', { state: 'completed' });
    await later(500);
    expect(shown()).toEqual(['a running']);
    expect(catalog.state().problem?.message).toBe('No server.');
  });

  it('waits for no answer for ever', async () => {
    files.put('/w/a.ajtrace');
    client.silent = true;
    const loaded = catalog.load();
    await settled();
    await later(30_000);
    await loaded;
    expect(catalog.state().problem).toMatchObject({ code: 'runs/no-answer' });
  });

  it('asks again about an unreadable trace when refreshed', async () => {
    const trace = files.put('/w/a.ajtrace');
    client.known.set(trace, { state: 'unreadable' });
    await catalog.load();
    client.known.set(trace, { state: 'completed' });
    await catalog.refresh();
    expect(shown()).toEqual(['a completed']);
  });

  it('says so when the folders cannot be listed', async () => {
    files.failure = new Error('No folder.');
    const problems: unknown[] = [];
    catalog.onChanged(() => problems.push(catalog.state().problem?.message));
    await catalog.load();
    expect(problems).toEqual(['No folder.']);
  });

  it('asks nothing once it is disposed', async () => {
    files.put('/w/a.ajtrace');
    client.known.set('/w/a.ajtrace', { state: 'running' });
    await catalog.load();
    await settled();
    client.grow('/w/a.ajtrace', { state: 'running' });
    catalog.dispose();
    await later(60_000);
    expect(client.asked).toHaveLength(1);
    expect(client.watched.size).toBe(0);
  });
});
