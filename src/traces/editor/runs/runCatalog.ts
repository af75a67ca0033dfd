/** The known runs on disk. It reads missing data while the view is visible. */
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import * as l10n from '@vscode/l10n';
import { CodedError, toReport, type ErrorReport } from '../../../base/core/errors.ts';
import { Emitter } from '../../../base/core/event.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { TraceClient } from '../../core/methods.ts';
import type { TraceSummary } from '../../core/protocol/runRpc.ts';
import { unreadableSummary } from '../../core/unreadable.ts';
import type { Run, RunFile } from './run.ts';
import { contains } from './runTree.ts';

export const batchSize = 50;
/** Milliseconds after which a request counts as failed, so that nothing waits forever. */
const answerMilliseconds = 30_000;
/** The minimum milliseconds between two reads of a growing trace. */
const settleMilliseconds = 500;
/**
 * Milliseconds after a new folder appears at which it is searched for traces. A watcher does not report files that are
 * put into a new folder before it watches that folder. A run that creates its folder on a slow disk may need the
 * second search.
 */
const looksAfterFolder = [500, 5_000];

export interface RunFiles {
  list(): Promise<readonly RunFile[]>;
  stat(trace: string): Promise<RunFile | undefined>;
}

export interface CatalogParts {
  readonly files: RunFiles;
  readonly client: TraceClient;
  readonly clock: Clock;
}

export interface CatalogState {
  /** The newest runs first. */
  readonly runs: readonly Run[];
  readonly unread: number;
  readonly listed: boolean;
  readonly problem: ErrorReport | undefined;
}

/** The data that was read from a file, and the version of the file. */
interface Reading {
  readonly fingerprint: string;
  readonly summary: TraceSummary;
}

export class RunCatalog implements Disposable {
  readonly #parts: CatalogParts;
  readonly #store = new DisposableStore();
  readonly #changed = new Emitter<void>();
  #watched: ReadonlySet<string> = new Set();
  #files = new Map<string, RunFile>();
  readonly #readings = new Map<string, Reading>();
  /** Traces whose content changed although their file looks the same. */
  readonly #again = new Set<string>();
  #listing: Promise<void> | undefined;
  #listed = false;
  #reading: Promise<void> | undefined;
  #settling: Disposable | undefined;
  #looks: readonly Disposable[] = [];
  #problem: ErrorReport | undefined;
  #visible = true;

  readonly onChanged = this.#changed.event;

  constructor(parts: CatalogParts) {
    this.#parts = parts;
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

  /** Resolves when the runs are listed and the newest have been read. Never rejects. */
  async load(): Promise<void> {
    await (this.#listing ??= this.#list());
  }

  /** Lists the traces again, and retries those that could not be read. */
  async refresh(): Promise<void> {
    for (const [trace, { summary }] of this.#readings) {
      if (summary.state === 'unreadable' || summary.state === 'running') this.#again.add(trace);
    }
    this.#listing = this.#list();
    await this.#listing;
    this.#changed.fire();
  }

  async fileChanged(trace: string): Promise<void> {
    if (this.#listing === undefined) return;
    await this.#listing; // which may have looked too early, and would win
    const file = await this.#parts.files.stat(trace);
    if (file) this.#files.set(trace, file);
    else this.#forget(trace);
    this.#changed.fire();
    this.#readSoon();
  }

  /** Handles a deleted file or folder. Its contents may have moved. */
  async pathGone(gone: string): Promise<void> {
    if ([...this.#files.keys()].some((trace) => contains(gone, trace))) await this.refresh();
  }

  folderCame(): void {
    this.#cancelLooks();
    this.#looks = looksAfterFolder.map((delay) => this.#parts.clock.after(delay, () => this.#look()));
  }

  /** Reads the current state of these runs. Rejects if it cannot be read. */
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

  async foldersChanged(): Promise<void> {
    if (this.#listing !== undefined) await this.refresh();
  }

  /** Sets the visibility of the view. Nothing is read while it is hidden. */
  setVisible(visible: boolean): void {
    this.#visible = visible;
    if (this.#listing === undefined) return;
    this.#watchRunning();
    this.#contentChanged(this.#running());
    this.#look();
  }

  dispose(): void {
    this.#visible = false;
    this.#watchRunning();
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

  /** Resolves at the next change. Reading fires after each batch, so the first batch ends the wait. */
  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const subscription = this.onChanged(() => {
        subscription.dispose();
        resolve();
      });
    });
  }

  /** Lists the traces again if the view is visible, otherwise when it is shown next. */
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

  /** Reads the unread traces, one request after another. Never rejects. */
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
    // Cleared before the request, so that a change during the request is read again.
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
    const before = this.#watched;
    const wanted = new Set(this.#visible ? this.#running() : []);
    this.#watched = wanted;
    for (const trace of wanted) if (!before.has(trace)) this.#tell('watch', trace);
    for (const trace of before) if (!wanted.has(trace)) this.#tell('unwatch', trace);
  }

  #tell(method: 'watch' | 'unwatch', trace: string): void {
    // A trace that cannot be watched is still read at intervals, and its summary shows the reason.
    this.#parts.client.ask(method, { trace }).catch(() => undefined);
  }

  #newestFirst(): RunFile[] {
    return [...this.#files.values()].sort((a, b) => b.modified - a.modified || (a.trace < b.trace ? -1 : 1));
  }
}

function noAnswer(): CodedError {
  return new CodedError({
    code: 'runs/no-answer',
    message: l10n.t('Reading the runs took too long and was stopped.'),
    hint: l10n.t('Refresh the view to try again.'),
  });
}

function fingerprintOf({ size, modified }: RunFile): string {
  return `${size} ${modified}`;
}

function unreadable({ trace, size, modified }: RunFile, error: ErrorReport): TraceSummary {
  return unreadableSummary({ trace, size, startedAt: modified }, error);
}
