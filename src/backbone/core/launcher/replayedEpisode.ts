/** Replays one episode of a trace with the settings of the recorded run. */
import { CodedError } from '../../../base/core/errors.ts';
import type { EpisodeResult } from '../../../tracking/core/records/episodeResult.ts';
import type { RunEvent, RunRequest } from '../protocol/run.ts';
import type { ReplayedEpisode, ReplayedRun } from '../../../tracking/core/records/replayed.ts';
import type { Task } from '../../../sdk/core/index.ts';
import { noQuery } from '../function-form/functionWorkflow.ts';
import type { EpisodeSlot } from '../task-runner/episode.ts';

export interface ReplayTarget {
  readonly run: ReplayedRun;
  readonly episode: ReplayedEpisode;
  /** Absolute path of the trace. */
  readonly file: string;
}

/** Returns undefined if the request names no episode. Throws a CodedError `trace/…` or `replay/not-a-trace`. */
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

export function replayRequest(request: RunRequest, wanted: ReplayTarget | undefined): RunRequest {
  if (wanted === undefined) return request;
  // The task of a rollout is searched among all tasks.
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

/** Returns the episode with its recorded numbers. `tasks` are those with the recorded id. Throws `replay/no-task`. */
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
 * Finds the task of a rollout's episode by its query, preferably among the tasks with the logged id. Training and
 * validation may use the same id for different tasks. Tasks of an environment have no query, so the id alone decides.
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

/** Returns the task whose query is in the prompts of the episode; of several, the one with the longest query. */
function askedIn({ prompts }: ReplayedEpisode, tasks: readonly Task[], says: Says): Task | undefined {
  let found: Task | undefined;
  for (const task of tasks) {
    const query = task.main_query.trim();
    if (noQuery.has(query) || query.length <= (found?.main_query.trim().length ?? 0)) continue;
    if (prompts.some((text) => says(text, query))) found = task;
  }
  return found;
}

const isPart = '\ufffd';

/** Compares despite tokens that are parts of a character: up to four of them can replace one that is not ASCII. */
function saysInTokens(text: string, query: string): boolean {
  if (text.includes(query)) return true;
  if (!text.includes(isPart)) return false;
  const pattern = query.replaceAll(/[$()*+.?[\\\]^{|}]|\P{ASCII}+/gu, (found) => {
    const { length } = Array.from(found);
    return /^\p{ASCII}/u.test(found) ? `\\${found}` : `[${found}${isPart}]{${length},${4 * length}}`;
  });
  return new RegExp(pattern, 'u').test(text);
}

/** The highest rounding error of a reward that AgentJet logged with three decimals. */
const rounding = 0.0005 + 1e-9;

/** Returns the result with the recorded reward, and a log event that compares the two. */
export function compareRewards(
  result: EpisodeResult,
  { run, episode }: ReplayTarget,
): { readonly result: EpisodeResult; readonly event: RunEvent } {
  const { reward, isSuccess } = episode;
  const isSameReward =
    result.reward === reward ||
    (run.isLogged &&
      result.reward !== null &&
      reward !== null &&
      Math.abs(result.reward - reward) <= rounding);
  const isSame = isSameReward && result.isSuccess === isSuccess;
  const [now, then] = [result.reward, reward].map((one) => (one === null ? 'an error' : `reward ${one}`));
  const message = isSame
    ? `Episode ${result.episode} ended as recorded, with ${now ?? ''}.`
    : `Episode ${result.episode} ended with ${now ?? ''}, but was recorded with ${then ?? ''}${isSameReward ? ' and a different isSuccess' : ''}.`;
  return {
    result: { ...result, recorded: { reward, isSuccess } },
    event: { type: 'log', level: isSame ? 'info' : 'warn', message },
  };
}

function notATrace(file: string): CodedError {
  return new CodedError({
    code: 'replay/not-a-trace',
    message: `--episode selects an episode of a trace, but ${file} is not a trace.`,
    hint: 'Replay an .ajtrace file with --replay (launch.json: replay), or remove --episode (launch.json: episode).',
  });
}

function noTaskAsked(count: number, file: string): CodedError {
  return new CodedError({
    code: 'replay/no-task',
    message: `None of the ${count} tasks of the config has the query of the rollout in ${file}.`,
    hint: 'Select the config and the split that were trained. This does not work for a workflow that rewords its queries.',
  });
}

function noTask(taskId: string, count: number, file: string): CodedError {
  return new CodedError({
    code: 'replay/no-task',
    message: `The data set has ${count} tasks with the id ${JSON.stringify(taskId)}, fewer than when ${file} was recorded.`,
    hint: 'Restore the task, or replay an episode of the first task with that id.',
  });
}
