/** A run that scores the recorded episodes of a trace again. It does not run them. */
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { DisposableStore } from '../../../base/core/disposable.ts';
import { omit } from '../../../base/core/omit.ts';
import { CodedError, type ErrorReport } from '../../../base/core/errors.ts';
import type { Locator } from '../../../configs/core/locator.ts';
import type { EpisodeResult } from '../../../tracking/core/records/episodeResult.ts';
import { type RunRequest, warningEvent } from '../protocol/run.ts';
import type { RecordedEpisode, RecordedRun } from '../../../traces/core/protocol/runRpc.ts';
import type { TracedRunEnd } from '../../../tracking/core/records/tracedRun.ts';
import type { TracedReturn } from '../../../tracking/core/records/trace.ts';
import type { Task, WorkflowOutput, WorkflowTask } from '../../../sdk/core/index.ts';
import { noGymEnv } from '../env-service/gymEnv.ts';
import type { HelperLlm } from '../helper-llm/helperLlm.ts';
import { callJudge, type JudgeContext, type Outcome } from '../task-judge/judge.ts';
import { rollOut } from '../task-rollout/rollout.ts';
import {
  explain,
  interruption,
  type EpisodeCalls,
  type EpisodeContext,
  type EpisodeSlot,
  type Interruptible,
} from '../task-runner/episode.ts';
import { judgeContextOf, type JudgeContextPorts } from './judgeContext.ts';
import { type ModelPorts, type ModelTuner, readPlan, type PlanPorts, type RunPlan } from './runPlan.ts';
import { taskSourceOf, type SourcePorts } from './taskSource.ts';
import { locatorResolver } from './userClasses.ts';

export interface JudgeAgainPorts extends PlanPorts, SourcePorts, ModelPorts, Omit<JudgeContextPorts, 'warn'> {
  /** Reads the episodes of a trace. Throws a CodedError `trace/…`. */
  readTrace(file: string): RecordedRun;
  openHelper(plan: RunPlan): HelperLlm;
  readonly episodes: JudgeContextPorts['episodes'] &
    Pick<EpisodeContext, 'onUncaught' | 'newUuid' | 'onEnd' | 'isHeld'>;
}

interface JudgeAgainContext extends JudgeContext, Interruptible, Pick<EpisodeContext, 'onEnd'> {
  /** Returns undefined if the run has no debug model for the judge. */
  openCalls(slot: EpisodeSlot): Promise<EpisodeCalls> | undefined;
}

/** Scores each recorded task and output, without the workflow's reward. An error ends only its own episode. */
export async function judgeAgain(
  asked: RunRequest,
  judge: NonNullable<RunRequest['judge']>,
  ports: JudgeAgainPorts,
  cancellation: CancellationToken,
): Promise<Omit<TracedRunEnd, 'endedAt'>> {
  const recorded = ports.readTrace(judge.trace);
  const request = judge.ownConfig ? asked : { ...asked, config: recorded.config };
  const episodes = chosen(recorded.episodes, judge);
  const { plan, config } = await readPlan(request, ports);
  const workflow = {
    file: recorded.workflowFile,
    locator: locatorOf(recorded),
    configLocation: config.locate('ajet.rollout.user_workflow'),
  };
  const helper = ports.openHelper(plan);
  const locate = locatorResolver(request, ports);
  const sourceOf = taskSourceOf({ request, plan, helper, cancellation }, ports);
  const folders = [ports.paths.dirname(judge.trace), plan.folder];
  const warn = (problem: CodedError): void => ports.emit(warningEvent(problem));
  const models = judgeModels(request, plan, ports);
  const context: JudgeAgainContext = {
    ...judgeContextOf(
      { plan, config, locate, decides: 'judge', workflow, helper, cancellation, sourceOf, folders },
      { ...ports, warn },
    ),
    clock: ports.clock,
    timeout: request.episodeTimeout,
    onUncaught: (listener) => ports.episodes.onUncaught(listener),
    onEnd: (uuid) => ports.episodes.onEnd?.(uuid),
    isHeld: () => ports.episodes.isHeld?.() ?? false,
    openCalls: models.openCalls,
  };
  ports.emit(started(request, judge.trace, recorded, episodes.length, plan));
  try {
    await rollOut(episodes, plan.parallel, cancellation, async (episode) => {
      const { taskId, repeat } = episode;
      ports.emit({ type: 'episode-started', episode: episode.episode, taskId, repeat });
      const result = await judgeEpisode(episode, context, cancellation);
      ports.emit({ type: 'episode-ended', result });
      return result;
    });
  } finally {
    await models.close();
  }
  return { status: cancellation.isCancelled ? 'cancelled' : 'completed', error: null };
}

