import { findAjetKey } from './isAgentJetConfig.ts';
import { ajetKeys, type KeyTable } from './keyTable.ts';

export type DialectId = 'ajet' | 'astuner' | 'trinity';

/** One of the formats that configs are written in; everything that differs between them is told here, as data. */
export interface Dialect {
  readonly id: DialectId;
  /** For people, as in `an AgentJet config`. */
  readonly label: string;
  /** The top-level section that makes a text one of this dialect; undefined where keys stand at the top. */
  readonly section: string | undefined;
  /** `hydra`: `defaults` and `hydra.searchpath` are followed. `omegaconf`: one file, laid over the defaults in code. */
  readonly composition: 'hydra' | 'omegaconf';
  /** Entries of `defaults` that stand for this program's own defaults where no folder has them. */
  readonly bundled: readonly string[];
  /** Paths of the keys whose values are locators, as in the key table. */
  readonly locatorKeys: readonly string[];
  /** Read when first asked for. */
  readonly keys: () => KeyTable;
}

const ajet: Dialect = {
  id: 'ajet',
  label: 'AgentJet',
  section: 'ajet',
  composition: 'hydra',
  bundled: ['verl_default', 'trinity_default', 'ajet_default'],
  locatorKeys: ['ajet.rollout.user_workflow', 'ajet.task_judge.judge_protocol'],
  keys: ajetKeys,
};

export const dialects: readonly Dialect[] = [ajet];

/**
 * The dialect that a text is written in; undefined for a file that is none of ours, which is then left alone. Looks at
 * lines only, without parsing, so that it can run on every change of the editor in front.
 */
export function dialectOf(text: string): Dialect | undefined {
  return findAjetKey(text) === undefined ? undefined : ajet;
}
