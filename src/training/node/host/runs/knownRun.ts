import type { RunRecord } from '../../../core/protocol/runs.ts';
import type { EventReader, EventBlock } from '../../../core/contracts.ts';
import { runErrors } from '../../../core/runs/failures.ts';
import { EventLog } from './eventLog.ts';
import { damageNotice, Run, type RunContext } from './run.ts';
import { redactorOf, type RunFolder, type StoredRun } from './runFolder.ts';
import { RunTails } from './tails.ts';
import { UnreadableRun } from './unreadableRun.ts';
import { Emitter } from '../../../../base/core/event.ts';
import { DisposableStore } from '../../../../base/core/disposable.ts';

/** Reads a log that may still be opening. {@link onMore} fires once, and again after {@link next}. */
export class LogReader implements EventReader {
  readonly #log: Promise<Pick<EventLog, 'read' | 'onMore'>>;
  readonly #sources: ReadonlySet<string> | undefined;
  readonly #more = new Emitter<void>();
  readonly #store = new DisposableStore();
  #after: number;
  #isArmed = true;
  readonly onMore = this.#more.event;

  /** @param release called when the reader is disposed */
  constructor(
    log: Promise<Pick<EventLog, 'read' | 'onMore'>>,
    after: number,
    sources: readonly string[] | undefined,
    release: () => void,
  ) {
    this.#log = log;
    this.#after = after;
    this.#sources = sources && new Set(sources);
    this.#store.defer(release);
    this.#store.add(this.#more);
    // `next` reports why it cannot be opened.
    void log.then(
      (opened) => this.#store.add(opened.onMore(() => this.#fire())),
      () => undefined,
    );
  }

  async next(): Promise<EventBlock | undefined> {
    const log = await this.#log;
    if (this.#store.isDisposed) return undefined;
    // Set before the read, so that concurrent events are reported.
    this.#isArmed = true;
    const block = await log.read(this.#after, this.#sources);
    if (block !== undefined) this.#after = block.upTo;
    return block;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #fire(): void {
    if (!this.#isArmed) return;
    this.#isArmed = false;
    this.#more.fire();
  }
}

/** A run of the host. Its events are open while it runs or has readers. */
export class KnownRun {
  readonly folder: RunFolder;
  /** The runs that it continues from, nearest first. */
  readonly lineage: readonly string[];
  readonly #context: RunContext;
  run: Run | undefined;
  readonly unreadable: UnreadableRun | undefined;
  #final: RunRecord | undefined;
  #log: Promise<EventLog> | undefined;
  #readers = 0;
  #isClosed = false;
  #reported = { text: '', record: undefined as RunRecord | undefined, at: -Infinity };

  private constructor(
    context: RunContext,
    folder: RunFolder,
    stored: StoredRun | undefined,
    unreadable?: UnreadableRun,
  ) {
    this.#context = context;
    this.folder = folder;
    const from = stored?.order.from?.run;
    this.lineage = stored?.lineage ?? (from === undefined ? [] : [from]);
    this.unreadable = unreadable;
  }

  static async open(context: RunContext, folder: RunFolder, stored: StoredRun): Promise<KnownRun> {
    const known = new KnownRun(context, folder, stored);
    if (stored.final !== null) known.#final = stored.final;
    else known.run = new Run(context, folder, stored, await known.#openLog());
    return known;
  }

  /** @param stored undefined: its record cannot be read */
  static unreadable(
    context: RunContext,
    folder: RunFolder,
    stored: StoredRun | undefined,
    why: unknown,
  ): KnownRun {
    return new KnownRun(context, folder, stored, new UnreadableRun(context, folder.id, stored, why));
  }

  get devices(): readonly number[] {
    return (this.run ?? this.unreadable)?.devices ?? [];
  }

  get record(): RunRecord {
    const record = (this.run ?? this.unreadable)?.record ?? this.#final;
    if (record === undefined) throw runErrors.noRun(this.folder.path);
    return record;
  }

  /** Returns the record if it must be reported: at once for a new state or reason, and at intervals for numbers. */
  changed(now: number, interval: number): RunRecord | undefined {
    const { record } = this;
    const before = this.#reported.record;
    const { state, phase, reason } = record;
    const isUrgent = before?.state !== state || before.phase !== phase || before.reason !== reason;
    if (!isUrgent && now - this.#reported.at < interval) return undefined;
    const text = JSON.stringify(record);
    if (text === this.#reported.text) return undefined;
    this.#reported = { text, record, at: now };
    return record;
  }

  /** Marks the run as ended. From now on it is read-only. */
  settle(): void {
    const { run } = this;
    if (run === undefined) return;
    this.#final = run.record;
    this.run = undefined;
    this.#log = Promise.resolve(run.events);
    if (this.#readers === 0) void this.#release();
  }

  follow(after: number, sources: readonly string[] | undefined): EventReader {
    this.#readers++;
    const log = this.run === undefined ? (this.#log ??= this.#openEnded()) : Promise.resolve(this.run.events);
    return new LogReader(log, after, sources, () => {
      this.#readers--;
      if (this.#readers === 0 && this.run === undefined) void this.#release();
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.run !== undefined) await this.run.close();
    else await this.#release();
  }

  async #release(): Promise<void> {
    const log = this.#log;
    this.#log = undefined;
    // Its readers got the error of a log that could not be opened.
    await log?.then(
      (open) => open.close(),
      () => undefined,
    );
  }

  /** Opens the events of an ended run. If some are lost, reads its output again. */
  async #openEnded(): Promise<EventLog> {
    const log = await this.#openLog();
    const final = this.#final;
    if (final === undefined || log.last >= final.events) return log;
    const stored = await this.folder.readRecord();
    const redactor = redactorOf(stored?.secrets ?? null);
    const { log: launcherLog, code } = this.folder;
    // Later runs may have written to the logs of the job.
    const redact = (line: string): string => redactor.line(line);
    await new RunTails({ events: log, launcherLog, code, redact }).drain();
    const { state, reason, exitCode } = final;
    const end = { state, ...(reason !== null && { reason }), ...(exitCode !== null && { exitCode }) };
    if (log.fold.state.state !== state) {
      this.#context.logger.log('error', `Run ${this.folder.id}: ${damageNotice}`);
      await log.append([
        { type: 'notice', text: damageNotice },
        { type: 'state', ...end },
      ]);
    }
    this.#final = { ...final, events: log.last };
    if (stored !== undefined) await this.folder.writeRecord({ ...stored, final: this.#final });
    return log;
  }

  async #openLog(): Promise<EventLog> {
    const { clock, logger } = this.#context;
    let since: number | undefined;
    const log: EventLog = await EventLog.open(this.folder.path, {
      run: this.folder.id,
      clock,
      onBlocked: (why) => {
        if (why !== undefined) {
          since ??= clock.now();
          logger.log('warn', `Cannot write events of the run in ${this.folder.path}: ${why}`);
          return;
        }
        const seconds = Math.ceil((clock.now() - (since ?? clock.now())) / 1000);
        since = undefined;
        const text = `The host could not write events for ${seconds} s. The log is complete.`;
        void log.append([{ type: 'notice', text }]);
      },
    });
    return log;
  }
}
