/**
 * A step of a training on a Tinker server: ours, with episodes, timelines, samples and a trace, over the same requests that the
 * official SDK sends without any of that. Both train a tiny model on one real SkyRL server on this machine's CPU.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { rehearsal, startServer } from '../tools/rehearsal.ts';
import { Recorder } from '../tools/tinkerConversations/recorder.ts';
import { inRunFolder, startRun } from './debugRun.mjs';
import { alternate, leastRuns, quantile } from './measure.mjs';

const tasks = 4;
const episodes = 32;
/** The first step opens files and connections. */
const stepsOfARun = 4;

export const trainBenches = [
  {
    name: 'train',
    metric: `ms of a training step with ${episodes} episodes of one call of 32 tokens, on a tiny model`,
    baselineName: 'the same requests by the official SDK, tinker 0.25.0',
    target: 1.2,
    measure: () =>
      inRunFolder('train', tasks, async (folder) => {
        const server = await startServer();
        try {
          return await measureSides(folder, server);
        } finally {
          await server.stop();
        }
      }),
  },
];

async function measureSides(folder, server) {
  const config = path.join(folder, 'rollout.yaml');
  await writeFile(config, (await readFile(config, 'utf8')).replace('MODEL', server.model));
  const sdk = await startSdk(folder, server);
  try {
    // The server compiles code for each shape of a request.
    await train(folder, server.url, 2);
    for (let step = 0; step < 2; step++) await sdk.step();
    const ours = async () => quantile(await train(folder, server.url, stepsOfARun), 0.5);
    const theirs = async () => {
      const times = [];
      for (let step = 1; step < stepsOfARun; step++) times.push(await sdk.step());
      return quantile(times, 0.5);
    };
    const sides = await alternate(leastRuns, ours, theirs);
    const overhead = (quantile(sides.ours, 0.5) - quantile(sides.baseline, 0.5)) / episodes;
    return { ...sides, note: `overhead of our loop per episode: ${overhead.toFixed(2)} ms` };
  } finally {
    sdk.close();
  }
}

/** Trains, and resolves to the milliseconds between the ends of consecutive steps. */
async function train(folder, url, steps) {
  const backbone = await startRun(folder, {
    model: { kind: 'embedded' },
    train: { baseUrl: url, rank: 8, steps },
  });
  const ends = [];
  const problems = [];
  backbone.onEvent((event) => {
    if (event.type === 'training-step')
      ends.push({ at: performance.now(), samples: event.metrics['samples/trained'] });
    if (event.type === 'problem' || event.type === 'run-ended') problems.push(event);
  });
  await backbone.exited;
  if (ends.length !== steps || ends.some(({ samples }) => samples !== episodes))
    throw new Error(`The training was not what it should be: ${JSON.stringify([ends, problems])}`);
  return ends.slice(1).map(({ at }, before) => at - ends[before].at);
}

/** Starts the official SDK, with the requests of one of our steps. */
async function startSdk(folder, server) {
  const file = path.join(folder, 'step.json');
  await writeFile(file, JSON.stringify({ model: server.model, ...(await recordedStep(folder, server)) }));
  const { python } = await rehearsal();
  const child = spawn(python, [path.join(folder, 'sdkSteps.py'), file], {
    env: { ...process.env, TINKER_BASE_URL: server.url, TINKER_API_KEY: 'tml-any', TINKER_TELEMETRY: '0' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`sdkSteps.py ended with ${code}.`);
  });
  exited.catch(() => undefined);
  return {
    step: async () => {
      const line = once(lines, 'line');
      child.stdin.write('\n');
      return Number((await Promise.race([line, exited]))[0]);
    },
    close: () => child.kill(),
  };
}

async function recordedStep(folder, server) {
  const recorder = await Recorder.start(server.url);
  await train(folder, recorder.url, 1);
  recorder.close();
  const bodies = (end) =>
    recorder.exchanges.filter(({ path: sent }) => sent.endsWith(`/${end}`)).map(({ body }) => body);
  return {
    samples: bodies('asample'),
    passes: bodies('forward_backward').map(({ shown }) => shown),
    steps: bodies('optim_step').map((body) => body.adam_params),
  };
}
