/** The words and kinds of a run's status. The viewer, the editor and the command line use the same. */
import * as l10n from '@vscode/l10n';
import { count } from '../../base/core/format.ts';
import type { RunView, TraceSummary } from './protocol/runRpc.ts';

export type RunState = TraceSummary['state'];

/** A completed run is `some-failed` or `all-failed` if episodes failed. */
export type RunStatusKind = RunState | 'some-failed' | 'all-failed';

export interface RunStatus {
  readonly kind: RunStatusKind;
  /** E.g. `completed, 16 failed`. */
  readonly word: string;
}

/** Numbers of episodes that have ended, and that ended with an error. */
interface EndedEpisodes {
  readonly ended: number;
  readonly failed: number;
}

export function runStatus(state: RunState, { ended, failed }: EndedEpisodes): RunStatus {
  const word = stateWord(state);
  if (failed === 0 || state === 'unreadable') return { kind: state, word };
  const kind = state === 'completed' ? (failed >= ended ? 'all-failed' : 'some-failed') : state;
  return { kind, word: l10n.t('{0}, {1} failed', word, count(failed)) };
}

function stateWord(state: RunState): string {
  const words: Readonly<Record<RunState, string>> = {
    running: l10n.t('running'),
    completed: l10n.t('completed'),
    cancelled: l10n.t('stopped'),
    failed: l10n.t('failed'),
    // Usually by the user, at a breakpoint. Its process could not write an end.
    killed: l10n.t('stopped'),
    unreadable: l10n.t('unreadable'),
  };
  return words[state];
}

/** Returns the state. A run without an end whose process is gone was killed. */
export function runState({ end, live }: Pick<RunView, 'end' | 'live'>): RunState {
  return end?.status ?? (live ? 'running' : 'killed');
}
