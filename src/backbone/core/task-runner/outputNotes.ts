import type { EpisodeTracking } from '../../../tracking/core/records/episodeResult.ts';
import type { WorkflowOutput } from '../../../sdk/core/index.ts';

type EpisodeProblem = EpisodeTracking['problems'][number];

/** What a kind of workflow found out about an episode besides its output; kept beside it, since the output is the user's. */
const notes = new WeakMap<WorkflowOutput, readonly EpisodeProblem[]>();

export function attachProblems<T extends WorkflowOutput>(output: T, problems: readonly EpisodeProblem[]): T {
  notes.set(output, problems);
  return output;
}

export function attachedProblems(output: WorkflowOutput): readonly EpisodeProblem[] {
  return notes.get(output) ?? [];
}
