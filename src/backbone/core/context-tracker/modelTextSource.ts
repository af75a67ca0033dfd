import type { CodedError } from '../../../base/core/errors.ts';
import type { TokenizerInfo } from '../../../tracking/core/records/tracedRun.ts';
import type { ModelText } from '../../../tracking/core/tokenizer.ts';

/** A tokenizer with its chat template. It is found at the start and opened when first needed, because that takes time. */
export interface ModelTextSource {
  readonly note: TokenizerInfo;
  /** True if the first LLM call opens it. Otherwise the run opens it before the first episode. */
  readonly opensOnDemand?: boolean;
  /** The reason for a warning if the tokenizer or its template is not that of the model. */
  readonly problem?: CodedError;
  /** Opens it. In a run, all calls return the same promise. Rejects with `tokenizer/broken` for an invalid vocabulary. */
  open(): Promise<ModelText>;
}
