import path from 'node:path';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { toReport } from '../../base/core/errors.ts';
import type { Clock } from '../../base/core/ports.ts';
import { localCheckpoints, localRun, rewardOf, thisMachine, type LocalFacts } from '../core/page/localRun.ts';
import type { PageRun, RunPageMessage } from '../core/page/trainingRunRpc.ts';
import type { RunEvent } from '../core/protocol/runs.ts';
import { numberEvents, RunFold } from '../core/runs/fold.ts';
import { FolderReader, type FolderReading } from '../node/folderReader.ts';

/** Milliseconds between two readings. */
const readEvery = 1_000;

export interface FolderFeedParts {
  /** The absolute folder, which is also the id of the run. */
  readonly run: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly send: (message: RunPageMessage) => void;
  /** Called when the page must be sent its runs again. */
  readonly changed: () => void;
  readonly gone: () => void;
}

/** Sends a page a training in a folder of this machine, while the folder grows. */
export class FolderFeed implements Disposable {
  readonly parts: FolderFeedParts & { readonly client?: undefined; readonly host?: undefined };
  readonly #reader: FolderReader;
  readonly #store = new DisposableStore();
  #fold = new RunFold();
  readonly #rewards = new Map<number, number>();
  /** Events that wait until the page has the run. */
  #unsent: RunEvent[] = [];
  #facts: LocalFacts | undefined;
  #shown = '';
  #problem: string | null = null;
  #timer: Disposable | undefined;
  #reading = Promise.resolve();

  constructor(parts: FolderFeedParts) {
    this.parts = parts;
    this.#reader = new FolderReader(parts.run);
  }

  get shown(): PageRun | undefined {
    return this.#facts && localRun(this.#facts);
  }

  /** Sends what was read, once the page has the run. */
  start(): void {
    const { run, send } = this.parts;
    if (this.#facts !== undefined) {
      send({ type: 'checkpoints', run, checkpoints: localCheckpoints(this.#facts) });
    }
    if (this.#unsent.length > 0) send({ type: 'events', run, events: this.#unsent });
    this.#unsent = [];
  }

  /** Reads the folder, and from then on once per second. */
  update(): void {
    this.#timer?.dispose();
    // One reading at a time, because each continues from the one before.
    this.#reading = this.#reading.then(async () => {
      await this.#read();
      this.#timer?.dispose();
      if (!this.#store.isDisposed) this.#timer = this.parts.clock.after(readEvery, () => this.update());
    });
  }

  dispose(): void {
    this.#store.dispose();
    this.#timer?.dispose();
  }

  async #read(): Promise<void> {
    if (this.#store.isDisposed) return;
    try {
      this.#take(await this.#reader.read());
    } catch (error) {
      this.#failed(error);
    }
  }

  #take({ lines, isRewound, ...read }: FolderReading): void {
    if (this.#store.isDisposed) return;
    const { run, send, changed } = this.parts;
    if (isRewound) {
      this.#fold = new RunFold();
      this.#rewards.clear();
      this.#unsent = [];
      send({ type: 'rewound', run });
    }
    for (const line of lines) {
      const { kind, step, at, values } = line;
      const reward = rewardOf(line);
      if (kind === 'step' && reward !== undefined) this.#rewards.set(step, reward);
      const role = kind === 'step' ? 'trainer' : 'benchmark';
      for (const events of numberEvents(this.#fold, [{ type: 'metrics', role, step, values }], at)) {
        this.#unsent.push(...events);
      }
    }
    this.#facts = { ...read, folder: run, name: path.basename(run), rewards: this.#rewards };
    this.#report(null);
    const shown = JSON.stringify([this.shown, localCheckpoints(this.#facts)]);
    if (shown === this.#shown && lines.length === 0 && !isRewound) return;
    this.#shown = shown;
    changed();
  }

  #failed(error: unknown): void {
    if (this.#store.isDisposed) return;
    const { code, message, hint } = toReport(error, 'training/unreadable');
    if (code === 'training/no-folder') this.parts.gone();
    else this.#report(`${message} ${hint ?? ''}`.trim());
    this.#shown = '';
  }

  /** Sends the reason why the folder cannot be read, and null once it can. */
  #report(problem: string | null): void {
    if (this.#problem === problem) return;
    this.#problem = problem;
    const { run, send } = this.parts;
    if (this.#facts !== undefined) send({ type: 'unheard', run, problem });
    const state =
      problem === null ? { kind: 'connected' as const } : { kind: 'ended' as const, reason: problem };
    if (this.#facts === undefined || problem === null) send({ type: 'connection', host: thisMachine, state });
  }
}
