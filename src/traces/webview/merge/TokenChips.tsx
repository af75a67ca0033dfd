import * as l10n from '@vscode/l10n';
import type { TokenRun } from '../../core/protocol/mergingRpc.ts';

interface Props {
  readonly run: TokenRun;
  /** Index of the first token that differs. Earlier tokens are the same on both sides. */
  readonly from: number;
}

export function TokenChips({ run, from }: Props) {
  return (
    <ol class="token-chips" aria-label={l10n.t('Tokens from {0} on', run.from)}>
      {run.from > 0 && <li aria-hidden="true">…</li>}
      {run.ids.map((id, index) => (
        <li key={index} class={run.from + index >= from ? 'token-chip differs' : 'token-chip'}>
          <span class="token-chip-text">{visible(run.texts[index] ?? '')}</span>
          <span class="token-chip-id">{id}</span>
        </li>
      ))}
      {run.more && <li aria-hidden="true">…</li>}
      {run.ids.length === 0 && <li class="muted">{l10n.t('no tokens')}</li>}
    </ol>
  );
}

/** Returns a text with signs for whitespace and parts of characters. */
function visible(text: string): string {
  if (text === '') return '◌';
  return text.replaceAll(' ', '·').replaceAll('\n', '↵').replaceAll('\t', '→');
}
