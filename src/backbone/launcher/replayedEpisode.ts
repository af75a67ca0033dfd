/** One episode of a trace, run again as the run of then would. */
import { CodedError } from '../../base/errors.ts';
import type { EpisodeResult, RunEvent, RunRequest } from '../../protocol/run.ts';
import type { ReplayedEpisode, ReplayedRun } from '../../protocol/replayed.ts';
import type { Task } from '../../workflow/index.ts';
import type { EpisodeSlot } from '../task-runner/episode.ts';

/** The episode with the run that it was of. */
export interface WantedEpisode {
  readonly run: ReplayedRun;
  readonly episode: ReplayedEpisode;
  /** Of the trace, absolute. */
  readonly file: string;
}

/** Undefined where the request names none. Throws a CodedError `trace/…` or `replay/not-a-trace`. */
export function wantedEpisode(
  { replay }: RunRequest,
  readReplayed: (file: string, episode: number) => ReplayedRun,
): WantedEpisode | undefined {
  if (replay?.episode === undefined) return undefined;
  if (!replay.file.endsWith('.ajtrace')) throw notATrace(replay.file);
  const run = readReplayed(replay.file, replay.episode);
  const [episode] = run.episodes;
  return episode && { run, episode, file: replay.file };
}

/** The request by which the episode has the task, the split and the seed that it had. */
export function requestFor(request: RunRequest, wanted: WantedEpisode | undefined): RunRequest {
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
export function slotOf({ run, episode, file }: WantedEpisode, tasks: readonly Task[]): EpisodeSlot {
  const { taskIndex, repeat, taskId, twin } = episode;
  const task = run.isRollout ? ofRollout(run, episode, tasks) : tasks[twin];
  if (task === undefined) {
    throw run.isRollout ? noTaskAsked(tasks.length, file) : noTask(taskId, tasks.length, file);
  }
  const slot = { episode: episode.episode, task, taskIndex, repeat };
  if (run.launch?.mode !== 'validate') return slot;
  return { ...slot, numbering: { taskBatchIndex: repeat * run.tasks + taskIndex, taskTag: `T${taskId}#R0` } };
}

/** By its id, where rollouts tell it and no other task has it, else by what was asked. */
function ofRollout(
  { ownTaskIds }: ReplayedRun,
  episode: ReplayedEpisode,
  tasks: readonly Task[],
): Task | undefined {
  const own = ownTaskIds ? tasks.filter(({ task_id: id }) => id === episode.taskId) : [];
  return own.length === 1 ? own[0] : (askedIn(episode, own) ?? askedIn(episode, tasks));
}

/** The task whose query stands in what a rollout's model was told; of several, the one with the most to say. */
function askedIn({ told }: ReplayedEpisode, tasks: readonly Task[]): Task | undefined {
  let found: Task | undefined;
  for (const task of tasks) {
    const query = task.main_query.trim();
    if (query === '' || query.length <= (found?.main_query.trim().length ?? 0)) continue;
    if (told.some((text) => text.includes(query))) found = task;
  }
  return found;
}

/** What the result says of the one of then, and the log of both. */
export function compared(
  result: EpisodeResult,
  { episode }: WantedEpisode,
): { readonly result: EpisodeResult; readonly told: RunEvent } {
  const { reward, isSuccess } = episode;
  const isSame = result.reward === reward && result.isSuccess === isSuccess;
  const [now, then] = [result.reward, reward].map((one) => (one === null ? 'an error' : `reward ${one}`));
  const told = isSame
    ? `Episode ${result.episode} ended as it was recorded, with ${now ?? ''}.`
    : `Episode ${result.episode} ended otherwise than it was recorded: with ${now ?? ''}, recorded ${then ?? ''}${result.reward === reward ? ', and another success' : ''}.`;
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
