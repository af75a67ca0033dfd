import * as l10n from '@vscode/l10n';
import { useId } from 'preact/hooks';
import type { MergeSetting, MergingRow, MergingView } from '../../core/protocol/mergingRpc.ts';
import { CopyButton } from '../../../base/webview/ui/CopyButton.tsx';
import { count } from '../../../base/core/format.ts';

interface Props {
  readonly view: MergingView;
  readonly onChoose: (setting: MergeSetting) => void;
}

/** The results of each setting for the same calls. The first row is the run's own. */
export function SettingTable({ view, onChoose }: Props) {
  const { rows, chosen, drift } = view;
  const name = useId();
  const [own] = rows;
  const setting = rows[chosen]?.setting;
  return (
    <div class="settings">
      <div class="settings-scroll">
        <table class="settings-table">
          <caption>{l10n.t('Results of other settings')}</caption>
          <Head drift={drift} />
          <tbody>
            {rows.map((row, index) => (
              <Row
                key={index}
                row={row}
                own={own}
                group={name}
                isChosen={index === chosen}
                isOwn={index === 0}
                drift={drift}
                onChoose={onChoose}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p class="settings-foot">
        {setting && (
          <CopyButton
            text={settingYaml(setting)}
            what={l10n.t('Copy YAML of the selected setting')}
            label={l10n.t('Copy YAML')}
          />
        )}
        {drift !== 'other' && <span class="muted">{driftNote(drift)}</span>}
      </p>
    </div>
  );
}

function Head({ drift }: Pick<MergingView, 'drift'>) {
  const keys = ['timeline_compare_level', 'ignore_tools'];
  if (drift === 'other') keys.push('fix_retokenization_drift');
  const numbers = [l10n.t('Timelines'), l10n.t('Samples'), l10n.t('Tokens'), l10n.t('Trainable')];
  return (
    <thead>
      <tr>
        <th scope="col">
          <span class="hidden-text">{l10n.t('Show')}</span>
        </th>
        {keys.map((key) => (
          <th key={key} scope="col" class="mono">
            {key}
          </th>
        ))}
        {numbers.map((number) => (
          <th key={number} scope="col" class="number">
            {number}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface RowProps extends Pick<MergingView, 'drift'> {
  readonly row: MergingRow;
  readonly own: MergingRow | undefined;
  readonly group: string;
  readonly isChosen: boolean;
  readonly isOwn: boolean;
  readonly onChoose: (setting: MergeSetting) => void;
}

function Row({ row, own, group, isChosen, isOwn, drift, onChoose }: RowProps) {
  const { compareLevel, ignoreTools, fixesDrift } = row.setting;
  return (
    <tr class={isChosen ? 'chosen' : ''} onClick={() => onChoose(row.setting)}>
      <td>
        <input
          type="radio"
          name={group}
          checked={isChosen}
          aria-label={labelOf(row)}
          onChange={() => onChoose(row.setting)}
        />
        {isOwn && <span class="badge">{l10n.t('this run')}</span>}
      </td>
      <td class="mono">{compareLevel}</td>
      <td class="mono">{String(ignoreTools)}</td>
      {drift === 'other' && <td class="mono">{String(fixesDrift)}</td>}
      <Cell row={row} own={own} of={({ timelines }) => timelines} />
      <Cell row={row} own={own} of={({ samples }) => samples} />
      <Cell row={row} own={own} of={({ tokens }) => tokens} />
      <Cell row={row} own={own} of={({ trainableTokens }) => trainableTokens} />
    </tr>
  );
}

function labelOf({ setting: { compareLevel, ignoreTools, fixesDrift } }: MergingRow): string {
  return l10n.t(
    'timeline_compare_level {0}, ignore_tools {1}, fix_retokenization_drift {2}',
    compareLevel,
    String(ignoreTools),
    String(fixesDrift),
  );
}

function driftNote(drift: 'same' | 'unknown'): string {
  return drift === 'same'
    ? l10n.t(
        'fix_retokenization_drift changes nothing here, because no engine reported a prompt with a different text.',
      )
    : l10n.t('The trace does not have the data for fix_retokenization_drift.');
}

interface CellProps {
  readonly row: MergingRow;
  readonly own: MergingRow | undefined;
  readonly of: (row: MergingRow) => number;
}

function Cell({ row, own, of }: CellProps) {
  const value = of(row);
  const difference = own === undefined ? 0 : value - of(own);
  return (
    <td class="number">
      {count(value)}
      {difference !== 0 && (
        <span class="difference">{difference > 0 ? `+${count(difference)}` : `−${count(-difference)}`}</span>
      )}
    </td>
  );
}

function settingYaml({ compareLevel, ignoreTools, fixesDrift }: MergeSetting): string {
  return `ajet:
  context_tracker:
    timeline_merging_policy:
      timeline_compare_level: ${compareLevel}
      ignore_tools: ${ignoreTools}
    fix_retokenization_drift: ${fixesDrift}
`;
}
