import * as l10n from '@vscode/l10n';
import type { DamageView } from '../../core/protocol/runRpc.ts';
import { count } from '../../../base/webview/ui/format.ts';
import { Note } from '../../../base/webview/ui/Notices.tsx';

/** What of a damaged file is missing; all else is shown as it was. */
export function DamageNotice({ damage }: { readonly damage: DamageView }) {
  return (
    <section aria-label={l10n.t('Damage')}>
      <Note kind="warning">
        <p class="notice-title">{l10n.t('This file is damaged. What can be read of it is shown.')}</p>
        <ul>
          {missing(damage).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        <p>{l10n.t('Copy it again from where it was written, or run the episodes again.')}</p>
      </Note>
    </section>
  );
}

function missing({ run, tokens, lost, incomplete, episodes }: DamageView): readonly string[] {
  const texts: string[] = [];
  if (run) texts.push(l10n.t('What it told of its run is lost.'));
  if (tokens) texts.push(l10n.t('Texts of tokens are lost: such tokens have only their ids.'));
  if (lost === 1) texts.push(l10n.t('1 episode is lost.'));
  if (lost > 1) texts.push(l10n.t('{0} episodes are lost.', count(lost)));
  if (incomplete === 0) return texts;
  const named = episodes.slice(0, mostNamed).join(', ');
  if (incomplete === 1) texts.push(l10n.t('Episode {0} may lack a part.', named));
  else if (incomplete <= mostNamed) texts.push(l10n.t('These episodes may lack a part: {0}.', named));
  else texts.push(l10n.t('{0} episodes may lack a part, the first of them: {1}.', count(incomplete), named));
  return texts;
}

const mostNamed = 20;
