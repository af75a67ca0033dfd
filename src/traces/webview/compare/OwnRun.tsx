import * as l10n from '@vscode/l10n';
import { comparePlace } from '../state/place.ts';
import { useViewer } from '../state/viewer.ts';

/** Back to the other repeats of the same run. */
export function OwnRun({ episode }: { readonly episode: number }) {
  const { go } = useViewer();
  return (
    <button type="button" onClick={() => go(comparePlace(episode, null))}>
      {l10n.t('Compare with another repeat')}
    </button>
  );
}
