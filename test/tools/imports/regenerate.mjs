/**
 * Writes test/fixtures/imports anew, each file by the tool whose format it has: makes virtual environments below a
 * folder (default: a temporary one) and installs the tools from PyPI, about 4 GB with PyTorch, and as much for the tests'
 * own Trinity-RFT where they have not installed it.
 *
 * Usage: node test/tools/imports/regenerate.mjs [FOLDER]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensurePython } from '../pythonEnvironments.mjs';

const scripts = import.meta.dirname;
const fixtures = path.join(scripts, '../../fixtures/imports');
const folder = path.resolve(process.argv[2] ?? mkdtempSync(path.join(tmpdir(), 'agentjet-imports-')));

const torch = [
  'torch==2.4.1',
  'numpy<2',
  'SQLAlchemy',
  'greenlet',
  'aiosqlite',
  'datasets',
  'ray',
  'safetensors',
];
const trinity = [...torch, 'omegaconf', 'transformers'];

/** What each script needs, and what it is called with. */
const runs = [
  {
    environment: 'trinity4',
    packages: trinity,
    alone: ['trinity-rft==0.4.0'],
    args: ['trinity_db.py', 'trinity-0.4.0.db', 'debug_buffer'],
  },
  {
    environment: 'trinity6',
    packages: trinity,
    alone: ['trinity-rft==0.6.0'],
    args: ['trinity_db.py', 'trinity-0.6.0.db', 'debug_buffer'],
  },
  {
    environment: 'verifiers',
    packages: ['verifiers==0.4.0'],
    alone: [],
    args: ['verifiers_traces.py', 'traces.jsonl'],
  },
  {
    environment: 'beast',
    packages: ['beast-logger==0.1.8'],
    alone: [],
    args: ['beast_log.py', 'rollout.json.log'],
  },
  {
    environment: 'otlp',
    packages: [
      'openai==3.54.0',
      'httpx',
      'opentelemetry-sdk==1.45.2',
      'opentelemetry-exporter-otlp-proto-common==1.45.2',
    ],
    alone: [
      'opentelemetry-instrumentation-openai-v2==2.4b0',
      'opentelemetry-util-genai==0.4b0',
      'opentelemetry-instrumentation==0.66b2',
      'wrapt==2.5.2',
    ],
    args: ['otlp.py', 'openai-v2.otlp.json', 'requests.jsonl'],
  },
];

// Its writers need most of Trinity-RFT: what the tests of its command install.
const trinityPython = await ensurePython('trinity').catch((error) => {
  console.error(`Trinity-RFT cannot be had from the package index: ${error.message}`);
  process.exit(1);
});
run(trinityPython, [path.join(scripts, 'trinity_lines.py'), path.join(fixtures, 'explorer_output.jsonl')]);
console.log('explorer_output.jsonl: written');

for (const { environment, packages, alone, args } of runs) {
  const home = path.join(folder, environment);
  const python = path.join(home, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  if (!existsSync(python)) run('python3', ['-m', 'venv', home]);
  run(
    python,
    ['-m', 'pip', 'install', '-q', ...packages],
    `${environment} cannot be had from the package index`,
  );
  if (alone.length > 0)
    run(
      python,
      ['-m', 'pip', 'install', '-q', '--no-deps', ...alone],
      `${environment} cannot be had from the package index`,
    );
  const [script, ...names] = args;
  const outputs = names.map((name) => (name.includes('.') ? path.join(fixtures, name) : name));
  run(python, [path.join(scripts, script), ...outputs]);
  console.log(`${names.filter((name) => name.includes('.')).join(', ')}: written`);
}

function run(command, args, why = `${args[0]} failed`) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status === 0) return;
  console.error(`${why}${error === undefined ? '' : `: ${error.message}`}.`);
  process.exit(1);
}
