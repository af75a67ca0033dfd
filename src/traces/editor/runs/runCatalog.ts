/** Keeps what is known of the runs on disk: asks for what it does not know, as long as somebody looks. */
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { toReport, type ErrorReport } from '../../../base/core/errors.ts';
import { Emitter } from '../../../base/core/event.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { TraceClient } from '../../core/methods.ts';
import type { TraceSummary } from '../../core/protocol/runRpc.ts';
import { unreadableSummary } from '../../core/unreadable.ts';
import type { Run, RunFile } from './run.ts';
import { noAnswer } from './runErrors.ts';
import { contains } from './runTree.ts';

/** Has a trace server tell when some traces grow. */
class RunWatches implements Disposable {
  readonly #client: TraceClient;
  #watched: ReadonlySet<string> = new Set();

  constructor(client: TraceClient) {
    this.#client = client;
  }

  /** These traces and no others from now on. */
  watch(traces: readonly string[]): void {
    const wanted = new Set(traces);
    const before = this.#watched;
    this.#watched = wanted;
    for (const trace of wanted) if (!before.has(trace)) this.#tell('watch', trace);
    for (const trace of before) if (!wanted.has(trace)) this.#tell('unwatch', trace);
  }

  dispose(): void {
    this.watch([]);
  }

  #tell(method: 'watch' | 'unwatch', trace: string): void {
    // A trace that cannot be watched is asked about in intervals all the same, and its summary says why.
    this.#client.ask(method, { trace }).catch(() => undefined);
  }
}

/** Traces of one question, at most. */
export const batchSize = 50;
/** After which a question counts as unanswered, so that nothing is waited for without end. */
const answerMilliseconds = 30_000;
/** A trace that grows is asked about again at most this often. */
const settleMilliseconds = 500;
/**
 * After a folder came, when to look for traces. A watcher is not told of what is put into a new folder before it has
 * got there itself; a run that makes its folder on a slow disk may need the second look.
 */
const looksAfterFolder = [500, 5_000];

/** Where traces are found. */
export interface RunFiles {
  list(): Promise<readonly RunFile[]>;
  /** Undefined when there is no such trace. */
  stat(trace: string): Promise<RunFile | undefined>;
}

export interface CatalogParts {
  readonly files: RunFiles;
  readonly client: TraceClient;
  readonly clock: Clock;
}

export interface CatalogState {
  /** Newest first. */
  readonly runs: readonly Run[];
  /** Traces that are yet to be read. */
  readonly unread: number;
  /** Whether it is known which traces there are. */
  readonly listed: boolean;
  /** Why they cannot be read, or not be listed. */
  readonly problem: ErrorReport | undefined;
}

/** What was read, and of which version of the file. */
interface Reading {
  readonly fingerprint: string;
  readonly summary: TraceSummary;
}

export class RunCatalog implements Disposable {
  readonly #parts: CatalogParts;
  readonly #store = new DisposableStore();
  readonly #changed = new Emitter<void>();
  readonly #watches: RunWatches;
  #files = new Map<string, RunFile>();
  readonly #readings = new Map<string, Reading>();
  /** Traces whose content changed though their file looks the same. */
  readonly #again = new Set<string>();
  #listing: Promise<void> | undefined;
  #listed = false;
  #reading: Promise<void> | undefined;
  #settling: Disposable | undefined;
  #looks: readonly Disposable[] = [];
  #problem: ErrorReport | undefined;
  #visible = true;

  /** Fires after the state changed. */
  readonly onChanged = this.#changed.event;

  constructor(parts: CatalogParts) {
    this.#parts = parts;
    this.#watches = this.#store.add(new RunWatches(parts.client));
    this.#store.add(parts.client.onChanged((trace) => this.#contentChanged([trace])));
    this.#store.defer(() => this.#settling?.dispose());
    this.#store.defer(() => this.#cancelLooks());
    this.#store.add(this.#changed);
  }

