import { CancellationSource, type CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError, toReport, type ErrorReport, type Location } from '../../../base/core/errors.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import { isPython, type Locator } from '../../../configs/core/locator.ts';
import type {
  EpisodeResult,
  EpisodeTracking,
  RunLocations,
} from '../../../tracking/core/records/episodeResult.ts';
import { type RunEvent, type RunRequest, warningEvent } from '../protocol/run.ts';
import type { ReplayedRun } from '../../../tracking/core/records/replayed.ts';
import type { RecordedRun } from '../../../traces/core/protocol/runRpc.ts';
import type { TracedRunEnd } from '../../../tracking/core/records/tracedRun.ts';
import type { TraceWriter } from '../../../tracking/core/records/trace.ts';
import { createEpisodeTracker } from '../../../tracking/core/episodeTracker.ts';
import type { Task } from '../../../sdk/core/index.ts';
import { RunTracker } from '../context-tracker/runTracker.ts';
import { environmentsOf } from '../env-service/environment.ts';
import type { HelperLlm } from '../helper-llm/helperLlm.ts';
import { Random } from '../../../base/core/random.ts';
import type { FinishedCall } from '../model-tuner/call.ts';
import { limitCode, type CallBudget } from '../model-tuner/callBudget.ts';
import type { UserFunction } from '../function-form/bindByName.ts';
import { asWorkflowClass, type WorkflowClass } from '../function-form/functionWorkflow.ts';
import type { JudgeContext } from '../task-judge/judge.ts';
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
  factsOf,
  runStarted,
  tracedEpisode,
  type RunFacts,
  type ModelPorts,
  type ModelTuner,
  readPlan,
  type RunPlan,
  type PlanPorts,
} from './runPlan.ts';
import { judgeAgain } from './judgeAgain.ts';
import {
  compareRewards,
  replayRequest,
  replaySlot,
  replayTarget,
  type ReplayTarget,
} from './replayedEpisode.ts';
import { judgeContextOf, type JudgeContextPorts } from './judgeContext.ts';
import { environmentPorts, taskSourceOf, type SourceOf, type SourcePorts } from './taskSource.ts';
import {
  atCodeLocation,
  isFunction,
  configuredJudge,
  locatorResolver,
  atConfigLocation,
  functionNotTrained,
  rewardSource,
  workflowOf,
  type ResolveLocator,
  type ResolvedLocator,
} from './userClasses.ts';
import type { FindingKind } from '../../../tracking/core/findingKind.ts';
import { findingKinds } from '../../../tracking/core/findings.ts';

export async function findCodeLocations(
  config: Config,
  { placeOf }: Pick<JudgeContext, 'placeOf'>,
): Promise<RunLocations> {
  const [execute, judge] = await Promise.all([placeOf('execute'), judgePlace(config, placeOf)]);
  return {
    ...(execute && { execute }),
    ...(judge && { judge }),
    keys: Object.fromEntries(findingKeys.map((key) => [key, config.locate(key)])),
  };
}

async function judgePlace(config: Config, placeOf: JudgeContext['placeOf']): Promise<Location | undefined> {
  if (configuredJudge(config) === undefined) return undefined;
  // The judge that the config names may not exist, as long as no episode needs it.
  return placeOf('computeReward').catch(() => config.locate('ajet.task_judge.judge_protocol'));
}

const kinds: readonly FindingKind[] = Object.values(findingKinds);
const findingKeys: readonly string[] = [
  ...new Set(kinds.flatMap(({ target: place = '' }) => (place.startsWith('key:') ? [place.slice(4)] : []))),
];

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
  readonly budget: Pick<CallBudget, 'isReached' | 'onReached' | 'error'>;
  openFolder(plan: RunPlan, request: RunRequest): Promise<RunFolder>;
  readonly episodes: Pick<
    EpisodeContext,
    'newUuid' | 'userFrame' | 'userStack' | 'callUser' | 'onUncaught' | 'onEnd' | 'isHeld'
  >;
}

/** Executes a run, from the request to `run-ended`. Never rejects. */
export async function launch(
  request: RunRequest,
  ports: LaunchPorts,
  cancellation: CancellationToken,
): Promise<void> {
  const work =
    request.judge === undefined
      ? run(request, ports, cancellation)
      : judgeAgain(request, request.judge, ports, cancellation);
  const end = await work.catch((error: unknown) =>
    cancellation.isCancelled ? cancelled : failed(error, ports),
  );
  ports.emit({ type: 'run-ended', ...end });
}

export type RunEnd = Omit<TracedRunEnd, 'endedAt'>;

/** Used for every failure after a cancellation, since the cancellation most likely caused it. */
const cancelled: RunEnd = { status: 'cancelled', error: null };

function failed(error: unknown, ports: LaunchPorts): RunEnd {
  const location = error instanceof CodedError ? undefined : ports.episodes.userFrame(error);
  const report = toReport(error, 'launcher/unexpected');
  return { status: 'failed', error: { ...report, ...(location && { location }) } };
}

