import { backoff } from '../../../base/core/backoff.ts';
import { waitFor, type CancellationToken } from '../../../base/core/cancellation.ts';
import { DisposableStore } from '../../../base/core/disposable.ts';
import { CodedError, toReport, type ErrorReport, type Location } from '../../../base/core/errors.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type {
  EpisodeResult,
  EpisodeRouting,
  InjectedFault,
  EpisodeTracking,
} from '../../../tracking/core/records/episodeResult.ts';
import type { PrintedOutput } from '../../../tracking/core/records/trace.ts';
import type {
  AjetTuner,
  JudgeHelper,
  Task,
  Workflow,
  WorkflowOutput,
  WorkflowTask,
} from '../../../sdk/core/index.ts';
import type { OpenEnvironment, EpisodeEnvironment } from '../env-service/environment.ts';
import { runInSpan, type BeginSpan } from '../context-tracker/spans.ts';
import { limitCode } from '../model-tuner/callBudget.ts';
import { FunctionWorkflow } from '../function-form/functionWorkflow.ts';
import type { EpisodeWatch } from '../model-tuner/outsideCalls.ts';
import type { ModelAccess } from '../model-tuner/tuner.ts';
import type { RolloutState } from '../task-rollout/rolloutState.ts';
import {
  callUser,
  settleReward,
  type JudgeContext,
  type Outcome,
  type UserMethod,
} from '../task-judge/judge.ts';
import { afterRunningTime } from './runningTime.ts';

/** Identifies an episode: the `repeat`-th run of the task at `taskIndex`. */
export interface EpisodeSlot {
  /** `taskIndex` × repeats + `repeat`, upstream's `task_thread_index`. */
  readonly episode: number;
  readonly task: Task;
  readonly taskIndex: number;
  readonly repeat: number;
  /** From 1. Default: 1. */
  readonly attempt?: number;
  /** The step of the training, so that each step has other samples of a task. Default: no training. */
  readonly step?: number;
  /** Upstream's numbers, if they differ from the defaults. */
  readonly numbering?: EpisodeNumbers;
}

export type EpisodeNumbers = Pick<WorkflowTask, 'taskBatchIndex' | 'taskTag'>;

export interface EpisodeCalls {
  /** Returns the workflow's access to the models. It depends on the targets that the workflow trains. */
  tunerFor(workflow: Pick<Workflow, 'trainableTargets'>): ModelAccess;
  /** LLM calls answered so far by the model being trained. */
  readonly answered: number;
  /** The failure of the last call, if it failed: the most likely reason for an error of the workflow. */
  readonly failure: CodedError | undefined;
  readonly faults?: readonly InjectedFault[];
  readonly outside: EpisodeWatch;
  /** Absent: what is printed is not captured. */
  readonly printer?: EpisodePrinter;
  /** The calls that were not routed to the model being trained; undefined if there were none. */
  readonly routing: EpisodeRouting | undefined;
  /** Ends the episode's access; calls in flight end at once, as canceled. */
  close(): void;
}

/** Captures what the code of an episode prints. */
export interface EpisodePrinter {
  /** Runs code of the episode. Its output belongs to the episode, also later. */
  run<T>(work: () => T): T;
  /** Returns the output so far and forgets it; undefined: nothing was printed. */
  end(): PrintedOutput | undefined;
}

