/** What many episodes cost: the most memory of a run's process with a thousand of them over that with a hundred. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { startBackbone } from '../../src/node/process/backboneChannel.ts';
import { runProtocolVersion } from '../../src/protocol/run.ts';
import { root } from '../tools/commands.mjs';
import { alternate, leastRuns, quantile } from './measure.mjs';

const many = 1_000;
const few = 100;
const repeat = 10;

export const rolloutBenches = [
  {
    name: 'rollout',
    metric: `MB at most in the process of a debug run of ${many} episodes of ten calls, embedded model`,
    baselineName: `the same of ${few} episodes`,
    target: 1.3,
    measure: async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'agentjet-bench-'));
      try {
        return await measureRuns(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  },
];

async function measureRuns(folder) {
  await cp(path.join(root, 'test/bench/rollout'), folder, { recursive: true });
  const rows = Array.from({ length: many / repeat }, (_, row) =>
    JSON.stringify({ task_id: `task-${row}`, main_query: `Count to ${row}.` }),
  );
  await writeFile(path.join(folder, 'tasks.jsonl'), rows.join('\n'));
  const rates = [];
  const sample = async (episodes) => {
    const { megabytes, seconds } = await runOf(folder, episodes);
    if (episodes === many) rates.push(episodes / seconds);
    return megabytes;
  };
  const samples = await alternate(
    leastRuns,
    () => sample(many),
    () => sample(few),
  );
  return {
    ...samples,
    note: `${quantile(rates, 0.5).toFixed(0)} episodes a second of ${many}, start and end of the process included`,
  };
}

async function runOf(folder, episodes) {
  const memory = path.join(folder, 'memory.txt');
  await rm(memory, { force: true });
  const expDir = path.join(folder, 'runs');
  await rm(expDir, { recursive: true, force: true });
  const start = performance.now();
  const backbone = await startBackbone({
    runtime: { executable: process.execPath, env: {} },
    runtimeArgs: [],
    script: path.join(root, 'dist/backbone.mjs'),
    request: {
      protocol: runProtocolVersion,
      config: path.join(folder, 'rollout.yaml'),
      cwd: folder,
      expDir,
      model: { kind: 'embedded' },
      firstTasks: episodes / repeat,
      repeat,
      split: 'training',
      allowEnvironment: false,
    },
    inspect: false,
    env: { AGENTJET_BENCH_MEMORY: memory },
  });
  const results = [];
  const problems = [];
  backbone.onEvent((event) => {
    if (event.type === 'episode-ended') results.push(event.result);
    if (event.type === 'problem' || event.type === 'run-ended') problems.push(event);
  });
  await backbone.exited;
  const seconds = (performance.now() - start) / 1000;
  if (
    results.length !== episodes ||
    results.some(({ llmCalls, error }) => llmCalls !== 10 || error !== null)
  ) {
    throw new Error(`The run was not what it should be: ${JSON.stringify(problems)}`);
  }
  return { megabytes: Number(await readFile(memory, 'utf8')) / 1024, seconds };
}
