/** Texts about a training, for the viewer, exports and the command line. */
import * as l10n from '@vscode/l10n';
import type { ClipRange } from '../../tracking/core/records/trace.ts';
import type { StoredRun } from '../../tracking/core/records/tracedRun.ts';

/** Returns, for example, `step 12, answered by the weights after step 11`. */
export function trainingText({ step, weights }: NonNullable<StoredRun['training']>): string {
  const model =
    weights === 0
      ? l10n.t('the weights before the first step')
      : l10n.t('the weights after step {0}', weights);
  return step === null
    ? l10n.t('validation, answered by {0}', model)
    : l10n.t('step {0}, answered by {1}', step, model);
}

export function clipText({ low, high }: ClipRange): string {
  return `${Number(low.toFixed(3))}–${Number(high.toFixed(3))}`;
}
