import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ModelText } from '../../tracking/tokenizer.ts';
import { createEmbeddedText } from '../../tracking/tokenizer/embedded.ts';

/**
 * Beside this module, and beside the bundles. Made of the package gpt-tokenizer's cl100k_base, whose own form takes
 * half a second to load, by `test/tools/vectors/ranks.mjs`; a test compares the two.
 */
export const embeddedRanksFile = path.join(import.meta.dirname, 'cl100k_base.ranks');

export async function loadEmbeddedText(now: () => Date = () => new Date()): Promise<ModelText> {
  return createEmbeddedText(await readFile(embeddedRanksFile), now);
}
