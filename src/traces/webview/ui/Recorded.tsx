import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import type { MissingData } from '../../../tracking/core/records/tracedRun.ts';
import { useRecorded } from '../state/missingRecords.ts';
import { unknown } from '../../../base/webview/ui/format.ts';

export function NotRecorded() {
  return <span class="muted">{l10n.t('not recorded')}</span>;
}

interface Props {
  /** What the value is made of. */
  readonly of: readonly MissingData[];
  readonly children: ComponentChildren;
}

/** A value in a narrow cell, or the sign for what the tool that recorded the run kept nothing of. */
export function Recorded({ of, children }: Props) {
  const recorded = useRecorded();
  if (of.every(recorded)) return <>{children}</>;
  return <span title={l10n.t('not recorded')}>{unknown}</span>;
}
