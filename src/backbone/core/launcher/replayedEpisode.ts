/** One episode of a trace, run again as the run of then would. */
import { CodedError } from '../../../base/core/errors.ts';
import type { EpisodeResult } from '../../../tracking/core/records/episodeResult.ts';
import type { RunEvent, RunRequest } from '../protocol/run.ts';
import type { ReplayedEpisode, ReplayedRun } from '../../../tracking/core/records/replayed.ts';
import type { Task } from '../../../sdk/core/index.ts';
import { noQuery } from '../function-form/taskRow.ts';
import type { EpisodeSlot } from '../task-runner/episode.ts';

/** The episode with the run that it was of. */
export interface ReplayTarget {
  readonly run: ReplayedRun;
  readonly episode: ReplayedEpisode;
  /** Of the trace, absolute. */
  readonly file: string;
}

/** Undefined where the request names none. Throws a CodedError `trace/…` or `replay/not-a-trace`. */
export function replayTarget(
  { replay }: RunRequest,
  readReplayed: (file: string, episode: number) => ReplayedRun,
): ReplayTarget | undefined {
  if (replay?.episode === undefined) return undefined;
  if (!replay.file.endsWith('.ajtrace')) throw notATrace(replay.file);
  const run = readReplayed(replay.file, replay.episode);
  const [episode] = run.episodes;
  return episode && { run, episode, file: replay.file };
}

/** The request by which the episode has the task, the split and the seed that it had. */
export function replayRequest(request: RunRequest, wanted: ReplayTarget | undefined): RunRequest {
  if (wanted === undefined) return request;
  // Its task is found among all.
  if (wanted.run.isRollout) return { ...request, taskIds: undefined, repeat: 1 };
  const { launch, seed } = wanted.run;
  const { trainableTargets = launch?.trainableTargets } = request;
  return {
    ...request,
    seed: request.seed ?? seed ?? undefined,
    split: launch?.split ?? request.split,
    mode: launch?.mode ?? request.mode,
    asUpstreamDebug: launch?.asUpstreamDebug ?? request.asUpstreamDebug,
    ...(trainableTargets && { trainableTargets: [...trainableTargets] }),
    taskIds: [wanted.episode.taskId],
    repeat: 1,
  };
}

/**
 * Its number and its places are those of then, so that the workflow is told the same.
 *
 * @param tasks those with the id of its task
 * @throws CodedError `replay/no-task`
 */
export function replaySlot({ run, episode, file }: ReplayTarget, tasks: readonly Task[]): EpisodeSlot {
  const { taskIndex, repeat, taskId, twin } = episode;
  const task = run.isRollout ? ofRollout(run, episode, tasks) : tasks[twin];
  if (task === undefined) {
    throw run.isRollout ? noTaskAsked(tasks.length, file) : noTask(taskId, tasks.length, file);
  }
  const slot = { episode: episode.episode, task, taskIndex, repeat };
  if (run.launch?.mode !== 'validate') return slot;
  return { ...slot, numbering: { taskBatchIndex: repeat * run.tasks + taskIndex, taskTag: `T${taskId}#R0` } };
}

/**
 * By its id, where AgentJet has logged it, and what was asked: training and validation may have other tasks of one id. An
 * environment's tasks ask nothing, and have only their ids.
 */
function ofRollout(
  { isLogged }: ReplayedRun,
  episode: ReplayedEpisode,
  tasks: readonly Task[],
): Task | undefined {
  const own = isLogged ? tasks.filter(({ task_id: id }) => id === episode.taskId) : [];
  const asked =
    askedIn(episode, own, saysInTokens) ?? askedIn(episode, tasks, (text, query) => text.includes(query));
  if (asked !== undefined) return asked;
  return own.length === 1 ? own.find(({ main_query: query }) => noQuery.has(query.trim())) : undefined;
}

type Says = (text: string, query: string) => boolean;

/** The task whose query stands in what a rollout's model was told; of several, the one with the most to say. */
function askedIn({ told }: ReplayedEpisode, tasks: readonly Task[], says: Says): Task | undefined {
  let found: Task | undefined;
  for (const task of tasks) {
    const query = task.main_query.trim();
    if (noQuery.has(query) || query.length <= (found?.main_query.trim().length ?? 0)) continue;
    if (told.some((text) => says(text, query))) found = task;
  }
  return found;
}

const isPart = '\ufffd';

/** Tokens that are parts of a character have lost it: up to four of them may stand for each that is not ASCII. */
function saysInTokens(text: string, query: string): boolean {
  if (text.includes(query)) return true;
  if (!text.includes(isPart)) return false;
  const pattern = query.replaceAll(/[$()*+.?[\\\]^{|}]|\P{ASCII}+/gu, (found) => {
    const { length } = Array.from(found);
    return /^\p{ASCII}/u.test(found) ? `\\${found}` : `[${found}${isPart}]{${length},${4 * length}}`;
  });
  return new RegExp(pattern, 'u').test(text);
}

/** How far a reward with the three decimals that AgentJet logs is from the one that it was. */
const rounding = 0.0005 + 1e-9;

/** What the result says of the one of then, and the log of both. */
export function compareRewards(
  result: EpisodeResult,
  { run, episode }: ReplayTarget,
): { readonly result: EpisodeResult; readonly told: RunEvent } {
  const { reward, isSuccess } = episode;
  const isSameReward =
    result.reward === reward ||
    (run.isLogged &&
      result.reward !== null &&
      reward !== null &&
      Math.abs(result.reward - reward) <= rounding);
  const isSame = isSameReward && result.isSuccess === isSuccess;
  const [now, then] = [result.reward, reward].map((one) => (one === null ? 'an error' : `reward ${one}`));
  const told = isSame
    ? `Episode ${result.episode} ended as it was recorded, with ${now ?? ''}.`
    : `Episode ${result.episode} ended otherwise than it was recorded: with ${now ?? ''}, recorded ${then ?? ''}${isSameReward ? ', and another success' : ''}.`;
  return {
    result: { ...result, recorded: { reward, isSuccess } },
    told: { type: 'log', level: isSame ? 'info' : 'warn', message: told },
  };
}

function notATrace(file: string): CodedError {
  return new CodedError({
    code: 'replay/not-a-trace',
    message: `Episodes have numbers in traces only, and ${file} is none.`,
    hint: 'Name an .ajtrace with --replay (launch.json: replay), or leave --episode (launch.json: episode) out.',
  });
}

function noTaskAsked(count: number, file: string): CodedError {
  return new CodedError({
    code: 'replay/no-task',
    message: `Of the ${count} tasks that the config reads, the rollout in ${file} was asked the query of none.`,
    hint: 'Choose the config and the split that were trained; a workflow that puts queries into other words cannot be found this way.',
  });
}

function noTask(taskId: string, count: number, file: string): CodedError {
  return new CodedError({
    code: 'replay/no-task',
    message: `The data set has ${count} of the tasks with the id ${JSON.stringify(taskId)}, fewer than when ${file} was made.`,
    hint: 'Bring the task back, or replay an episode of the first task with that id.',
  });
}