export interface EpisodeContext extends JudgeContext {
  readonly Workflow: new () => Workflow;
  readonly clock: Clock;
  /** Seconds of running time; undefined for no limit. */
  readonly timeout: number | undefined;
  openCalls(slot: EpisodeSlot, episodeUuid: string): EpisodeCalls;
  readonly openEnvironment: OpenEnvironment;
  readonly rollout: RolloutState;
  readonly attempts: number;
  /** Called before another attempt, which begins after `seconds`. */
  onRetry(slot: EpisodeSlot, failure: ErrorReport, seconds: number): void;
  onTaskChanged(slot: EpisodeSlot, field: keyof Task): void;
  /** Returns the recorder for an episode's work other than LLM calls. */
  spansOf?(slot: EpisodeSlot): BeginSpan;
  /** Called with the output of a workflow before it is scored. */
  onReturn?(slot: EpisodeSlot, task: WorkflowTask, output: WorkflowOutput): void;
  /** Called at the end of an attempt that printed something. */
  onPrinted?(slot: EpisodeSlot, output: PrintedOutput): void;
  /** 32 hexadecimal digits. */
  newUuid(): string;
  /** Called when the run no longer waits for code of the episode. */
  onEnd?(episodeUuid: string): void;
  /** Returns whether a debugger has suspended the user's code in another process. */
  isHeld?(): boolean;
  /** Reports errors outside of the workflow's promise, such as a throw in one of its timers. */
  onUncaught(listener: (error: unknown) => void): { dispose(): void };
}

/** Runs one episode to its result; never rejects. */
export async function runEpisode(
  slot: EpisodeSlot,
  context: EpisodeContext,
  cancellation: CancellationToken,
): Promise<EpisodeResult> {
  const start = context.clock.monotonic();
  for (let attempt = 1; ; attempt++) {
    const uuid = context.newUuid();
    const calls = context.openCalls({ ...slot, attempt }, uuid);
    const outcome = await settle(slot, uuid, calls, context, cancellation);
    const printed = calls.printer?.end();
    if (printed !== undefined) context.onPrinted?.(slot, printed);
    if (!('reward' in outcome) && attempt < context.attempts && !endsAttempts.has(outcome.code)) {
      const seconds = backoff(attempt, { first: 1, most: Infinity });
      context.onRetry({ ...slot, attempt }, outcome, seconds);
      if (await waitFor(seconds * 1000, context.clock, cancellation)) continue;
    }
    const seconds = (context.clock.monotonic() - start) / 1000;
    return {
      ...resultOf(slot, outcome, calls),
      seconds,
      ...(attempt > 1 && { attempts: attempt }),
    };
  }
}

/** Failures after which there is no further attempt, as in upstream. */
const endsAttempts: ReadonlySet<string> = new Set(['episode/cancelled', 'episode/timed-out', limitCode]);

function resultOf(
  slot: EpisodeSlot,
  outcome: Outcome | ErrorReport,
  calls: EpisodeCalls,
): Omit<EpisodeResult, 'seconds'> {
  const outside = calls.outside.list();
  return {
    episode: slot.episode,
    taskId: slot.task.task_id,
    repeat: slot.repeat,
    reward: null,
    isSuccess: false,
    llmCalls: calls.answered,
    ...(calls.routing && { routing: calls.routing }),
    ...('reward' in outcome && outcome),
    ...(outside.length > 0 && { outside: [...outside] }),
    error: 'reward' in outcome ? null : outcome,
    ...(calls.faults !== undefined && calls.faults.length > 0 && { faults: [...calls.faults] }),
  };
}

/** Runs one attempt. When it settles, all calls have ended and the environment is released. */
async function settle(
  slot: EpisodeSlot,
  uuid: string,
  calls: EpisodeCalls,
  context: EpisodeContext,
  cancellation: CancellationToken,
): Promise<Outcome | ErrorReport> {
  const stop = new DisposableStore();
  const { episode } = slot;
  const beginSpan = context.spansOf?.(slot);
  const environment = context.openEnvironment({
    episode,
    uuid,
    beginSpan,
    onStep: () => context.rollout.stepped(episode),
  });
  let running: UserMethod = 'execute';
  const onReturn: EpisodeContext['onReturn'] = (...returned) => {
    running = 'computeReward';
    context.onReturn?.(...returned);
  };
  let end: Outcome | ErrorReport;
  try {
    const helperLlm = watchedHelper(context.helperLlm, beginSpan);
    const own = { ...context, helperLlm, beginSpan, onReturn };
    const run = (): Promise<Outcome> => execute(slot, uuid, environment, calls, own);
    const work = calls.printer === undefined ? run() : calls.printer.run(run);
    end = await Promise.race([work, interruption(context, cancellation, stop, () => running)]);
  } catch (error) {
    end = explain(error, calls.failure, context);
  } finally {
    stop.dispose();
    calls.close();
    context.onEnd?.(uuid);
  }
  return leave(environment, end, cancellation);
}

