/** A batch of episodes: what is read before it, and how it runs. A debug run has one, a training one for each step. */

import { CancellationSource, type CancellationToken } from '../../../base/core/cancellation.ts';
import type { CodedError, ErrorReport } from '../../../base/core/errors.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import { isPython, type Locator } from '../../../configs/core/locator.ts';
import type { EpisodeResult, EpisodeTracking } from '../../../tracking/core/records/episodeResult.ts';
import { type RunEvent, type RunRequest, warningEvent } from '../protocol/run.ts';
import type { ReplayedRun } from '../../../tracking/core/records/replayed.ts';
import type { RecordedRun } from '../../../traces/core/protocol/runRpc.ts';
import type { TraceWriter } from '../../../tracking/core/records/trace.ts';
import { createEpisodeTracker } from '../../../tracking/core/episodeTracker.ts';
import type { Task } from '../../../sdk/core/index.ts';
import { RunTracker, type RunTrackerOptions } from '../context-tracker/runTracker.ts';
import type { ModelTextSource } from '../context-tracker/modelTextSource.ts';
import { environmentsOf } from '../env-service/environment.ts';
import type { HelperLlm } from '../helper-llm/helperLlm.ts';
import { Random } from '../../../base/core/random.ts';
import type { TrainerPorts } from '../trainer/trainerPorts.ts';
import type { FinishedCall } from '../model-tuner/call.ts';
import { type CallBudget } from '../model-tuner/callBudget.ts';
import type { UserFunction } from '../function-form/bindByName.ts';
import { asWorkflowClass, type WorkflowClass } from '../function-form/functionWorkflow.ts';
import { readTasks } from '../task-reader/readers.ts';
import { episodeSlots, rollOut } from '../task-rollout/rollout.ts';
import { RolloutState } from '../task-rollout/rolloutState.ts';
import {
  attachedProblems,
  runEpisode,
  type EpisodeContext,
  type EpisodeSlot,
} from '../task-runner/episode.ts';
import {
  tracedEpisode,
  type RunFacts,
  type ModelPorts,
  type ModelTuner,
  readPlan,
  type RunPlan,
  type PlanPorts,
} from './runPlan.ts';
import { compareRewards, replaySlot, type ReplayTarget } from './replayedEpisode.ts';
import { judgeContextOf, type JudgeContextPorts } from './judgeContext.ts';
import { environmentPorts, taskSourceOf, type SourceOf, type SourcePorts } from './taskSource.ts';
import {
  atCodeLocation,
  isFunction,
  locatorResolver,
  atConfigLocation,
  functionNotTrained,
  rewardSource,
  workflowOf,
  type ResolveLocator,
  type ResolvedLocator,
} from './userClasses.ts';

export interface RunFolder {
  /** Absolute; may differ from the plan's by a suffix, so that no earlier run is overwritten. */
  readonly path: string;
  /** Begins the run's trace in it. Throws a CodedError `trace/…`. */
  openTrace(run: RunFacts): TraceWriter;
}

export interface LaunchPorts
  extends ModelPorts, PlanPorts, SourcePorts, Omit<JudgeContextPorts, 'warn' | 'episodes'> {
  readonly clock: Clock;
  loadWorkflow(locator: Locator): Promise<WorkflowClass | UserFunction>;
  /** Rejects if Trinity-RFT has no reward function of that name, or cannot import it. */
  loadRewardFn(name: string): Promise<void>;
  /** Opens the helper LLM lazily: at its first request. */
  openHelper(plan: RunPlan): HelperLlm;
  /** Reads one episode of a trace, to replay it. Throws a CodedError `trace/…`. */
  readonly readReplayed: (file: string, episode: number) => ReplayedRun;
  /** Reads the episodes of a trace. Throws a CodedError `trace/…`. */
  readTrace(file: string): RecordedRun;
  /** The limits of the run. */
  readonly budget: Pick<CallBudget, 'isReached' | 'onReached' | 'error' | 'end'>;
  openFolder(plan: RunPlan, request: RunRequest): Promise<RunFolder>;
  /** The server and the folder of a training. */
  readonly trainer: TrainerPorts;
  readonly episodes: Pick<
    EpisodeContext,
    'newUuid' | 'userFrame' | 'userStack' | 'callUser' | 'onUncaught' | 'onEnd' | 'isHeld'
  >;
}

/** Everything that a run reads from the user's files before it opens the model. */
export interface Prepared {
  readonly plan: RunPlan;
  readonly config: Config;
  readonly locate: ResolveLocator;
  readonly workflow: ResolvedLocator;
  readonly Workflow: WorkflowClass;
  readonly helper: HelperLlm;
  readonly sourceOf: SourceOf;
  readonly tasks: readonly Task[];
  readonly slots: readonly EpisodeSlot[];
  /** Undefined for a run that is not a replay. */
  readonly wanted: ReplayTarget | undefined;
}

