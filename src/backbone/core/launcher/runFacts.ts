import type { RunEvent, RunRequest } from '../protocol/run.ts';
import type { TracedEpisode } from '../../../tracking/core/records/trace.ts';
import type { TracedRun } from '../../../tracking/core/records/tracedRun.ts';
import type { EpisodeSlot } from '../task-runner/episode.ts';
import type { RunPlan } from './runPlan.ts';

/** The facts about a run in its trace, without the text of the config, which is in the run's folder. */
export type RunFacts = Omit<TracedRun, 'configText'>;

/** The facts that are known only after planning. */
export type FoundFacts = Pick<
  RunFacts,
  'workflowFile' | 'judge' | 'model' | 'tokenizer' | 'tasks' | 'episodes' | 'startedAt'
>;

export function factsOf(request: RunRequest, plan: RunPlan, found: FoundFacts): RunFacts {
  return {
    experiment: plan.experiment,
    config: request.config,
    workflow: plan.workflow,
    limits: plan.tracking.limits,
    merging: {
      ...plan.tracking.merging,
      fixesDrift: plan.tracking.fixesDrift,
      toolCallsDisabled: plan.tracking.toolCallsDisabled,
    },
    batch: { perEpisode: plan.samplesPerEpisode, seed: plan.seed },
    launch: {
      cwd: request.cwd,
      split: request.split,
      mode: plan.mode,
      asUpstreamDebug: request.asUpstreamDebug === true,
      ...(request.trainableTargets && { trainableTargets: request.trainableTargets }),
    },
    repeat: plan.repeat,
    ...found,
  };
}

/** @param place `trace` is undefined for a run without one, null if it could not be written */
export function runStarted(
  facts: RunFacts,
  place: {
    readonly folder: string;
    readonly trace: string | null | undefined;
    readonly parallel: number;
    readonly mode?: RunPlan['mode'];
  },
): RunEvent {
  return {
    type: 'run-started',
    experiment: facts.experiment,
    config: facts.config,
    model: facts.model,
    workflow: facts.workflow,
    workflowFile: facts.workflowFile,
    ...(facts.judge !== undefined && { judge: facts.judge }),
    folder: place.folder,
    ...(place.trace !== undefined && { trace: place.trace }),
    tokenizer: facts.tokenizer,
    tasks: facts.tasks,
    repeat: facts.repeat,
    episodes: facts.episodes,
    parallel: place.parallel,
    ...(place.mode === 'validate' && { mode: place.mode }),
  };
}

export function tracedEpisode(slot: EpisodeSlot, uuid: string, startedAt: number): TracedEpisode {
  const { episode, task, taskIndex, repeat } = slot;
  const query = task.main_query === '' ? JSON.stringify(task.metadata) : task.main_query;
  return { episode, uuid, taskId: task.task_id, taskIndex, repeat, query, startedAt };
}
