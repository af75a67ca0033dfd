import * as l10n from '@vscode/l10n';
import { compareRoute } from '../state/route.ts';
import { useViewer } from '../state/viewer.ts';

/** Returns to the other repeats in the same run. */
export function OwnRun({ episode }: { readonly episode: number }) {
  const { navigate } = useViewer();
  return (
    <button type="button" onClick={() => navigate(compareRoute(episode, null))}>
      {l10n.t('Compare with another repeat')}
    </button>
  );
}
