import type { CodedError } from '../../../base/core/errors.ts';
import type { TokenizerInfo } from '../../../tracking/core/records/tracedRun.ts';
import type { ModelText } from '../../../tracking/core/tokenizer.ts';

/** The model's tokenizer and chat template: known from the start, opened when first needed, since that takes time. */
export interface ModelTextSource {
  readonly note: TokenizerInfo;
  /** For a warning: why the tokenizer or its template is not the model's own. */
  readonly problem?: CodedError;
  /** Opens it once, however often it is asked for. */
  open(): Promise<ModelText>;
}
