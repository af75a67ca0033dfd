import * as l10n from '@vscode/l10n';
import { callRoute } from '../state/route.ts';
import { useViewer } from '../state/viewer.ts';
import { count } from '../../../base/core/format.ts';

interface Props {
  readonly episode: number;
  readonly calls: readonly number[];
  /** The maximum number of chips. The others are counted. */
  readonly most: number;
}

/** Call numbers that link to their calls. */
export function CallChips({ episode, calls, most }: Props) {
  const { navigate } = useViewer();
  return (
    <span class="chips">
      {calls.slice(0, most).map((call) => (
        <button
          key={call}
          type="button"
          class="chip"
          aria-label={l10n.t('Call {0}', call)}
          onClick={() => navigate(callRoute(episode, call))}
        >
          {call}
        </button>
      ))}
      {calls.length > most && <span class="muted">{l10n.t('and {0} more', count(calls.length - most))}</span>}
    </span>
  );
}
