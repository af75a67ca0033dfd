/**
 * `node test/tools/vectors/regenerate.mjs` asks the Python packages what the unit tests of the tokenizers expect, and
 * writes it to test/fixtures/tokenizer. Needs Python 3.10 or later, and PyPI the first time.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { chatMlTemplate } from '../../../src/tracking/tokenizer/chatml.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const fixtures = path.join(root, 'test/fixtures/tokenizer');
const venv = path.join(root, '.artifacts/vectors-venv');
const python = path.join(venv, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const requirements = path.join(import.meta.dirname, 'requirements.txt');
const installed = path.join(venv, 'installed.txt');

function run(command, args, onFailure) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', cwd: import.meta.dirname });
  if (status === 0) return;
  console.error(error === undefined ? onFailure : `${onFailure} (${error.message})`);
  process.exit(1);
}

const pins = readFileSync(requirements, 'utf8');
if (!existsSync(installed) || readFileSync(installed, 'utf8') !== pins) {
  const system = process.platform === 'win32' ? 'python' : 'python3';
  run(
    system,
    ['-m', 'venv', venv],
    `${system} cannot make a virtual environment; install Python 3.10 or later.`,
  );
  run(
    python,
    ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements],
    'PyPI cannot be had, so the fixtures stay as they are; they are needed only when the vectors are to change.',
  );
  writeFileSync(installed, pins);
}
// The embedded template is rendered from the text that the product uses.
writeFileSync(path.join(fixtures, 'templates/embedded.jinja'), chatMlTemplate);
run(python, ['vectors.py', fixtures], 'The vectors could not be made.');
