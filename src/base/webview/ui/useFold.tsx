import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from './Icon.tsx';

export interface Fold {
  /** For the element that holds all of it. */
  readonly className: string;
  /** Shows only where there is something to unfold. */
  readonly button: VNode;
}

/** On a page that is low, what has the class `foldable` gives way to the rest until it is asked for. */
export function useFold(): Fold {
  const [unfolded, setUnfolded] = useState(false);
  return {
    className: unfolded ? 'unfolded' : 'folded',
    button: (
      <button
        type="button"
        class="link fold-button"
        aria-expanded={unfolded}
        onClick={() => setUnfolded(!unfolded)}
      >
        {l10n.t('Details')} <Icon name={unfolded ? 'up' : 'down'} />
      </button>
    ),
  };
}
