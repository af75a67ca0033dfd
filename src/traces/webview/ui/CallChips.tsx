import * as l10n from '@vscode/l10n';
import { callRoute } from '../state/route.ts';
import { RouteLink } from './RouteLink.tsx';
import { count } from '../../../base/core/format.ts';

interface Props {
  readonly episode: number;
  readonly calls: readonly number[];
  readonly most: number;
}

export function CallChips({ episode, calls, most }: Props) {
  return (
    <span class="chips">
      {calls.slice(0, most).map((call) => (
        <RouteLink key={call} class="chip" label={l10n.t('Call {0}', call)} to={callRoute(episode, call)}>
          {call}
        </RouteLink>
      ))}
      {calls.length > most && <span class="muted">{l10n.t('and {0} more', count(calls.length - most))}</span>}
    </span>
  );
}
