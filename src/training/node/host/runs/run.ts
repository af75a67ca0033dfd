import { CancellationSource, waitFor } from '../../../../base/core/cancellation.ts';
import { hasCode, messageOf, toReport } from '../../../../base/core/errors.ts';
import { Emitter } from '../../../../base/core/event.ts';
import type { Clock, Logger } from '../../../../base/core/ports.ts';
import { finalStates, type RunRecord, type RunState } from '../../../core/protocol/runs.ts';
import type { HostSync } from '../../../core/contracts.ts';
import { runErrors } from '../../../core/runs/failures.ts';
import { preparingPhase } from '../../../core/runs/queue.ts';
import { tinkerPhases } from '../../../core/runs/tinkerPhases.ts';
import { trainingOf } from '../../../core/launch/resume.ts';
import { outcomeOf, type RunExit } from '../../../core/runs/outcome.ts';
import type { LaunchPlan } from '../../../core/launch/plan.ts';
import type { JobUse } from '../../../core/launch/training.ts';
import { confidentialValues, type LogRedactor } from '../../../core/runs/secrets.ts';
import { StallDetector } from '../../../core/runs/stallDetector.ts';
import type { HostLaunch, LaunchRequest } from '../launch/hostLaunch.ts';
import { TinkerProbe } from '../tinker/probe.ts';
import type { EventLog } from './eventLog.ts';
import type { NotedExit } from './keeper.ts';
import { RunProcesses, type ProcessContext } from './runProcesses.ts';
import { sameBoot } from './processes.ts';
import { type RunFolder, type StoredRun, marksOfSecrets, redactorOf } from './runFolder.ts';
import { Stopper, stopTimesOf, type StopTimes } from './stopper.ts';
import { renamedJob } from './jobFolder.ts';
import { RunTails, snapshotJobFolder } from './tails.ts';

export interface RunContext extends ProcessContext {
  readonly sync: Pick<HostSync, 'has' | 'materialize'>;
  readonly launch: Pick<HostLaunch, 'gpus' | 'prepare' | 'prepareTinker' | 'rayJob'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stop: StopTimes;
  readonly recordOf: (run: string) => RunRecord | undefined;
  /** Claims a job folder for a run. Throws if the folder is not allowed. */
  readonly takeJobFolder: (run: string, folder: string, use?: JobUse) => void;
}

/**
 * An active run, from its order to its end. Its state is in its folder and in `/proc`, and memory may be lost at any
 * moment. {@link tick} checks both and continues from there.
 */
export class Run {
  readonly #context: RunContext;
  readonly #folder: RunFolder;
  readonly events: EventLog;
  readonly #tails: RunTails;
  readonly #processes: RunProcesses;
  readonly #stallDetector = new StallDetector();
  readonly #probe: TinkerProbe;
  #stopper: Stopper;
  readonly #cancellation = new CancellationSource();
  readonly #changed = new Emitter<void>();
  readonly onChanged = this.#changed.event;
  #stored: StoredRun;
  #redactor: LogRedactor;
  #given: readonly number[] | undefined;
  #waits: string | null = null;
  #work: Promise<void> = Promise.resolve();
  #isBusy = false;
  #isClosed = false;
  #failure: string | undefined;
  #cancelling: Promise<void> | undefined;

