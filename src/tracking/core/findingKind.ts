import type { Location } from '../../base/core/errors.ts';

export type Severity = 'error' | 'warning';

/** The subject of a finding: the whole run, the episodes of a task, or single episodes. */
export type FindingLevel = 'run' | 'group' | 'episode';

/**
 * The location of a finding:
 * - `execute`: the method of the workflow
 * - `judge`: `computeReward` of the judge
 * - `reward`: the one of them that returned the reward
 * - `line`: the line in the finding
 * - `key:…`: the config line that sets the key
 */
export type FindingTarget = 'execute' | 'judge' | 'reward' | 'line' | `key:${string}`;

export interface FindingKind {
  /** Absent: `episode`. */
  readonly level?: FindingLevel;
  /** Absent: no code or config is the cause. */
  readonly target?: FindingTarget;
  /** The default severity. `error`: the affected episodes are not trained. */
  readonly severity: Severity;
  /** True if the affected episodes are not trained, although nothing is wrong with them. */
  readonly isUntrained?: true;
  readonly title: string;
  /** The effect on training. */
  readonly explanation: string;
  /** One sentence that says what to do. */
  readonly hint: string;
}

export interface Finding {
  /** An id of the table of findings; traces of other versions may have others. */
  readonly code: string;
  readonly severity: Severity;
  /** One sentence. */
  readonly message: string;
  readonly location?: Location | undefined;
}
