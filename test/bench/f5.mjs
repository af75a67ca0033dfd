/**
 * From launch request to `stopped`, in one real VS Code: ours over js-debug launching the same file alone. Ours
 * starts a whole run and stops inside an episode; the peer's file only loads, so its breakpoint is on a line of the
 * module's own.
 */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runHostSuite } from '../e2e/harness/hostSuite.ts';
import { artifacts, root } from '../tools/commands.mjs';
import { bundleForHost } from '../tools/suiteBundle.mjs';

const folder = path.join(artifacts, 'bench/f5');

export const f5Benches = [
  {
    name: 'f5',
    metric: 'ms from launch request to stopped, ours inside execute',
    baselineName: 'js-debug launching workflow.ts alone, stopped in the module',
    target: 1.5,
    measure: async () => {
      const { inExecute, alone } = await samples();
      return { ours: inExecute, baseline: alone };
    },
  },
];

/** The example, and the SDK where Node finds it by itself: the peer has no loader of ours. */
async function makeWorkspace() {
  await rm(folder, { recursive: true, force: true });
  const workspace = path.join(folder, 'math_agent');
  await cp(path.join(root, 'media/examples/math_agent'), workspace, { recursive: true });
  const sdk = path.join(workspace, 'node_modules/agentjet');
  await mkdir(sdk, { recursive: true });
  await cp(path.join(root, 'dist/sdk.mjs'), path.join(sdk, 'sdk.mjs'));
  await writeFile(path.join(sdk, 'package.json'), JSON.stringify({ name: 'agentjet', exports: './sdk.mjs' }));
  return workspace;
}

async function samples() {
  const workspace = await makeWorkspace();
  const results = path.join(folder, 'samples.json');
  const outcome = await runHostSuite({
    suite: 'bench-f5',
    bundle: await bundleForHost(
      [path.join(import.meta.dirname, 'f5.suite.ts')],
      path.join(folder, 'suite.js'),
    ),
    workspace,
    env: { AGENTJET_BENCH_SAMPLES: results },
  });
  if (outcome.failed > 0) throw new Error(outcome.tests.map(({ error }) => error ?? '').join('\n'));
  return JSON.parse(await readFile(results, 'utf8'));
}