  constructor(context: RunContext, folder: RunFolder, stored: StoredRun, events: EventLog) {
    this.#context = context;
    this.#folder = folder;
    this.#stored = stored;
    this.#redactor = redactorOf(stored.secrets);
    this.events = events;
    this.#tails = new RunTails({
      events,
      launcherLog: folder.log,
      code: folder.code,
      redact: (line) => this.#redactor.line(line),
    });
    this.#processes = new RunProcesses(context, folder);
    this.#probe = new TinkerProbe(context.clock);
    this.#stopper = this.#newStopper();
  }

  get id(): string {
    return this.#stored.id;
  }

  get state(): RunState {
    return this.events.fold.state.state;
  }

  get isFinal(): boolean {
    return finalStates.includes(this.state);
  }

  /** True if its end is on the disk, so that no work is left. */
  get isSettled(): boolean {
    return this.#stored.final !== null;
  }

  /** The port of its Tinker server, or null before it serves; undefined for a run of training. */
  get tinkerPort(): number | null | undefined {
    const { tinker } = this.#stored;
    if (tinker === undefined) return undefined;
    const { state, phase } = this.events.fold.state;
    const serves = phase === tinkerPhases.serving || phase === tinkerPhases.silent;
    return serves && (state === 'running' || state === 'cancelling') ? tinker.port : null;
  }

  get wantedGpus(): number {
    return this.#stored.order.gpus;
  }

  get isWaiting(): boolean {
    const { cancelledBy, launched } = this.#stored;
    return this.state === 'queued' && this.#given === undefined && cancelledBy === null && !launched;
  }

  get devices(): readonly number[] {
    if (this.isFinal) return [];
    const { launched, devices } = this.#stored;
    return this.#given ?? (this.state === 'queued' && !launched ? [] : devices);
  }

  get record(): RunRecord {
    return recordOf(this.#stored, this.events, this.#waits);
  }

  waits(reason: string): void {
    if (this.#waits === reason) return;
    this.#waits = reason;
    this.#changed.fire();
  }

  /** Prepares the code and starts the run. Never rejects: an error ends the run. */
  start(devices: readonly number[]): Promise<void> {
    this.#given = devices;
    return this.#do(async () => {
      if (this.state !== 'queued') return;
      this.#waits = null;
      await this.#store({ devices: [...devices] });
      await this.#setState('preparing');
      await this.#prepare();
    }).finally(() => (this.#given = undefined));
  }

  refuse(reason: string): Promise<void> {
    this.#given = [];
    return this.#do(() => this.#endWith(reason));
  }

  /** Takes over a run of an earlier host, and reports what happened meanwhile. */
  adopt(): Promise<void> {
    return this.#do(async () => {
      // Offsets refer to the current logs, never to those of an earlier job.
      this.#followRenamed();
      if (this.events.isDamaged) {
        this.#context.logger.log('error', `Run ${this.id}: ${damageNotice}`);
        await this.#notice(damageNotice);
      }
      if (this.isFinal) return this.#settle();
      if (!this.#stored.launched) {
        if (this.#is('queued') && this.isWaiting) return;
        if (this.#stored.cancelledBy === null) await this.#prepare();
        else await this.#end(null);
        return;
      }
      // The event of its start can be among the lost ones.
      if (this.#is('queued')) await this.#setState('preparing');
      const hasEnded = (await this.#folder.exit()) !== undefined;
      const meanwhile = hasEnded ? 'The run had ended in the meantime' : 'The run continued in the meantime';
      await this.#notice(`The host was restarted and has taken over the run. ${meanwhile}.`);
      this.#tails.followJob(this.#stored);
      if ((await this.#folder.keeper()) === undefined) await this.#startKeeper();
    });
  }

  tick(): Promise<void> {
    if (this.#isBusy || this.#isClosed) return this.#work;
    if (this.isFinal) return this.isSettled ? this.#work : this.#do(() => this.#settle());
    return this.#stored.launched ? this.#do(() => this.#look()) : this.#work;
  }

  async cancel(by: string): Promise<void> {
    if (this.isFinal) return;
    await (this.#cancelling ??= this.#cancel(by));
  }

  async #cancel(by: string): Promise<void> {
    if (this.#stored.cancelledBy !== null) return;
    this.#stored = { ...this.#stored, cancelledBy: by };
    this.#cancellation.cancel();
    const { launcher } = this.#processes;
    if (launcher !== undefined) this.#stopper.begin(launcher);
    // A full disk does not prevent the cancellation.
    await this.#store({}).catch((error: unknown) => this.#failed(error));
    if (this.state === 'queued' && this.#given === undefined) return this.#do(() => this.#end(null));
    if (this.state !== 'queued') void this.#isCancelling();
  }

  /** Closes the run without ending its processes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopper.dispose();
    this.#cancellation.cancel();
    await this.events.close();
    await this.#work;
    this.#changed.dispose();
  }

  #do(work: () => Promise<void>): Promise<void> {
    this.#isBusy = true;
    const done = this.#work
      .then(work)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        if (this.#work === done) this.#isBusy = false;
      });
    this.#work = done;
    return done;
  }

  #is(state: RunState): boolean {
    return this.state === state;
  }

  /** Throws if the run was canceled or the host closes meanwhile. */
  #throwIfStopped(): void {
    if (this.#cancellation.token.isCancelled) throw new Error('The run was stopped.');
  }

  #failed(error: unknown): void {
    const { message } = toReport(error, 'host/run');
    if (this.#isClosed || message === this.#failure) return; // it is retried
    this.#failure = message;
    this.#context.logger.log('error', `Run ${this.id}: ${message}`);
  }

  async #prepare(): Promise<void> {
    const { clock } = this.#context;
    try {
      await this.events.append([{ type: 'phase', phase: preparingPhase }]);
      const folder = await this.#folder.emptyCode();
      const { plan, passed, tinker } = await this.#plan(folder);
      this.#throwIfStopped();
      const jobFolder = plan.jobFolder ?? null;
      if (jobFolder !== null) this.#context.takeJobFolder(this.id, jobFolder, plan.jobUse);
      const stages = plan.stages && [...plan.stages];
      const before = jobFolder === null ? this.#stored.before : await snapshotJobFolder(jobFolder, stages);
      const { command, args, env, totalSteps, effectiveConfig, secrets: written } = plan;
      if (effectiveConfig !== undefined) await this.#folder.writeEffectiveConfig(effectiveConfig);
      await this.#folder.writeKeeperOrder({ command, args: [...args], cwd: folder, env: { ...env } });
      const known = [...(written ?? []), ...confidentialValues(passed)];
      const secrets = marksOfSecrets({ ...this.#context.env, ...passed, ...env }, known);
      this.#redactor = redactorOf(secrets);
      const startedAt = clock.now();
      await this.#store({
        jobFolder,
        totalSteps,
        stages,
        before,
        secrets,
        startedAt,
        launched: true,
        tinker,
      });
      if (tinker !== undefined) await this.events.append([{ type: 'phase', phase: tinkerPhases.starting }]);
    } catch (error) {
      if (this.#isClosed) return; // the next host continues
      if (this.#cancellation.token.isCancelled) return this.#end(null);
      if (!hasCode(error, ...shortages)) return this.#endWith(failureText(error));
      this.#failed(error);
      await waitFor(whenShort, clock, this.#cancellation.token);
      return this.#prepare();
    }
    this.#tails.followJob(this.#stored);
    await this.#startKeeper();
  }

  /** Returns how to start the run, with the variables that its order passes, and with the port of a Tinker server. */
  async #plan(folder: string): Promise<{
    readonly plan: LaunchPlan;
    readonly passed: LaunchRequest['order']['env'];
    readonly tinker?: StoredRun['tinker'];
  }> {
    const { sync, launch } = this.#context;
    const { order, tinker, devices } = this.#stored;
    if (tinker !== undefined) {
      const { port, ...plan } = await launch.prepareTinker(tinker, devices);
      return { plan, passed: {}, tinker: { ...tinker, port } };
    }
    const { token } = this.#cancellation;
    await sync.materialize(order.snapshot, folder, token);
    this.#throwIfStopped();
    const request = await this.#request(folder);
    return { plan: await launch.prepare(request, token), passed: request.order.env };
  }

  async #request(folder: string): Promise<LaunchRequest> {
    const { id, devices } = this.#stored;
    const order = trainingOf(this.#stored.order);
    const env = await this.#folder.readValues();
    const lost = order.env.filter((name) => !(name in env));
    if (lost.length > 0) throw runErrors.variablesLost(lost);
    const request = { run: id, order: { ...order, env }, folder, devices };
    if (order.from === undefined) return request;
    const { jobFolder = null, stages } = this.#context.recordOf(order.from.run) ?? {};
    if (jobFolder === null) throw runErrors.unknownJobFolder(order.from.run);
    return { ...request, from: { jobFolder, stages } };
  }

  async #startKeeper(): Promise<void> {
    for (;;) {
      try {
        await this.#processes.start();
        return;
      } catch (error) {
        if (this.#isClosed) return;
        if (this.#cancellation.token.isCancelled) return this.#end(null);
        if (!hasCode(error, ...shortages)) return this.#notStarted(messageOf(error));
        this.#failed(error);
        await waitFor(whenShort, this.#context.clock, this.#cancellation.token);
      }
    }
  }

  #notStarted(why: string): Promise<void> {
    return this.#endWith(`The run could not be started: ${why}.`);
  }

  #endWith(error: string): Promise<void> {
    return this.#end({ code: null, signal: null, error });
  }

  async #look(): Promise<void> {
    // Checked first, so that the log that is read after the end is complete.
    const exit = await this.#processes.look();
    if (this.#processes.hasFailed) return this.#notStarted('the process that monitors it ended at once');
    const isOver = exit !== undefined || !this.#processes.isAlive;
    if (this.#processes.launcher !== undefined || exit !== undefined) await this.#isRunning();
    if (this.#isClosed) return;
    await this.#tails.pump();
    this.#followRenamed();
    if (isOver) return this.#isOver(exit ?? (await this.#folder.exit()) ?? null);
    if (this.#is('running'))
      await (this.#stored.tinker === undefined ? this.#checkProgress() : this.#checkServer());
    this.#changed.fire();
  }

  /** A Ray job continues without its supervisor, also after a reboot. A new supervisor then waits for Ray to report the end. */
  async #isOver(exit: NotedExit | null): Promise<void> {
    const hasExitCode = exit?.signal === null;
    const isRay = this.#stored.order.launcher === 'ray';
    const job = hasExitCode || !isRay ? undefined : await this.#context.launch.rayJob(this.#folder.path);
    if (job === undefined || this.#stopper.hasKilled || !this.#processes.mayBeReplaced)
      return this.#end(exit);
    const { cancelledBy } = this.#stored;
    if (cancelledBy !== null && job.handed === 'no') return this.#end({ code: null, signal: null });
    // A cancellation from here on waits for the next supervisor.
    this.#processes.forget();
    this.#stopper.dispose();
    this.#stopper = this.#newStopper();
    this.#stopper.killAll();
    const how = exit === null ? 'has ended' : `was ended by ${exit.signal}`;
    await this.#notice(`The process that monitors the job on Ray ${how}. A new one monitors the job.`);
    await this.#folder.replaceProcesses({ ...job.supervisor, cwd: this.#folder.code, env: {} });
    await this.#startKeeper();
  }

  #newStopper(): Stopper {
    const { stop, clock } = this.#context;
    const times = stopTimesOf(this.#stored.order.launcher, stop);
    const processes = this.#processes;
    const group = (): string | undefined => processes.launcher?.group;
    return new Stopper({ run: this.id, times, clock, family: processes.family, group });
  }

  async #isRunning(): Promise<void> {
    if (this.#is('preparing')) await this.#folder.forgetValues();
    if (this.#is('preparing')) await this.#setState('running');
    const { launcher } = this.#processes;
    if (this.#stored.cancelledBy === null || launcher === undefined) return;
    this.#stopper.begin(launcher);
    await this.#isCancelling();
  }

  async #isCancelling(): Promise<void> {
    if (!this.isFinal && !this.#is('cancelling')) await this.#setState('cancelling');
  }

  #followRenamed(): void {
    const moved = renamedJob(this.#stored, this.events.fold.state.renamed);
    if (moved === undefined) return;
    this.#stored = { ...this.#stored, ...moved };
    this.#tails.followJob(this.#stored);
  }

  async #checkProgress(): Promise<void> {
    const raised = this.#stallDetector.look(this.events.fold.state.alarms, this.#context.clock.monotonic());
    if (raised.length > 0) await this.events.append(raised.map((one) => ({ type: 'alarm', ...one })));
  }

  async #checkServer(): Promise<void> {
    const port = this.#stored.tinker?.port ?? null;
    const phase = port === null ? undefined : this.#probe.look(port);
    if (phase !== undefined && phase !== this.events.fold.state.phase)
      await this.events.append([{ type: 'phase', phase }]);
  }

  /** @param exit null: the exit was not noted */
  async #end(exit: (RunExit & { readonly endedAt?: number }) | null): Promise<void> {
    if (this.isFinal) return;
    const { keeper } = this.#processes;
    const left = await this.#stopper.sweep(keeper?.pid);
    if (left > 0) {
      const processes = left === 1 ? 'a process' : `${left} processes`;
      await this.#notice(`Killed ${processes} that the run left behind.`);
    }
    if (this.#stored.launched) await this.#tails.drain();
    this.#followRenamed();
    const { failure, exception } = this.events.fold.state;
    const { cancelledBy, order } = this.#stored;
    const rebooted = exit === null && this.#stored.launched && keeper !== undefined && !sameBoot(keeper);
    const end = { launcher: order.launcher, exit, rebooted, cancelledBy, failure, exception };
    await this.events.append([{ type: 'state', ...outcomeOf(end) }]);
    this.#stored = { ...this.#stored, endedAt: exit?.endedAt ?? this.#context.clock.now() };
    if (!this.#isClosed) await this.#settle();
  }

  /** Writes the final record. If the disk is full, the next tick tries again. */
  async #settle(): Promise<void> {
    const { endedAt, final } = this.#stored;
    const at = endedAt ?? this.events.fold.state.stateAt;
    const record = final ?? { ...this.record, endedAt: at };
    // Only after the end is written: until then another host may have to start the run.
    await this.#folder.forgetOrder();
    await this.events.sync();
    await this.#folder.writeRecord({ ...this.#stored, endedAt: at, final: record });
    this.#stored = { ...this.#stored, endedAt: at, final: record };
    this.#changed.fire();
  }

  async #setState(state: RunState): Promise<void> {
    await this.events.append([{ type: 'state', state }]);
    this.#changed.fire();
  }

  #notice(text: string): Promise<void> {
    return this.events.append([{ type: 'notice', text }]);
  }

  async #store(change: Partial<StoredRun>): Promise<void> {
    this.#stored = { ...this.#stored, ...change };
    await this.#folder.writeRecord(this.#stored);
  }
}

/** The system has no more processes or open files for this user at the moment. */
const shortages = ['EMFILE', 'ENFILE', 'EAGAIN'] as const;
/** Milliseconds to the next attempt then. */
const whenShort = 2_000;

export const damageNotice =
  'The file events.ndjson of the run was damaged. The output of the run was read again from its log files. Notices of the host are lost.';

function failureText(error: unknown): string {
  const { message, hint } = toReport(error, 'host/prepare');
  return hint === undefined ? message : `${message} ${hint}`;
}

/** @param waits why it has not started */
function recordOf(stored: StoredRun, events: EventLog, waits: string | null): RunRecord {
  const { id, owner, createdAt, order, devices, startedAt, endedAt, jobFolder, stages, tinker } = stored;
  const { from = null, ...ordered } = order;
  const { state, reason, phase, exitCode, step, stage, reward } = events.fold.state;
  const { totalSteps } = stages?.[(stage ?? 1) - 1] ?? stored;
  return {
    id,
    ...ordered,
    ...{ owner, from, jobFolder, createdAt, startedAt, endedAt, events: events.last },
    ...{ state, phase, exitCode, step, totalSteps, reward },
    devices: state === 'queued' ? [] : devices,
    reason: state === 'queued' ? waits : reason,
    ...(stages && { stages }),
    ...(stage !== null && { stage }),
    ...(tinker && { tinker: { server: tinker.server, model: tinker.model } }),
  };
}
