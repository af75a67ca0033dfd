import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import type { MissingData } from '../../../tracking/core/records/tracedRun.ts';
import { useRecorded } from '../state/missingRecords.ts';
import { unknown } from '../../../base/core/format.ts';

export function NotRecorded() {
  return <span class="muted">{l10n.t('not recorded')}</span>;
}

interface Props {
  /** The data that the value is computed from. */
  readonly of: readonly MissingData[];
  readonly children: ComponentChildren;
}

/** A value in a narrow cell, or a sign for a value that was not recorded. */
export function Recorded({ of, children }: Props) {
  const recorded = useRecorded();
  if (of.every(recorded)) return <>{children}</>;
  return <span title={l10n.t('not recorded')}>{unknown}</span>;
}
