import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError, toReport, type ErrorReport, type Location } from '../../../base/core/errors.ts';
import type { Clock, FileReader, PathRules } from '../../../base/core/ports.ts';
import type { Composition } from '../../../configs/core/compose.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import { isPython, type Locator } from '../../../configs/core/locator.ts';
import type {
  EpisodeResult,
  EpisodeTracking,
  RunLocations,
} from '../../../tracking/core/records/episodeResult.ts';
import type { RunEvent, RunRequest } from '../protocol/run.ts';
import type { ReplayedRun } from '../../../tracking/core/records/replayed.ts';
import type { RecordedRun } from '../../../traces/core/protocol/recorded.ts';
import type { TracedRunEnd } from '../../../tracking/core/records/tracedRun.ts';
import type { TraceWriter } from '../../../tracking/core/records/trace.ts';
import { createEpisodeTracker } from '../../../tracking/core/episodeTracker.ts';
import type { Task } from '../../../sdk/core/index.ts';
import { RunRecorder } from '../context-tracker/runRecorder.ts';
import { environmentsOf } from '../env-service/environment.ts';
import type { EnvTransport } from '../env-service/transport.ts';
import type { HelperLlm } from '../helper-llm/helperLlm.ts';
import { Random } from '../../../base/core/random.ts';
import type { FinishedCall } from '../model-tuner/call.ts';
import type { UserFunction } from '../function-form/calledByName.ts';
import { asWorkflowClass, type WorkflowClass } from '../function-form/functionWorkflow.ts';
import type { JudgeClass, UserMethod } from '../task-judge/judge.ts';
import type { DataSetPorts } from '../task-reader/data-set/dataSetPorts.ts';
import { readTasks } from '../task-reader/readers.ts';
import type { ReaderTools } from '../task-reader/readerTools.ts';
import { episodeSlots, rollOut } from '../task-rollout/rollout.ts';
import { RolloutState } from '../task-rollout/rolloutState.ts';
import { notesOf } from '../task-runner/outputNotes.ts';
import { runEpisode, type EpisodeContext, type EpisodeSlot } from '../task-runner/episode.ts';
import { factsOf, runStarted, tracedEpisode, type RunFacts } from './runFacts.ts';
import { judgeAgain } from './judgeAgain.ts';
import type { ModelPorts, ModelTuner } from './modelPorts.ts';
import { readPlan } from './readPlan.ts';
import { compared, requestFor, slotOf, wantedEpisode, type WantedEpisode } from './replayedEpisode.ts';
import { placesOf } from './runPlaces.ts';
import type { RunPlan } from './runPlan.ts';
import { judgingOf } from './judging.ts';
import { environmentPorts, taskSourceOf, type SourceOf } from './taskSource.ts';
import {
  formed,
  isFunction,
  judgeNamed,
  locator,
  namedAt,
  trainsClassesOnly,
  whoDecides,
  workflowOf,
  type Locate,
  type Place,
} from './userClasses.ts';

/** Where a run's results are kept. */
export interface RunFolder {
  /** Absolute; may differ from the plan's by a suffix, so that no earlier run is overwritten. */
  readonly path: string;
  /** Begins the run's trace in it. Throws a CodedError `trace/…`. */
  openTrace(run: RunFacts): TraceWriter;
}

export interface LaunchPorts extends ModelPorts {
  readonly clock: Clock;
  readonly files: FileReader;
  readonly paths: PathRules;
  emit(event: RunEvent): void;
  /** The effective config and what is wrong with it. Rejects only when there is no config to speak of. */
  readConfig(request: RunRequest): Promise<Composition>;
  loadWorkflow(locator: Locator): Promise<WorkflowClass | UserFunction>;
  loadJudge(locator: Locator): Promise<JudgeClass | UserFunction>;
  /** Rejects where Trinity-RFT knows no reward function of that name, or cannot import it. */
  loadRewardFn(name: string): Promise<void>;
  /** Where a class of the user's has a method, as it is written. Never rejects. */
  placeOfMethod(locator: Locator, method: UserMethod): Promise<Location>;
  /** Nothing is asked or opened before it is needed. */
  openHelper(plan: RunPlan): HelperLlm;
  readerTools(plan: RunPlan): ReaderTools;
  /** One episode of a trace, to be run again. Throws a CodedError `trace/…`. */
  readonly readReplayed: (file: string, episode: number) => ReplayedRun;
  /** The episodes of a trace. Throws a CodedError `trace/…`. */
  readTrace(file: string): RecordedRun;
  openFolder(plan: RunPlan, request: RunRequest): Promise<RunFolder>;
  readonly envTransport: EnvTransport;
  readonly dataSets: DataSetPorts;
  readonly episodes: Pick<EpisodeContext, 'newUuid' | 'userFrame' | 'onUncaught' | 'onEnd' | 'isHeld'>;
}

/** A whole run, from the request to `run-ended`; never rejects. */
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

