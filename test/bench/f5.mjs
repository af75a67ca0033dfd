/**
 * From launch request to `stopped`, in one real VS Code: ours over the debugger of the language launching a file alone.
 * Ours starts a whole run and stops inside an episode; the peer's file only loads what ours imports.
 */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runHostSuite } from '../e2e/harness/hostSuite.ts';
import { artifacts, root } from '../tools/commands.mjs';
import { bundleForHost } from '../tools/suiteBundle.mjs';
import { quantile } from './measure.mjs';

const folder = path.join(artifacts, 'bench/f5');
/** Megabytes that ours may have more. */
const moreMemory = 40;

export const f5Benches = [
  {
    name: 'f5',
    metric: 'ms from launch request to stopped, ours inside execute',
    baselineName: 'js-debug launching workflow.ts alone, stopped in the module',
    target: 1.5,
    measure: async () => {
      const { inExecute, alone, activation } = await samples('f5', await makeWorkspace());
      const { load, activate } = activation;
      const note = `activation: ${load.toFixed(0)} ms to load the code, ${activate.toFixed(0)} ms to register`;
      return { ours: inExecute, baseline: alone, note };
    },
  },
  {
    name: 'f5-python',
    metric: 'ms from launch request to stopped, ours inside execute',
    baselineName: 'debugpy launching a script with the same imports, stopped in it',
    target: 1.5,
    measure: async () => {
      const { ours, alone } = await pythonSamples();
      const times = (all) => all.map(({ milliseconds }) => milliseconds);
      return { ours: times(ours), baseline: times(alone) };
    },
  },
  {
    name: 'f5-python-memory',
    metric: 'MB at most in the process that stopped',
    baselineName: `${moreMemory} MB more than debugpy alone with the same imports and pydantic`,
    target: 1,
    measure: async () => {
      const { ours, alone } = await pythonSamples();
      const more = quantile(memory(ours), 0.5) - quantile(memory(alone), 0.5);
      return {
        ours: memory(ours),
        baseline: memory(alone).map((megabytes) => megabytes + moreMemory),
        note: `${more.toFixed(1)} MB more than debugpy alone`,
      };
    },
  },
];

function memory(samples) {
  return samples.map(({ megabytes }) => megabytes);
}

let measured;

/** One editor serves both benches. */
function pythonSamples() {
  measured ??= makePythonWorkspace().then((workspace) => samples('f5Python', workspace, { python: true }));
  return measured;
}

async function makePythonWorkspace() {
  const workspace = path.join(folder, 'python');
  await rm(workspace, { recursive: true, force: true });
  await cp(path.join(import.meta.dirname, 'python'), workspace, { recursive: true });
  await writeFile(path.join(workspace, 'tasks.jsonl'), '{"task_id": "t1", "main_query": "What is 1 + 1?"}\n');
  return workspace;
}

/** The example, and the SDK where Node finds it by itself: the peer has no loader of ours. */
async function makeWorkspace() {
  const workspace = path.join(folder, 'math_agent');
  await rm(workspace, { recursive: true, force: true });
  await cp(path.join(root, 'media/examples/math_agent'), workspace, { recursive: true });
  const sdk = path.join(workspace, 'node_modules/agentjet');
  await mkdir(sdk, { recursive: true });
  await cp(path.join(root, 'dist/sdk.mjs'), path.join(sdk, 'sdk.mjs'));
  await writeFile(path.join(sdk, 'package.json'), JSON.stringify({ name: 'agentjet', exports: './sdk.mjs' }));
  return workspace;
}

async function samples(suite, workspace, options) {
  const results = path.join(folder, `${suite}.json`);
  const outcome = await runHostSuite({
    suite: `bench-${suite}`,
    bundle: await bundleForHost(
      [path.join(import.meta.dirname, `${suite}.suite.ts`)],
      path.join(folder, `${suite}.js`),
    ),
    workspace,
    env: { AGENTJET_BENCH_SAMPLES: results },
    ...options,
  });
  if (outcome.failed > 0) throw new Error(outcome.tests.map(({ error }) => error ?? '').join('\n'));
  return JSON.parse(await readFile(results, 'utf8'));
}
