import * as l10n from '@vscode/l10n';
import { Icon } from '../../../base/webview/ui/Icon.tsx';

interface Move {
  readonly text: string;
  /** The name for screen readers; absent: the text. */
  readonly label?: string;
}

interface Props {
  readonly label: string;
  readonly class: string;
  readonly text: string;
  readonly from: number;
  readonly last: number;
  readonly step: number;
  readonly earlier: Move;
  readonly later: Move;
  readonly onMove: (from: number) => void;
}

export function Pager({ label, class: name, text, from, last, step, earlier, later, onMove }: Props) {
  const isFirst = from === 0;
  const isLast = from >= last;
  return (
    <div class={name} role="toolbar" aria-label={label}>
      <span class="pager-text" role="status">
        {text}
      </span>
      <button type="button" disabled={isFirst} onClick={() => onMove(0)}>
        {l10n.t('First')}
      </button>
      <button
        type="button"
        disabled={isFirst}
        aria-label={earlier.label}
        onClick={() => onMove(Math.max(0, from - step))}
      >
        <Icon name="up" /> {earlier.text}
      </button>
      <button
        type="button"
        disabled={isLast}
        aria-label={later.label}
        onClick={() => onMove(Math.min(last, from + step))}
      >
        <Icon name="down" /> {later.text}
      </button>
      <button type="button" disabled={isLast} onClick={() => onMove(last)}>
        {l10n.t('Last')}
      </button>
    </div>
  );
}