function judgeModels(request: RunRequest, plan: RunPlan, ports: JudgeAgainPorts) {
  let opening: Promise<ModelTuner> | undefined;
  const open = async (): Promise<ModelTuner> => {
    const unrecorded = omit(request, 'record'); // the calls of a judge are not a recording of a run
    return ports.openModelTuner(unrecorded, plan, await ports.findModelText(unrecorded, plan));
  };
  return {
    openCalls: (slot: EpisodeSlot): Promise<EpisodeCalls> | undefined => {
      const names = plan.auxiliaryModels ?? Object.keys(request.debugModels ?? {});
      if (names.length === 0) return undefined;
      opening ??= open();
      return opening.then((tuner) => tuner.openCalls(slot, ports.episodes.newUuid()));
    },
    close: async (): Promise<void> => {
      const tuner = await opening?.catch(() => undefined); // every episode has reported a failure to open
      await tuner?.close();
    },
  };
}

function chosen(
  episodes: readonly RecordedEpisode[],
  { trace, episodes: wanted }: NonNullable<RunRequest['judge']>,
): readonly RecordedEpisode[] {
  if (episodes.length === 0) throw noEpisodes(trace);
  if (wanted === undefined) return episodes;
  const missing = wanted.find((number) => !episodes.some(({ episode }) => episode === number));
  if (missing !== undefined) throw noSuchEpisode(trace, missing, episodes);
  return episodes.filter(({ episode }) => wanted.includes(episode));
}

function started(
  { config }: RunRequest,
  trace: string,
  recorded: RecordedRun,
  episodes: number,
  { parallel }: RunPlan,
) {
  const { experiment, workflow, workflowFile, tasks, repeat } = recorded;
  const facts = { experiment, config, workflow, workflowFile, tasks, repeat, episodes, parallel };
  const model = 'none (recorded outputs are judged)';
  return { type: 'run-started', ...facts, model, folder: trace, judged: trace } as const;
}

async function judgeEpisode(
  recorded: RecordedEpisode,
  context: JudgeAgainContext,
  cancellation: CancellationToken,
): Promise<EpisodeResult> {
  const start = context.clock.monotonic();
  const outcome = await settle(recorded, context, cancellation);
  const { episode, taskId, repeat, reward, isSuccess } = recorded;
  const ended = 'reward' in outcome;
  return {
    episode,
    taskId,
    repeat,
    reward: ended ? outcome.reward : null,
    isSuccess: ended && outcome.isSuccess,
    ...(ended && outcome.metrics && { metrics: outcome.metrics }),
    llmCalls: 0,
    seconds: (context.clock.monotonic() - start) / 1000,
    error: ended ? null : outcome,
    recorded: { reward, isSuccess },
  };
}

async function settle(
  recorded: RecordedEpisode,
  context: JudgeAgainContext,
  cancellation: CancellationToken,
): Promise<Outcome | ErrorReport> {
  const stop = new DisposableStore();
  let calls: EpisodeCalls | undefined;
  try {
    const { returned, episode, taskIndex, repeat } = recorded;
    if (returned === null) throw nothingReturned();
    const task = taskOf(recorded, returned);
    calls = await context.openCalls({ episode, task: task.task, taskIndex, repeat });
    const models = calls?.tunerFor({ trainableTargets: null }).auxiliaryModels ?? {};
    const work = callJudge(task, JSON.parse(returned.output) as WorkflowOutput, context, models);
    return await Promise.race([work, interruption(context, cancellation, stop, () => 'computeReward')]);
  } catch (error) {
    return explain(error, calls?.failure, context);
  } finally {
    stop.dispose();
    calls?.close();
    context.onEnd?.(recorded.uuid);
  }
}

function locatorOf({ workflow, workflowFile }: RecordedRun): Locator {
  return { kind: 'file', where: workflowFile, name: workflow.split('->')[1] ?? '' };
}

/** Returns the task of the ended episode, whose environment no longer exists. */
function taskOf(recorded: RecordedEpisode, { task }: TracedReturn): WorkflowTask {
  const { episode, uuid, taskIndex, repeat } = recorded;
  const row = JSON.parse(task) as Task;
  return {
    task: row,
    taskId: row.task_id,
    envType: row.env_type,
    taskThreadIndex: episode,
    taskBatchIndex: taskIndex,
    taskTag: `T${row.task_id}#R${repeat}`,
    episodeUuid: uuid,
    observationWindow: {
      step: Array<number>(episode + 1).fill(-1),
      token: Array<number>(episode + 1).fill(0),
      stop: Array<boolean>(episode + 1).fill(false),
    },
    gymEnv: noGymEnv,
  };
}

function nothingReturned(): CodedError {
  return new CodedError({
    code: 'task-judge/nothing-returned',
    message: 'The trace has no output of this episode: its workflow failed or did not finish.',
    hint: 'Look at the episode in the trace. Fix the cause, then run the episode again.',
  });
}

function noEpisodes(trace: string): CodedError {
  return new CodedError({
    code: 'task-judge/no-episodes',
    message: 'The trace has no episodes.',
    location: { file: trace },
    hint: 'Run the config first.',
  });
}

function noSuchEpisode(trace: string, episode: number, has: readonly RecordedEpisode[]): CodedError {
  return new CodedError({
    code: 'trace/no-such-episode',
    message: `The trace has no episode ${episode}.`,
    location: { file: trace },
    hint: `It has ${has.length} episodes. The last one is ${has.at(-1)?.episode ?? 0}.`,
  });
}
