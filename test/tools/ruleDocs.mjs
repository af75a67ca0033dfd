/**
 * Writes media/rules.md, the list of rules for users, from the rules' catalog. `--update` writes it; without, the exit
 * code tells whether it is up to date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { ruleDocs } from '../../src/config/rules/ruleDocs.ts';

const file = path.join(import.meta.dirname, '../../media/rules.md');
const text = ruleDocs();

if (process.argv.includes('--update')) {
  await writeFile(file, text);
} else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
  console.error('media/rules.md is stale: node test/tools/ruleDocs.mjs --update');
  process.exitCode = 1;
}