/** What fails once a run is cancelled was given up, most likely. */
const cancelled: RunEnd = { status: 'cancelled', error: null };

function failed(error: unknown, ports: LaunchPorts): RunEnd {
  const location = error instanceof CodedError ? undefined : ports.episodes.userFrame(error);
  const report = toReport(error, 'launcher/unexpected');
  return { status: 'failed', error: { ...report, ...(location && { location }) } };
}

async function run(asked: RunRequest, ports: LaunchPorts, cancellation: CancellationToken): Promise<RunEnd> {
  const wanted = wantedEpisode(asked, ports.readReplayed);
  const request = requestFor(asked, wanted);
  const prepared = await prepare(request, wanted, ports, cancellation);
  const { plan, slots } = prepared;
  const text = await ports.findModelText(request, plan);
  if (text.problem !== undefined) warn(ports, text.problem);
  const modelTuner = await ports.openModelTuner(request, plan, text);
  try {
    const folder = await ports.openFolder(plan, request);
    const facts = factsOf(request, plan, {
      workflowFile: await fileOf(prepared.workflow, ports),
      judge: judgeNamed(prepared.config),
      model: modelTuner.description,
      tokenizer: text.note,
      tasks: new Set(slots.map(({ taskIndex }) => taskIndex)).size,
      episodes: slots.length,
      startedAt: ports.clock.now(),
    });
    const rollout = rolloutOf(prepared);
    const recorder = new RunRecorder({
      text,
      tracking: plan.tracking,
      createTracker: createEpisodeTracker,
      openTrace: request.trace === false ? undefined : () => folder.openTrace(facts),
      clock: ports.clock,
      warn: (problem) => warn(ports, problem),
      onTokens: (episode, tokens) => rollout.generated(episode, tokens),
    });
    const place = { folder: folder.path, trace: recorder.trace };
    ports.emit(runStarted(facts, { ...place, parallel: plan.parallel, mode: plan.mode }));
    modelTuner.onCall((call) => observeCall(call, recorder, ports));
    const context = contextOf(request, { ...prepared, rollout }, modelTuner, recorder, ports, cancellation);
    const rolling = rollOut(slots, plan.parallel, cancellation, (slot) =>
      observed(slot, { context, recorder, ports, wanted }, cancellation),
    );
    // Only now: the first episodes are in the workflow's code already, so no breakpoint there has waited for it.
    recorder.open();
    const finding = findPlaces(prepared.config, context, recorder);
    const end = await rolling.then(
      (): RunEnd => ({ status: cancellation.isCancelled ? 'cancelled' : 'completed', error: null }),
      (error: unknown) => failed(error, ports),
    );
    modelTuner.episodesEnded();
    ports.emit({ type: 'places', places: await finding });
    const selection = rollout.selection();
    if (selection !== undefined) ports.emit({ type: 'selection', episodes: [...selection] });
    recorder.runEnded({ ...end, ...(selection && { selection }), endedAt: ports.clock.now() });
    return end;
  } finally {
    await modelTuner.close();
  }
}

