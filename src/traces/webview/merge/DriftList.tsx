import * as l10n from '@vscode/l10n';
import type { DriftDifference, DriftView, MergingView } from '../../core/protocol/mergingRpc.ts';
import { callRoute } from '../state/route.ts';
import { RouteLink } from '../ui/RouteLink.tsx';
import { count } from '../../../base/core/format.ts';
import { TokenChips } from './TokenChips.tsx';

interface Props {
  readonly episode: number;
  readonly view: MergingView;
}

/** Replies that came back with other tokens than the model generated. */
export function DriftList({ episode, view: { drifts, driftCount } }: Props) {
  return (
    <section class="drifts" aria-label={l10n.t('Retokenization drift')}>
      <h3>
        {driftCount === 1
          ? l10n.t('One reply came back with other tokens')
          : l10n.t('{0} replies came back with other tokens', count(driftCount))}
      </h3>
      <p class="muted">
        {l10n.t(
          "The chat template tokenizes a reply differently than the model generated it. Merging keeps the model's tokens.",
        )}
      </p>
      <ul>
        {drifts.map((drift) => (
          <li key={`${drift.call} ${drift.again} ${drift.message}`}>
            <Drift episode={episode} drift={drift} />
          </li>
        ))}
      </ul>
      {driftCount > drifts.length && (
        <p class="muted">{l10n.t('and {0} more', count(driftCount - drifts.length))}</p>
      )}
    </section>
  );
}

function Drift({ episode, drift }: { readonly episode: number; readonly drift: DriftView }) {
  const { call, again, message, differences, differenceCount } = drift;
  return (
    <details class="fork">
      <summary>{l10n.t('The reply of call {0}, message {1} of call {2}', call, message, again)}</summary>
      <p>
        {[call, again].map((one) => (
          <RouteLink key={one} to={callRoute(episode, one)}>
            {l10n.t('Call {0}', one)}
          </RouteLink>
        ))}
      </p>
      {differences.map((difference) => (
        <Difference key={difference.made.from} difference={difference} />
      ))}
      {differenceCount > differences.length && (
        <p class="muted">{l10n.t('and {0} more', count(differenceCount - differences.length))}</p>
      )}
    </details>
  );
}

function Difference({ difference: { sameText, made, templated } }: { readonly difference: DriftDifference }) {
  return (
    <dl class="fork-sides">
      <dt>{l10n.t('Model')}</dt>
      <dd>
        <TokenChips run={made} from={made.from} />
      </dd>
      <dt>{l10n.t('Chat template')}</dt>
      <dd>
        <TokenChips run={templated} from={templated.from} />
        <p class="muted">
          {sameText ? l10n.t('The text is the same, the tokens differ.') : l10n.t('The text differs, too.')}
        </p>
      </dd>
    </dl>
  );
}