async function run(asked: RunRequest, ports: LaunchPorts, cancellation: CancellationToken): Promise<RunEnd> {
  const wanted = replayTarget(asked, ports.readReplayed);
  const request = replayRequest(asked, wanted);
  const prepared = await prepare(request, wanted, ports, cancellation);
  const { plan, slots } = prepared;
  const text = await ports.findModelText(request, plan);
  if (text.problem !== undefined) warn(ports, text.problem);
  const modelTuner = await ports.openModelTuner(request, plan, text);
  try {
    const folder = await ports.openFolder(plan, request);
    const facts = factsOf(request, plan, {
      workflowFile: await fileOf(prepared.workflow, ports),
      judge: configuredJudge(prepared.config),
      model: modelTuner.description,
      tokenizer: text.note,
      tasks: new Set(slots.map(({ taskIndex }) => taskIndex)).size,
      episodes: slots.length,
      startedAt: ports.clock.now(),
    });
    const rollout = rolloutOf(prepared);
    const tracker = new RunTracker({
      text,
      tracking: plan.tracking,
      createTracker: createEpisodeTracker,
      openTrace: request.trace === false ? undefined : () => folder.openTrace(facts),
      clock: ports.clock,
      warn: (problem) => warn(ports, problem),
      onTokens: (episode, tokens) => rollout.generated(episode, tokens),
    });
    const place = { folder: folder.path, trace: tracker.trace };
    ports.emit(runStarted(facts, { ...place, parallel: plan.parallel, mode: plan.mode }));
    modelTuner.onCall((call) => observeCall(call, tracker, ports));
    // Before the first episode, so that no episode's time includes it.
    if (text.opensOnDemand !== true) await tracker.open();
    const live = { ...prepared, request, rollout, modelTuner, tracker, ports, cancellation };
    const context = contextOf(live);
    // At the limit of calls, and with `failFast`, no more episodes start. Running ones end by themselves.
    const starting = new CancellationSource(cancellation);
    const limit = ports.budget.onReached(() => starting.cancel());
    let hasGood = false;
    const rolling = rollOut(slots, plan.parallel, starting.token, async (slot) => {
      const result = await observed(slot, context, live);
      hasGood ||= result.error === null;
      if (request.failFast === true && !hasGood && isRepeated(result)) starting.cancel();
      return result;
    });
    const finding = findPlaces(prepared.config, context, tracker);
    const end = await rolling.then(
      (results) => endOf(results, live),
      (error: unknown) => failed(error, ports),
    );
    limit.dispose();
    modelTuner.episodesEnded();
    ports.emit({ type: 'places', places: await finding });
    const selection = rollout.selection();
    if (selection !== undefined) ports.emit({ type: 'selection', episodes: [...selection] });
    tracker.runEnded({ ...end, ...(selection && { selection }), endedAt: ports.clock.now() });
    return end;
  } finally {
    await modelTuner.close();
  }
}

function endOf(results: readonly EpisodeResult[], { slots, ports, cancellation }: LiveRun): RunEnd {
  if (cancellation.isCancelled) return cancelled;
  const left = slots.length - results.length;
  if (!ports.budget.isReached) return left === 0 ? { status: 'completed', error: null } : repeatedError(left);
  const stopped = results.filter(({ error }) => error?.code === limitCode).length;
  const counts = { ended: results.length - stopped, stopped, total: slots.length };
  return failed(ports.budget.error(counts), ports);
}

/** @param left the number of episodes that did not run */
function repeatedError(left: number): RunEnd {
  const episodes = left === 1 ? 'the last episode' : `the other ${left} episodes`;
  const message = `The run stopped, because ${episodes} would fail with the same error.`;
  return { status: 'failed', error: { code: 'launcher/repeated-error', message } };
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

function triedAgain(slot: EpisodeSlot, failure: ErrorReport, seconds: number, attempts: number): RunEvent {
  const { task, repeat, attempt = 1 } = slot;
  const which = `task ${task.task_id}, repeat ${repeat}: attempt ${attempt} of ${attempts}`;
  const message = `${which} failed: ${failure.message} The next attempt starts in ${seconds} s.`;
  return { type: 'log', level: 'warn', message };
}

function taskChanged(field: keyof Task): EpisodeTracking['problems'][number] {
  return {
    code: 'task-mutated',
    severity: 'warning',
    message: `The workflow changes \`${field}\` of its task. In AgentJet all repeats and attempts share one task, so later ones begin with the change.`,
  };
}

/** Runs in parallel with the episodes, so that breakpoints do not wait for it. */
function findPlaces(config: Config, context: EpisodeContext, tracker: RunTracker): Promise<RunLocations> {
  const finding = findCodeLocations(config, context).then((places) => {
    tracker.codeFound({ execute: places.execute, judge: places.judge });
    return places;
  });
  finding.catch(() => undefined); // reported when the run awaits it
  return finding;
}

/** Everything that a run reads from the user's files before it opens the model. */
interface Prepared {
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

async function prepare(
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
  const first = wanted?.run.isRollout === true ? Infinity : plan.firstTasks;
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

/** The file of a workflow in Trinity-RFT's registry is known only after it is loaded. */
async function fileOf({ file, locator }: ResolvedLocator, ports: LaunchPorts): Promise<string> {
  return locator.kind === 'trinity' ? (await ports.placeOfMethod(locator, 'execute')).file : file;
}

interface LiveRun extends Prepared {
  readonly request: RunRequest;
  readonly rollout: RolloutState;
  readonly modelTuner: ModelTuner;
  readonly tracker: RunTracker;
  readonly ports: LaunchPorts;
  readonly cancellation: CancellationToken;
}

function contextOf(live: LiveRun): EpisodeContext {
  const { request, plan, config, Workflow, rollout, modelTuner, tracker, ports } = live;
  const decides = rewardSource(Workflow, config);
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
    onRetry: (slot, failure, seconds) =>
      ports.emit(triedAgain(slot, failure, seconds, request.attempts ?? 1)),
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
  context: EpisodeContext,
  { tracker, ports, wanted, rollout, cancellation }: LiveRun,
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

function warn(ports: LaunchPorts, problem: CodedError): void {
  ports.emit(warningEvent(problem));
}
