import type { BpeTables, TokenizerJson } from '../../src/tracking/core/tokenizer/huggingFace.ts';

export declare function tokenizerTables(json: TokenizerJson): BpeTables & { readonly rest: TokenizerJson };
