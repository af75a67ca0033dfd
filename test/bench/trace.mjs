/**
 * What a trace costs: a whole run that leaves one over the same run without; and opening a large one and reading an
 * episode of it over the same in a small one, each time in a fresh process.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { startBackbone } from '../../src/backbone/node/process/backboneChannel.ts';
import { runProtocolVersion } from '../../src/backbone/core/protocol/run.ts';
import { root } from '../tools/commands.mjs';
import { alternate } from './measure.mjs';

const execute = promisify(execFile);
const program = (name) => path.join(import.meta.dirname, name);

/** Episodes of a task, of which the run has ten: enough for a run to be more than its start. */
const repeat = 120;
const firstTasks = 10;
const writeRuns = 9;

const openRuns = 15;
/** Megabytes. */
const large = 2_000;
const small = 20;
/** In both files. */
const episodeRead = 7;

export const traceBenches = [
  {
    name: 'trace-write',
    metric: `ms of a whole debug run of math_agent, ${firstTasks * repeat} episodes, from start to the process's end`,
    baselineName: 'the same run, tracked as well, that leaves no trace',
    target: 1.1,
    measure: () => inFolder(measureWriting),
  },
  {
    name: 'trace-open',
    metric: `ms to open a ${large} MB trace and read one episode, in a fresh process`,
    baselineName: `the same in one of ${small} MB`,
    target: 2,
    measure: () => inFolder(measureOpening),
  },
];

async function inFolder(measure) {
  const folder = await mkdtemp(path.join(tmpdir(), 'agentjet-bench-'));
  try {
    return await measure(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureWriting(folder) {
  const workspace = path.join(folder, 'math_agent');
  await cp(path.join(root, 'media/examples/math_agent'), workspace, { recursive: true });
  return alternate(
    writeRuns,
    () => timeOfRun(workspace, true),
    () => timeOfRun(workspace, false),
  );
}

async function timeOfRun(workspace, trace) {
  const expDir = path.join(workspace, 'runs');
  await rm(expDir, { recursive: true, force: true });
  await mkdir(expDir);
  const start = performance.now();
  const backbone = await startBackbone({
    runtime: { executable: process.execPath, env: {} },
    runtimeArgs: [],
    script: path.join(root, 'dist/backbone.mjs'),
    request: requestOf(workspace, expDir, trace),
    inspect: false,
    env: {},
  });
  const events = [];
  backbone.onEvent((event) => events.push(event));
  await backbone.exited;
  const milliseconds = performance.now() - start;
  await checkRun(events, trace);
  return milliseconds;
}

function requestOf(workspace, expDir, trace) {
  return {
    protocol: runProtocolVersion,
    config: path.join(workspace, 'math_agent.yaml'),
    cwd: workspace,
    expDir,
    model: { kind: 'embedded' },
    seed: 1,
    firstTasks,
    repeat,
    split: 'training',
    allowEnvironment: false,
    trace,
  };
}

/** A run that failed, or that left a trace where there was to be none, measures nothing. */
async function checkRun(events, trace) {
  const ended = events.filter(({ type }) => type === 'episode-ended').length;
  const file = events.find(({ type }) => type === 'run-started')?.trace;
  if (ended !== firstTasks * repeat) throw new Error(`The run ended ${ended} episodes: ${tell(events)}`);
  if (trace !== (typeof file === 'string')) throw new Error(`The run's trace is ${file}: ${tell(events)}`);
  if (trace && (await stat(file)).size === 0) throw new Error(`${file} is empty.`);
}

function tell(events) {
  return JSON.stringify(events.filter(({ type }) => type === 'problem' || type === 'run-ended'));
}

async function measureOpening(folder) {
  const fileOf = (megabytes) => path.join(folder, `${megabytes}.ajtrace`);
  for (const megabytes of [small, large]) {
    await execute(process.execPath, [program('traceSize.mjs'), fileOf(megabytes), String(megabytes)]);
  }
  const sample = async (megabytes) => {
    const { stdout } = await execute(process.execPath, [
      program('traceOpen.mjs'),
      fileOf(megabytes),
      String(episodeRead),
    ]);
    return Number(stdout);
  };
  return alternate(
    openRuns,
    () => sample(large),
    () => sample(small),
  );
}
