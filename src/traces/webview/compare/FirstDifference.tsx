import * as l10n from '@vscode/l10n';
import type { CompareView, ComparedToken } from '../../core/protocol/tokenRpc.ts';
import { chance, quoted } from '../detail/tokenLayout.ts';
import { timelineRoute, type CompareRoute } from '../state/route.ts';
import { RouteLink } from '../ui/RouteLink.tsx';
import { count } from '../../../base/core/format.ts';

interface Props {
  readonly route: CompareRoute;
  readonly view: CompareView;
  readonly onShow: () => void;
}

export function FirstDifference({ route: compared, view, onShow }: Props) {
  const { left, right, divergence } = view;
  if (divergence === null) {
    return (
      <p class="parting" role="status">
        {l10n.t('Both have the same tokens.')}
      </p>
    );
  }
  const { token } = divergence;
  const place = divergence.left ?? divergence.right;
  const role = view.rows.find((row) => {
    const range = divergence.left ? row.left : row.right;
    return range?.message === place?.message;
  })?.role;
  return (
    <section class="parting" aria-label={l10n.t('First difference')}>
      <p>
        <button type="button" class="link" onClick={onShow}>
          {l10n.t('First difference at token {0}', count(token))}
        </button>
        {place && (
          <span class="muted">
            {' '}
            {l10n.t('token {2} of message {0} ({1})', place.message, role ?? '', count(place.inMessage))}
          </span>
        )}
      </p>
      <dl>
        <Choice
          name={l10n.t('Left')}
          own={divergence.left}
          episode={left.row.episode}
          timeline={compared.trace === null ? left.timeline : null}
          token={token}
        />
        <Choice
          name={l10n.t('Right')}
          own={divergence.right}
          episode={right.row.episode}
          timeline={compared.otherTrace === null ? right.timeline : null}
          token={token}
        />
      </dl>
    </section>
  );
}

interface ChoiceProps {
  readonly name: string;
  /** Null: the timeline ends there. */
  readonly own: ComparedToken | null;
  readonly episode: number;
  /** Null: it cannot be opened, because it is in another run. */
  readonly timeline: number | null;
  readonly token: number;
}

function Choice({ name, own, episode, timeline, token }: ChoiceProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {own === null ? (
          l10n.t('ends here')
        ) : (
          <>
            <code>{quoted(own.text)}</code> <span class="muted">{l10n.t('id {0}', own.id)}</span>{' '}
            {own.logprob !== null && <span>{chance(Math.exp(own.logprob))}</span>}
            {own.otherLogprob !== null && (
              <span class="muted">
                {' '}
                {l10n.t('the other side’s token: {0}', chance(Math.exp(own.otherLogprob)))}
              </span>
            )}
            {timeline !== null && (
              <RouteLink to={timelineRoute(episode, timeline, token)}>{l10n.t('Open')}</RouteLink>
            )}
          </>
        )}
      </dd>
    </div>
  );
}
