import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { Icon } from './Icon.tsx';

/** Milliseconds for which it says that it has copied. */
const saidFor = 1_500;

interface Props {
  readonly text: string;
  /** Its name for who does not see it, e.g. `Copy the code`. */
  readonly what: string;
  /** The text next to the icon; absent: only the icon. */
  readonly label?: string;
}

export function CopyButton({ text, what, label }: Props) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('failed'); // the page may not, or has no focus
    }
    setTimeout(() => setState('idle'), saidFor);
  };
  const said = { idle: label ?? '', copied: l10n.t('Copied'), failed: l10n.t('Not copied') }[state];
  return (
    <button
      type="button"
      class="icon-button copy-button"
      aria-label={what}
      title={what}
      onClick={() => void copy()}
    >
      <Icon name={state === 'copied' ? 'check' : 'copy'} />
      <span role="status">{said}</span>
    </button>
  );
}
