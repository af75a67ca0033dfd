import path from 'node:path';
import { localFiles } from '../../../../src/base/node/files.ts';
import { loadBuiltInText } from '../../../../src/backbone/node/tokenizer/builtIn.ts';
import { loadModelText } from '../../../../src/backbone/node/tokenizer/load.ts';
import type { ModelText } from '../../../../src/tracking/core/tokenizer.ts';

export const fixtures = path.resolve(import.meta.dirname, '../../../fixtures/tokenizer');

/** A Thursday. */
export const noon = (): Date => new Date(2026, 0, 1, 12, 5, 9);

/** Loads a tokenizer of the fixtures, or the built-in one. */
export async function loadFixture(name: 'byte-level' | 'sentence-pieces' | 'qwen2.5'): Promise<ModelText> {
  if (name === 'qwen2.5') return loadBuiltInText({ name: 'built-in', exact: false, file: null }, noon);
  const file = path.join(fixtures, name, 'tokenizer.json');
  return (await loadModelText(file, { name, files: localFiles, now: noon })).open();
}
