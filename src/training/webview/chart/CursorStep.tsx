import * as l10n from '@vscode/l10n';
import { useCursor, usePage } from '../page.ts';
import { stepText } from '../text.ts';

/** The step that all charts tell of. */
export function CursorStep() {
  const { own } = usePage();
  const point = useCursor();
  const step = point?.step ?? own.stepTimes.last?.at;
  return (
    <span class="pointed-at">
      {step === undefined ? '' : point === undefined ? l10n.t('Newest values') : stepText(step)}
    </span>
  );
}