export async function prepare(
  request: RunRequest,
  wanted: ReplayTarget | undefined,
  ports: LaunchPorts,
  cancellation: CancellationToken,
): Promise<Prepared> {
  const { plan, config } = await readPlan(request, ports);
  const locate = locatorResolver(request, ports);
  const workflow = await workflowOf(plan, config, { locate, split: request.split });
  const helper = ports.openHelper(plan);
  const sourceOf = taskSourceOf({ request, plan, helper, cancellation }, ports);
  // The episode of a rollout may belong to any task.
  const all = request.train === undefined ? plan.firstTasks : (request.firstTasks ?? Infinity);
  const first = wanted?.run.isRollout === true ? Infinity : all;
  const selection = { first, taskIds: request.taskIds };
  const { tasks, warnings } = await readTasks(sourceOf(config), selection);
  for (const warning of warnings) warn(ports, warning);
  const loaded = await atConfigLocation(workflow.configLocation, ports.loadWorkflow(workflow.locator));
  if (plan.rewardFn !== undefined && workflow.locator.kind === 'trinity') {
    await atConfigLocation(plan.rewardFn.namedAt, ports.loadRewardFn(plan.rewardFn.name));
  }
  const Workflow = await atCodeLocation(
    () => asWorkflowClass(loaded),
    () => ports.placeOfMethod(workflow.locator, 'execute'),
  );
  if (plan.rules === 'ajet' && isPython(workflow.locator) && isFunction(Workflow)) {
    warn(ports, functionNotTrained(workflow, await ports.placeOfMethod(workflow.locator, 'execute')));
  }
  const slots =
    wanted === undefined ? episodeSlots(tasks, plan.repeat, plan.mode) : [replaySlot(wanted, tasks)];
  return { plan, config, locate, workflow, Workflow, helper, sourceOf, tasks, slots, wanted };
}

export interface BatchParts extends Prepared {
  readonly request: RunRequest;
  readonly text: ModelTextSource;
  readonly modelTuner: ModelTuner;
  /** Begins the trace of the batch; undefined: it has none. */
  readonly openTrace: (() => TraceWriter) | undefined;
  /** Called with the training samples of an episode that ended, one per timeline. */
  readonly onSamples?: RunTrackerOptions['onSamples'];
  readonly ports: LaunchPorts;
  readonly cancellation: CancellationToken;
}

/** A batch whose episodes run. */
export interface LiveRun extends BatchParts {
  readonly rollout: RolloutState;
  readonly tracker: RunTracker;
  readonly context: EpisodeContext;
  /** Stops observing calls. */
  close(): void;
}

/** Starts to track a batch. */
export function openBatch(parts: BatchParts): LiveRun {
  const { text, plan, ports, modelTuner, openTrace, onSamples } = parts;
  const rollout = rolloutOf(parts);
  const tracker = new RunTracker({
    text,
    tracking: plan.tracking,
    createTracker: createEpisodeTracker,
    openTrace,
    clock: ports.clock,
    warn: (problem) => warn(ports, problem),
    onTokens: (episode, tokens) => rollout.generated(episode, tokens),
    onSamples,
  });
  const observing = modelTuner.onCall((call) => observeCall(call, tracker, ports));
  const live = { ...parts, rollout, tracker, close: () => observing.dispose() };
  return { ...live, context: contextOf(live) };
}

/** Runs the episodes of a batch. Rejects only if the run cannot continue. */
export async function runBatch(live: LiveRun): Promise<readonly EpisodeResult[]> {
  const { request, plan, slots, ports, cancellation } = live;
  // At the limit of calls, and with `failFast`, no more episodes start. Running ones end by themselves.
  const starting = new CancellationSource(cancellation);
  const limit = ports.budget.onReached(() => starting.cancel());
  let hasGood = false;
  try {
    return await rollOut(slots, plan.parallel, starting.token, async (slot) => {
      const result = await observed(slot, live);
      hasGood ||= result.error === null;
      if (request.failFast === true && !hasGood && isRepeated(result)) starting.cancel();
      return result;
    });
  } finally {
    limit.dispose();
  }
}

/** Errors about the model server or a package. They do not depend on the task. */
const repeatedErrors: ReadonlySet<string> = new Set([
  'model/unreachable', 'model/unauthorized', 'model/not-found', 'model/redirected',
  'python/no-such-module', 'python/no-such-class', 'python/syntax', 'python/import-raised',
]); // prettier-ignore

