/** What many episodes cost: the most memory of a run's process with a thousand of them over that with a hundred. */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { debugRun, inRunFolder } from './debugRun.mjs';
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
    measure: () => inRunFolder('rollout', many / repeat, measureRuns),
  },
];

async function measureRuns(folder) {
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
  const start = performance.now();
  await debugRun(folder, {
    episodes,
    calls: 10,
    request: { model: { kind: 'embedded' }, firstTasks: episodes / repeat, repeat },
    env: { AGENTJET_BENCH_MEMORY: memory },
  });
  const seconds = (performance.now() - start) / 1000;
  return { megabytes: Number(await readFile(memory, 'utf8')) / 1024, seconds };
}
