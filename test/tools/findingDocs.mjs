/**
 * Writes media/findings.md, what the training report finds, from the table of findings. `--update` writes it; without,
 * the exit code tells whether it is up to date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { findingDocs } from '../../src/tracking/findingDocs.ts';

const file = path.join(import.meta.dirname, '../../media/findings.md');
const text = findingDocs();

if (process.argv.includes('--update')) {
  await writeFile(file, text);
} else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
  console.error('media/findings.md is stale: node test/tools/findingDocs.mjs --update');
  process.exitCode = 1;
}