/** Releases the environment. A failure becomes the error of the episode, or is added to the error it already has. */
async function leave(
  environment: EpisodeEnvironment,
  end: Outcome | ErrorReport,
  cancellation: CancellationToken,
): Promise<Outcome | ErrorReport> {
  try {
    await environment.leave(cancellation);
    return end;
  } catch (error) {
    const report = toReport(error, 'env-service/not-released');
    return 'reward' in end ? report : { ...end, message: `${end.message}\n${report.message}` };
  }
}

async function execute(
  slot: EpisodeSlot,
  uuid: string,
  environment: EpisodeEnvironment,
  calls: EpisodeCalls,
  context: EpisodeContext,
): Promise<Outcome> {
  const task = await prepare(slot, uuid, environment, context);
  const workflow = new context.Workflow();
  workflow.helperLlm = context.helperLlm;
  const given = taskFields.map((field) => JSON.stringify(task.task[field]));
  const access = calls.tunerFor(workflow);
  const tuner: AjetTuner = { ...access, config: context.config };
  const own = { kind: 'workflow', name: workflow.constructor.name } as const;
  const output: unknown = await runInSpan(context.beginSpan, own, () =>
    calls.outside.run(() => callUser(context, () => workflow.execute(task, tuner))),
  );
  noteChanges(slot, given, task.task, context);
  const { placeOf } = context;
  if (!isOutput(output)) throw noOutput(workflow, output, await placeOf('execute'));
  context.onReturn?.(slot, task, output);
  return settleReward(task, output, context, access.auxiliaryModels);
}

/** Records the helper LLM's calls as spans of the episode. */
function watchedHelper(helper: JudgeHelper, beginSpan: BeginSpan | undefined): JudgeHelper {
  return {
    ask: (messages) =>
      runInSpan(beginSpan, { kind: 'helper', name: 'helper LLM' }, () => helper.ask(messages)),
  };
}

const taskFields = ['main_query', 'init_messages', 'task_id', 'env_type', 'metadata'] as const;

function noteChanges(slot: EpisodeSlot, given: readonly string[], task: Task, context: EpisodeContext): void {
  const changed = taskFields.find((field, at) => given[at] !== JSON.stringify(task[field]));
  if (changed !== undefined) context.onTaskChanged(slot, changed);
}

/** Without `init_messages`, the query is the only message. Every episode gets a copy; upstream's repeats share it. */
async function prepare(
  slot: EpisodeSlot,
  episodeUuid: string,
  environment: EpisodeEnvironment,
  { rollout }: EpisodeContext,
): Promise<WorkflowTask> {
  const task = await environment.enter(JSON.parse(JSON.stringify(slot.task)) as Task);
  if (task.init_messages.length === 0 && task.main_query === '') throw nothingToAsk(slot);
  const init_messages =
    task.init_messages.length > 0 ? task.init_messages : [{ role: 'user', content: task.main_query }];
  return {
    task: { ...task, init_messages },
    taskId: task.task_id,
    envType: task.env_type,
    taskThreadIndex: slot.episode,
    ...(slot.numbering ?? {
      taskBatchIndex: slot.taskIndex,
      taskTag: `T${task.task_id}#R${slot.repeat}`,
    }),
    episodeUuid,
    observationWindow: rollout.window,
    gymEnv: environment.gymEnv,
  };
}

/** The parts of the context that can interrupt an episode. */
export type Interruptible = Pick<EpisodeContext, 'clock' | 'timeout' | 'placeOf' | 'onUncaught' | 'isHeld'>;

