import * as l10n from '@vscode/l10n';
import { usePersistentState } from '../state/persistentState.ts';
import { IconButton } from '../../../base/webview/ui/IconButton.tsx';

const mostSaved = 20;

interface Props {
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

/** Filters that the user keeps, one press away. */
export function SavedFilters({ filter, onFilter }: Props) {
  const [saved, keep] = usePersistentState('filters', readFilters);
  const offersSaving = filter !== '' && !saved.includes(filter) && saved.length < mostSaved;
  if (saved.length === 0 && !offersSaving) return null;
  return (
    <ul class="saved-filters" aria-label={l10n.t('Saved filters')}>
      {saved.map((one) => (
        <li key={one} class="saved-filter">
          <button
            type="button"
            class="mono"
            aria-pressed={one === filter}
            title={one}
            onClick={() => onFilter(one === filter ? '' : one)}
          >
            {one}
          </button>
          <IconButton
            icon="close"
            name={l10n.t('Forget the filter {0}', one)}
            title={l10n.t('Forget this filter')}
            onPress={() => keep(saved.filter((other) => other !== one))}
          />
        </li>
      ))}
      {offersSaving && (
        <li>
          <button type="button" class="link" onClick={() => keep([...saved, filter])}>
            {l10n.t('Save this filter')}
          </button>
        </li>
      )}
    </ul>
  );
}

function readFilters(saved: unknown): readonly string[] {
  return Array.isArray(saved) ? saved.filter((one) => typeof one === 'string').slice(0, mostSaved) : [];
}
