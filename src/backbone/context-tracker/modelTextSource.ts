import type { CodedError } from '../../base/errors.ts';
import type { TokenizerNote } from '../../protocol/tracedRun.ts';
import type { ModelText } from '../../tracking/tokenizer.ts';

/** The model's tokenizer and chat template: known from the start, opened when first needed, since that takes time. */
export interface ModelTextSource {
  readonly note: TokenizerNote;
  /** For a warning: why the tokenizer or its template is not the model's own. */
  readonly problem?: CodedError;
  /** Opens it once, however often it is asked for. */
  open(): Promise<ModelText>;
}