  state(): CatalogState {
    const problem = this.#problem;
    const runs: Run[] = [];
    let unread = 0;
    for (const file of this.#newestFirst()) {
      const summary = this.#readings.get(file.trace)?.summary;
      if (summary) runs.push({ file, summary });
      else if (problem) runs.push({ file, summary: unreadable(file, problem) });
      else unread++;
    }
    return { runs, unread, listed: this.#listed, problem };
  }

  /** Resolves once there is something to show: the runs are listed and the newest are read. Never rejects. */
  async load(): Promise<void> {
    await (this.#listing ??= this.#list());
  }

  /** Lists anew, and asks again about what could not be read. */
  async refresh(): Promise<void> {
    for (const [trace, { summary }] of this.#readings) {
      if (summary.state === 'unreadable' || summary.state === 'running') this.#again.add(trace);
    }
    this.#listing = this.#list();
    await this.#listing;
    this.#changed.fire();
  }

  /** A trace came, changed or went. */
  async fileChanged(trace: string): Promise<void> {
    if (this.#listing === undefined) return;
    await this.#listing; // which may have looked too early, and would win
    const file = await this.#parts.files.stat(trace);
    if (file) this.#files.set(trace, file);
    else this.#forget(trace);
    this.#changed.fire();
    this.#readSoon();
  }

  /** A file or folder went. What was in it may be elsewhere now. */
  async pathGone(gone: string): Promise<void> {
    if ([...this.#files.keys()].some((trace) => contains(gone, trace))) await this.refresh();
  }

  /** A folder came, in which there may be traces. */
  folderCame(): void {
    this.#cancelLooks();
    this.#looks = looksAfterFolder.map((delay) => this.#parts.clock.after(delay, () => this.#look()));
  }

  /** These runs as they are at this moment. Rejects when that cannot be told. */
  async readNow(traces: readonly string[]): Promise<readonly Run[]> {
    const wanted = new Set(traces);
    const files = [...this.#files.values()].filter(({ trace }) => wanted.has(trace));
    for (let start = 0; start < files.length; start += batchSize) {
      const batch = files.slice(start, start + batchSize);
      this.#keep(batch, await this.#ask(batch.map(({ trace }) => trace)));
    }
    this.#changed.fire();
    return this.state().runs.filter(({ file }) => wanted.has(file.trace));
  }

  /** There are other folders to look in. */
  async foldersChanged(): Promise<void> {
    if (this.#listing !== undefined) await this.refresh();
  }

  /** While nobody looks, nothing is asked. */
  setVisible(visible: boolean): void {
    this.#visible = visible;
    if (this.#listing === undefined) return;
    this.#watchRunning();
    this.#contentChanged(this.#running());
    this.#look();
  }

  dispose(): void {
    this.#visible = false;
    this.#store.dispose();
  }

  async #list(): Promise<void> {
    this.#problem = undefined;
    try {
      const files = await this.#parts.files.list();
      this.#files = new Map(files.map((file) => [file.trace, file]));
    } catch (error) {
      this.#problem = toReport(error, 'runs/not-listed');
      this.#changed.fire();
      return;
    }
    for (const trace of this.#readings.keys()) if (!this.#files.has(trace)) this.#forget(trace);
    this.#listed = true;
    this.#changed.fire();
    await Promise.race([this.#nextChange(), this.#read()]);
  }

  /** Reading fires after each batch, so the first of them ends the wait. */
  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const subscription = this.onChanged(() => {
        subscription.dispose();
        resolve();
      });
    });
  }

  /** Lists anew for whoever looks; who looks later finds it listed then. */
  #look(): void {
    if (this.#visible && this.#listing !== undefined) this.#listing = this.#list();
  }

  #cancelLooks(): void {
    for (const look of this.#looks) look.dispose();
  }

  #forget(trace: string): void {
    this.#files.delete(trace);
    this.#readings.delete(trace);
    this.#again.delete(trace);
  }

  #contentChanged(traces: readonly string[]): void {
    const known = traces.filter((trace) => this.#files.has(trace));
    if (known.length === 0) return;
    for (const trace of known) this.#again.add(trace);
    this.#readSoon();
  }

  #readSoon(): void {
    if (!this.#visible) return;
    this.#settling ??= this.#parts.clock.after(settleMilliseconds, () => {
      this.#settling = undefined;
      void this.#read();
    });
  }

  /** Reads what is unread, one question after the other. Never rejects. */
  #read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    while (this.#visible) {
      const batch = this.#newestFirst()
        .filter((file) => !this.#isRead(file))
        .slice(0, batchSize);
      if (batch.length === 0) return;
      await this.#readBatch(batch);
      this.#watchRunning();
      this.#changed.fire();
      if (this.#problem) return;
    }
  }

  async #readBatch(batch: readonly RunFile[]): Promise<void> {
    // Before asking: what changes while the answer is on its way is asked about again.
    for (const { trace } of batch) this.#again.delete(trace);
    try {
      this.#keep(batch, await this.#ask(batch.map(({ trace }) => trace)));
      this.#problem = undefined;
    } catch (error) {
      for (const { trace } of batch) this.#again.add(trace);
      this.#problem = toReport(error, 'runs/not-read');
    }
  }

  #ask(traces: string[]): Promise<readonly TraceSummary[]> {
    return new Promise((resolve, reject) => {
      const limit = this.#parts.clock.after(answerMilliseconds, () => reject(noAnswer()));
      void this.#parts.client
        .ask('summaries', { traces })
        .then(resolve, reject)
        .finally(() => limit.dispose());
    });
  }

  #keep(batch: readonly RunFile[], summaries: readonly TraceSummary[]): void {
    const byTrace = new Map(summaries.map((summary) => [summary.trace, summary]));
    for (const file of batch) {
      const summary = byTrace.get(file.trace) ?? unreadable(file, toReport(noAnswer(), 'runs/no-answer'));
      this.#readings.set(file.trace, { fingerprint: fingerprintOf(file), summary });
    }
  }

  #isRead(file: RunFile): boolean {
    return (
      this.#readings.get(file.trace)?.fingerprint === fingerprintOf(file) && !this.#again.has(file.trace)
    );
  }

  #running(): string[] {
    return [...this.#files.keys()].filter((trace) => this.#readings.get(trace)?.summary.state === 'running');
  }

  #watchRunning(): void {
    this.#watches.watch(this.#visible ? this.#running() : []);
  }

  #newestFirst(): RunFile[] {
    return [...this.#files.values()].sort((a, b) => b.modified - a.modified || (a.trace < b.trace ? -1 : 1));
  }
}

function fingerprintOf({ size, modified }: RunFile): string {
  return `${size} ${modified}`;
}

function unreadable({ trace, size, modified }: RunFile, error: ErrorReport): TraceSummary {
  return unreadableSummary({ trace, size, startedAt: modified }, error);
}
