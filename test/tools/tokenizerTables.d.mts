import type { TokenizerJson } from '../../src/tracking/core/tokenizer/huggingFace.ts';

export declare function tokenizerTables(json: TokenizerJson): {
  readonly rest: TokenizerJson;
  readonly merges: string;
};