function rolloutOf({ plan, tasks, wanted }: Prepared): RolloutState {
  const { repeat: perTask, oversampling, worldSize, seed } = plan;
  const random = new Random(`selection ${seed}`);
  return new RolloutState({
    // One that is replayed has the number of then, by which the workflow finds its place in what all can see.
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
  const message = `${which} failed: ${failure.message} Again in ${seconds} s.`;
  return { type: 'log', level: 'warn', message };
}

function taskChanged(field: keyof Task): EpisodeTracking['problems'][number] {
  return {
    code: 'task-mutated',
    severity: 'warning',
    message: `The workflow changes \`${field}\` of its task. In AgentJet all repeats and attempts share one task, so later ones begin with the change.`,
  };
}

/** While the episodes run, for no breakpoint is to wait for it. */
function findPlaces(config: Config, context: EpisodeContext, recorder: RunRecorder): Promise<RunLocations> {
  const finding = placesOf(config, context).then((places) => {
    recorder.codeFound({ execute: places.execute, judge: places.judge });
    return places;
  });
  finding.catch(() => undefined); // told when the run waits for it
  return finding;
}

/** What a run needs of the user's files before its model. */
interface Prepared {
  readonly plan: RunPlan;
  readonly config: Config;
  readonly locate: Locate;
  readonly workflow: Place;
  readonly Workflow: WorkflowClass;
  readonly helper: HelperLlm;
  readonly sourceOf: SourceOf;
  readonly tasks: readonly Task[];
  readonly slots: readonly EpisodeSlot[];
  /** Undefined: all of the slots are the plan's. */
  readonly wanted: WantedEpisode | undefined;
}

async function prepare(
  request: RunRequest,
  wanted: WantedEpisode | undefined,
  ports: LaunchPorts,
  cancellation: CancellationToken,
): Promise<Prepared> {
  const { plan, config } = await readPlan(request, ports);
  const locate = locator(request, ports);
  const workflow = await workflowOf(plan, config, { locate, split: request.split });
  const helper = ports.openHelper(plan);
  const sourceOf = taskSourceOf({ request, plan, helper, cancellation }, ports);
  // Of a rollout, any task may be the one.
  const first = wanted?.run.isRollout === true ? Infinity : plan.firstTasks;
  const selection = { first, taskIds: request.taskIds };
  const { tasks, warnings } = await readTasks(sourceOf(config), selection);
  for (const warning of warnings) warn(ports, warning);
  const loaded = await namedAt(workflow.namedAt, ports.loadWorkflow(workflow.locator));
  if (plan.rewardFn !== undefined && workflow.locator.kind === 'trinity') {
    await namedAt(plan.rewardFn.namedAt, ports.loadRewardFn(plan.rewardFn.name));
  }
  const Workflow = await formed(
    () => asWorkflowClass(loaded),
    () => ports.placeOfMethod(workflow.locator, 'execute'),
  );
  if (plan.rules === 'ajet' && isPython(workflow.locator) && isFunction(Workflow)) {
    warn(ports, trainsClassesOnly(workflow, await ports.placeOfMethod(workflow.locator, 'execute')));
  }
  const slots = wanted === undefined ? episodeSlots(tasks, plan.repeat, plan.mode) : [slotOf(wanted, tasks)];
  return { plan, config, locate, workflow, Workflow, helper, sourceOf, tasks, slots, wanted };
}

/** Where a workflow's registry has it from shows when it is loaded. */
async function fileOf({ file, locator }: Place, ports: LaunchPorts): Promise<string> {
  return locator.kind === 'trinity' ? (await ports.placeOfMethod(locator, 'execute')).file : file;
}

function contextOf(
  request: RunRequest,
  { Workflow, rollout, ...prepared }: Prepared & { rollout: RolloutState },
  modelTuner: ModelTuner,
  recorder: RunRecorder,
  ports: LaunchPorts,
  cancellation: CancellationToken,
): EpisodeContext {
  const { plan, config } = prepared;
  const decides = whoDecides(Workflow, config);
  const judging = { ...prepared, decides, cancellation, folders: [plan.folder] };
  return {
    ...ports.episodes,
    ...judgingOf(judging, { ...ports, warn: (problem) => warn(ports, problem) }),
    Workflow,
    environments: environmentsOf(config, environmentPorts(plan, ports)),
    rollout,
    attempts: request.attempts ?? 1,
    onRetry: (slot, failure, seconds) =>
      ports.emit(triedAgain(slot, failure, seconds, request.attempts ?? 1)),
    onTaskChanged: ({ episode }, field) => recorder.note(episode, taskChanged(field)),
    clock: ports.clock,
    timeout: request.episodeTimeout,
    spansOf:
      ({ episode }) =>
      (span) =>
        recorder.spanBegins(episode, span),
    onReturn: ({ episode }, { task }, output) => {
      for (const note of notesOf(output)) recorder.note(episode, note);
      recorder.workflowReturned(episode, task, output);
    },
    openCalls: (slot, uuid) => {
      const now = ports.clock.now();
      if ((slot.attempt ?? 1) > 1) recorder.episodeRestarted(slot.episode);
      else recorder.episodeStarted(tracedEpisode(slot, uuid, now));
      if (rollout.isStopped(slot.episode)) recorder.episodesStopped([slot.episode], now);
      return modelTuner.openCalls(slot, uuid, (call) => recorder.callBegins(call));
    },
  };
}

function observeCall(call: FinishedCall, recorder: RunRecorder, ports: LaunchPorts): void {
  recorder.callEnded(call);
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

interface Observing {
  readonly context: EpisodeContext;
  readonly recorder: RunRecorder;
  readonly ports: LaunchPorts;
  readonly wanted: WantedEpisode | undefined;
}

async function observed(
  slot: EpisodeSlot,
  { context, recorder, ports, wanted }: Observing,
  cancellation: CancellationToken,
): Promise<EpisodeResult> {
  const { episode, repeat } = slot;
  ports.emit({ type: 'episode-started', episode, taskId: slot.task.task_id, repeat });
  const ended = await runEpisode(slot, context, cancellation);
  const isStopped = context.rollout.isStopped(episode);
  const result = await recorder.episodeEnded(isStopped ? { ...ended, stopped: true } : ended);
  const stopped = context.rollout.ended(result);
  recorder.episodesStopped(stopped, ports.clock.now());
  const both = wanted && !cancellation.isCancelled ? compared(result, wanted) : undefined;
  ports.emit({ type: 'episode-ended', result: both?.result ?? result });
  if (both !== undefined) ports.emit(both.told);
  return result;
}

function warn(ports: LaunchPorts, problem: CodedError): void {
  ports.emit({ type: 'problem', severity: 'warning', report: toReport(problem, problem.code) });
}
