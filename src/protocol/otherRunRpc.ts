/** What a viewer asks about other runs than its own; a part of the trace's requests. */
import * as z from 'zod/mini';
import { count, trace } from './conversationRpc.ts';
import type { TraceSummary } from './runRpc.ts';
import type { EpisodeRow } from './traceLists.ts';

export const otherRunRequests = [
  /** Another run to compare with. */
  z.object({ method: z.literal('otherRuns'), trace }),
  /** The episodes of another run that have the task of an episode of this one. */
  z.object({ method: z.literal('counterparts'), trace, episode: count, other: trace }),
] as const;

/** An editor asks which one; null: the user chose none. A browser is told which ones it may read. */
export type OtherRunsView = { readonly chosen: string | null } | { readonly traces: readonly TraceSummary[] };

export interface CounterpartsView {
  readonly experiment: string;
  /** The first of them, at most `largestWindow.episodes`; there is one. */
  readonly episodes: readonly EpisodeRow[];
  /** Whether the tasks say the same; else only their ids are. */
  readonly sameQuery: boolean;
}

export interface OtherRunResults {
  readonly otherRuns: OtherRunsView;
  readonly counterparts: CounterpartsView;
}
