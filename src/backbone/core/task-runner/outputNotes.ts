import type { EpisodeTracking } from '../../../tracking/core/records/episodeResult.ts';
import type { WorkflowOutput } from '../../../sdk/core/index.ts';

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
