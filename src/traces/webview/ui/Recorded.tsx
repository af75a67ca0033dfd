import { useContext } from 'preact/hooks';
import { createContext, type ComponentChildren } from 'preact';
import * as l10n from '@vscode/l10n';
import type { MissingData } from '../../../tracking/core/records/tracedRun.ts';
import { unknown } from '../../../base/core/format.ts';

export function NotRecorded() {
  return <span class="muted">{l10n.t('not recorded')}</span>;
}

interface Props {
  readonly of: readonly MissingData[];
  readonly children: ComponentChildren;
  /** Shown if it was not recorded; absent: an en dash. */
  readonly otherwise?: ComponentChildren;
}

export function Recorded({ of, children, otherwise }: Props) {
  const recorded = useRecorded();
  if (of.every(recorded)) return <>{children}</>;
  if (otherwise !== undefined) return <>{otherwise}</>;
  return <span title={l10n.t('not recorded')}>{unknown}</span>;
}

/** The data that the shown run does not have, because the tool that recorded it did not store it. */
export const MissingRecordsContext = createContext<readonly MissingData[]>([]);

/** The data that is needed to know whether an episode would be trained. */
export const recordsOfTraining: readonly MissingData[] = ['tokens', 'lossMask'];

/** Returns a function that returns true if data was recorded. Data that was not recorded has zeros. */
export function useRecorded(): (what: MissingData) => boolean {
  const lacks = useContext(MissingRecordsContext);
  return (what) => !lacks.includes(what);
}