/** Returns true for an error that every other episode would have if none has succeeded. An episode loads only the judge. */
function isRepeated({ error }: EpisodeResult): boolean {
  return error !== null && (repeatedErrors.has(error.code) || error.code.startsWith('loader/'));
}

function rolloutOf({ plan, tasks, wanted }: Prepared): RolloutState {
  const { repeat: perTask, oversampling, worldSize, seed } = plan;
  const random = new Random(`selection ${seed}`);
  return new RolloutState({
    // A replayed episode keeps its recorded number, which is its index in the observation window.
    tasks: wanted?.run.tasks ?? tasks.length,
    perTask: wanted?.run.repeat ?? perTask,
    oversampling,
    worldSize,
    random: () => random.next(),
  });
}

function contextOf(live: Omit<LiveRun, 'context'>): EpisodeContext {
  const { request, plan, config, Workflow, rollout, modelTuner, tracker, ports } = live;
  const decides = rewardSource(Workflow, config);
  const told = new Set<string>();
  return {
    ...ports.episodes,
    ...judgeContextOf(
      { ...live, decides, folders: [plan.folder] },
      { ...ports, warn: (problem) => warn(ports, problem) },
    ),
    Workflow,
    openEnvironment: environmentsOf(config, environmentPorts(plan, ports)),
    rollout,
    attempts: request.attempts ?? 1,
    onRetry: (slot, failure, seconds) => {
      // Only the first of several episodes with the same error warns.
      const level = told.has(failure.message) ? 'debug' : 'warn';
      told.add(failure.message);
      ports.emit(triedAgain(slot, failure, seconds, request.attempts ?? 1, level));
    },
    onTaskChanged: ({ episode }, field) => tracker.note(episode, taskChanged(field)),
    clock: ports.clock,
    timeout: request.episodeTimeout,
    spansOf:
      ({ episode }) =>
      (span) =>
        tracker.spanBegins(episode, span),
    onReturn: ({ episode }, { task }, output) => {
      for (const note of attachedProblems(output)) tracker.note(episode, note);
      tracker.workflowReturned(episode, task, output);
    },
    onPrinted: ({ episode }, output) => tracker.printed(episode, output),
    openCalls: (slot, uuid) => {
      const now = ports.clock.now();
      if ((slot.attempt ?? 1) > 1) tracker.episodeRestarted(slot.episode);
      else tracker.episodeStarted(tracedEpisode(slot, uuid, now));
      if (rollout.isStopped(slot.episode)) tracker.episodesStopped([slot.episode], now);
      return modelTuner.openCalls(slot, uuid, (call) => tracker.callBegins(call));
    },
  };
}

function observeCall(call: FinishedCall, tracker: RunTracker, ports: LaunchPorts): void {
  tracker.callEnded(call);
  const { episode, agentName, debugModel, seconds, status } = call;
  ports.emit({
    type: 'llm-call',
    episode,
    call: call.call,
    agent: agentName,
    ...(debugModel !== null && { debugModel }),
    seconds,
    status,
  });
}

async function observed(
  slot: EpisodeSlot,
  { context, tracker, ports, wanted, rollout, cancellation }: LiveRun,
): Promise<EpisodeResult> {
  const { episode, repeat } = slot;
  ports.emit({ type: 'episode-started', episode, taskId: slot.task.task_id, repeat });
  const ended = await runEpisode(slot, context, cancellation);
  const isStopped = rollout.isStopped(episode);
  const result = await tracker.episodeEnded(isStopped ? { ...ended, stopped: true } : ended);
  const stopped = rollout.ended(result);
  tracker.episodesStopped(stopped, ports.clock.now());
  const both = wanted && !cancellation.isCancelled ? compareRewards(result, wanted) : undefined;
  ports.emit({ type: 'episode-ended', result: both?.result ?? result });
  if (both !== undefined) ports.emit(both.event);
  return result;
}

function triedAgain(
  slot: EpisodeSlot,
  failure: ErrorReport,
  seconds: number,
  attempts: number,
  level: 'debug' | 'warn',
): RunEvent {
  const { task, repeat, attempt = 1 } = slot;
  const which = `task ${task.task_id}, repeat ${repeat}: attempt ${attempt} of ${attempts}`;
  const message = `${which} failed: ${failure.message} The next attempt starts in ${seconds} s.`;
  return { type: 'log', level, message };
}

function taskChanged(field: keyof Task): EpisodeTracking['problems'][number] {
  return {
    code: 'task-mutated',
    severity: 'warning',
    message: `The workflow changes \`${field}\` of its task. In AgentJet all repeats and attempts share one task, so later ones begin with the change.`,
  };
}

export function warn(ports: LaunchPorts, problem: CodedError): void {
  ports.emit(warningEvent(problem));
}
