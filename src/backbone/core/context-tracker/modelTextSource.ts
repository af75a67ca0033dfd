import type { CodedError } from '../../../base/core/errors.ts';
import type { TokenizerInfo } from '../../../tracking/core/records/tracedRun.ts';
import type { ModelText } from '../../../tracking/core/tokenizer.ts';

/** The model's tokenizer and chat template: known from the start, opened when first needed, since that takes time. */
export interface ModelTextSource {
  readonly note: TokenizerInfo;
  /** A warning: why the tokenizer or its template is not the model's own. */
  readonly problem?: CodedError;
  /** Opens it at the first call; further calls return the same promise. */
  open(): Promise<ModelText>;
}