/** Rejects when the episode is canceled, times out, or throws outside of its promise. `running`: the user's method. */
export function interruption(
  context: Interruptible,
  cancellation: CancellationToken,
  stop: DisposableStore,
  running: () => UserMethod,
): Promise<never> {
  return new Promise((_, reject) => {
    stop.add(cancellation.onCancelled(() => reject(cancelled())));
    stop.add(context.onUncaught(reject));
    const seconds = context.timeout;
    if (seconds === undefined) return;
    const give = (): void => {
      const method = running();
      void context.placeOf(method).then((location) => reject(timedOut(method, seconds, location)), reject);
    };
    stop.add(afterRunningTime(context.clock, seconds, give, () => context.isHeld?.() ?? false));
  });
}

/** Returns the report for an error of the workflow, with the location in the user's code. A failure of the model has priority. */
export function explain(
  error: unknown,
  modelFailure: CodedError | undefined,
  context: Pick<EpisodeContext, 'userFrame' | 'userStack'>,
): ErrorReport {
  const location = context.userFrame(error);
  const userStack = context.userStack?.(error instanceof CodedError ? error.cause : error);
  const stack = userStack === undefined ? {} : { userStack };
  if (error instanceof CodedError) return { ...toReport(error, error.code), ...stack };
  const thrown = error instanceof Error ? toReport(error, 'episode/workflow-threw') : notAnError(error);
  const report = modelFailure === undefined ? thrown : { ...toReport(modelFailure, ''), stack: thrown.stack };
  return {
    ...report,
    ...stack,
    ...(report.location === undefined && location !== undefined && { location }),
    hint:
      report.hint ??
      'Set a breakpoint there, or use --verbose (launch.json: verbose) to see the whole stack.',
  };
}

function notAnError(value: unknown): ErrorReport {
  return {
    code: 'episode/workflow-threw',
    message: `The workflow threw ${typeof value === 'string' ? JSON.stringify(value) : String(value)}, which is not an Error and has no stack.`,
    hint: 'Throw an Error. Under the debugger, the run stops at the statement.',
  };
}

function isOutput(value: unknown): value is WorkflowOutput {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function noOutput(workflow: Workflow, value: unknown, location: Location | undefined): CodedError {
  const { name } = workflow.constructor;
  const isFunction = workflow instanceof FunctionWorkflow;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  return new CodedError({
    code: 'episode/no-output',
    location,
    message: `${isFunction ? `The workflow ${name}` : `execute of ${name}`} returned ${kind}, not a WorkflowOutput.`,
    hint: `Return an object such as ${isFunction ? '{reward, response, metrics}' : '{reward, isSuccess, metadata}'}.`,
  });
}

function nothingToAsk(slot: EpisodeSlot): CodedError {
  return new CodedError({
    code: 'episode/empty-task',
    message: `The task ${JSON.stringify(slot.task.task_id)} has neither a main_query nor init_messages.`,
    hint: 'Add one of them to the row. AgentJet rejects such a task too.',
  });
}

function cancelled(): CodedError {
  return new CodedError({ code: 'episode/cancelled', message: 'The run was stopped.' });
}

function timedOut(method: UserMethod, seconds: number, location: Location | undefined): CodedError {
  return new CodedError({
    code: 'episode/timed-out',
    location,
    message: `${method === 'execute' ? 'The workflow' : 'The judge'} did not return within ${seconds} s (time at breakpoints does not count).`,
    hint: 'Look for an await that never settles, or increase --episode-timeout (launch.json: episodeTimeout).',
  });
}

type EpisodeProblem = EpisodeTracking['problems'][number];

/** Problems that a kind of workflow found in an episode. They are not part of the output, which belongs to the user. */
const notes = new WeakMap<WorkflowOutput, readonly EpisodeProblem[]>();

export function attachProblems<T extends WorkflowOutput>(output: T, problems: readonly EpisodeProblem[]): T {
  notes.set(output, problems);
  return output;
}

export function attachedProblems(output: WorkflowOutput): readonly EpisodeProblem[] {
  return notes.get(output) ?? [];
}
