import type { Location } from '../../base/core/errors.ts';

export type Severity = 'error' | 'warning';

/** What a finding is about: the whole run, the episodes of a task, or single episodes. */
export type FindingLevel = 'run' | 'group' | 'episode';

/**
 * Where a note about a finding goes: to the workflow's `execute`, the judge's `computeReward`, the one of the two that
 * gave the reward, the line that the finding names, or where the config sets a key.
 */
export type FindingTarget = 'execute' | 'judge' | 'reward' | 'line' | `key:${string}`;

export interface FindingKind {
  readonly level: FindingLevel;
  /** Absent: nothing that is written is the cause. */
  readonly target?: FindingTarget;
  /** The usual one; `error`: the episodes concerned add nothing to training. */
  readonly severity: Severity;
  readonly title: string;
  /** What training makes of it. */
  readonly explanation: string;
  /** One sentence: what to do. */
  readonly hint: string;
}

/** Something that a report tells of a run, a group or an episode. */
export interface Finding {
  /** An id of the table of findings; traces of other versions may have others. */
  readonly code: string;
  readonly severity: Severity;
  /** One sentence. */
  readonly message: string;
  /** Where in the user's code, if it is known. */
  readonly location?: Location | undefined;
}
