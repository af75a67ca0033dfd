/**
 * Proves that a training learns: a tiny model on a real server, trained from the debug adapter, as F5 does without breakpoints.
 * `npm run train:proof` tries all seeds. AGENTJET_PROOF names the folder for the figures.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { datumOf } from '../../src/backbone/core/trainer/datums.ts';
import { neverCancelled } from '../../src/base/core/cancellation.ts';
import type { TrainingSample } from '../../src/tracking/core/samples.ts';
import { openTraceReader } from '../../src/traces/node/store/openReader.ts';
import { openTinker } from '../../src/tinker/node/openTinker.ts';
import { ensurePython } from '../tools/pythonEnvironments.mjs';
import type { RunningAdapter } from '../cli/harness/adapter.ts';
import {
  curveIn,
  digitsProject,
  languages,
  proofFolder,
  resultsOf,
  startTraining,
  writeProof,
  type Curve,
  type Language,
} from './digits.ts';
import { rehearsalServer } from './rehearsalServer.ts';

const server = rehearsalServer();
const seeds = proofFolder === undefined ? [0, 1] : [0, 1, 2, 3, 4];

interface Proved extends Curve {
  readonly seed: number;
  readonly language: Language;
}

const proved: Proved[] = [];
let resumedAfterKill = false;
let python = '';

beforeAll(async () => {
  python = await ensurePython('base');
});

afterAll(() => {
  const ratioAtStep0 = proved.map(({ ratio }) => ratio).sort((a, b) => Math.abs(b - 1) - Math.abs(a - 1))[0];
  writeProof('proof', { seeds: proved, languages, ratioAtStep0, resumedAfterKill });
});

function launch(folder: string, seed: number, more: object = {}): Promise<RunningAdapter> {
  return startTraining(folder, server(), { seed, python, ...more });
}

const cases = languages.flatMap((language) => seeds.map((seed) => ({ language, seed })));

test.each(cases)('a training in $language learns with seed $seed', async ({ language, seed }) => {
  const folder = digitsProject(server(), language);
  const adapter = await launch(folder, seed);
  await adapter.client.event('terminated');
  const run = resultsOf(folder);
  const learned = curveIn(run);
  proved.push({ seed, language, ...learned });
  expect(learned.curve).toHaveLength(15);
  expect(learned.first).toBeLessThan(0.3);
  expect(Math.abs(learned.ratio - 1)).toBeLessThan(1e-4);
  expectTracedTraining(path.join(run, 'steps', 'step-0002.ajtrace'));
});

/** The trace of a step has what the trainer said of each token that it trained. */
function expectTracedTraining(file: string): void {
  const reader = openTraceReader(file);
  try {
    expect(reader.read((views) => views.run()).training).toEqual({ step: 2, weights: 1 });
    const { rows } = reader.read((views) => views.episodes(0, 1_000));
    const trained = rows.flatMap(({ episode }) => {
      const { timelines } = reader.read((views) => views.episode(episode));
      return timelines[0]?.training === undefined ? [] : [episode];
    });
    expect(trained.length).toBeGreaterThan(0);
    for (const episode of trained) {
      const { lossMask, trainer } = reader.read((views) => views.tokens.window(episode, 0, 0, 1_000));
      expect(trainer?.ratios.map((ratio) => (ratio === null ? 0 : 1))).toEqual(lossMask);
      for (const ratio of trainer?.ratios ?? []) expect(Math.abs((ratio ?? 1) - 1)).toBeLessThan(1e-3);
    }
  } finally {
    reader.close();
  }
}

test('most seeds reach four fifths', () => {
  const reached = proved.filter(({ last }) => last > 0.8);
  expect(reached.length).toBeGreaterThanOrEqual(Math.floor(proved.length * 0.8));
});

test('a killed training continues from its last checkpoint', async () => {
  const folder = digitsProject(server(), 'typescript');
  const adapter = await launch(folder, 0);
  await adapter.printed(/^step 6 of/m);
  for (const pid of adapter.processes()) process.kill(pid, 'SIGKILL');
  adapter.child.kill('SIGKILL');
  const run = resultsOf(folder);
  const cli = path.join(inject('dist'), 'cli.mjs');
  const resumed = spawnSync(process.execPath, [cli, 'resume', run], { cwd: folder, encoding: 'utf8' });
  expect(resumed.stderr).toMatch(/from step 5/);
  expect(resumed.status, resumed.stderr).toBe(0);
  const { curve, last } = curveIn(run);
  const whole = proved.find(({ language, seed }) => language === 'typescript' && seed === 0)?.curve ?? [];
  expect(curve).toHaveLength(15);
  // The server groups requests as they come, which changes the last digits of its sums, and rarely a sample.
  expect(curve.slice(0, 4)).toEqual(whole.slice(0, 4));
  expect(Math.abs((curve[4] ?? 0) - (whole[4] ?? 0))).toBeLessThan(0.1);
  expect(last).toBeGreaterThan(0.8);
  resumedAfterKill = true;
  await expectTrainersLogprobs(folder, run);
});

/** A checkpoint in the debugger gives the log probabilities that the trainer has for the same tokens. */
async function expectTrainersLogprobs(folder: string, run: string): Promise<void> {
  const state = JSON.parse(readFileSync(path.join(run, 'training.json'), 'utf8')) as {
    checkpoints: { path: string; sampler: string }[];
  };
  const last = state.checkpoints.at(-1);
  const adapter = await launch(folder, 0, {
    backbone: 'debug',
    checkpoint: last?.sampler,
    tasks: 2,
    expDir: 'debugged',
  });
  await adapter.client.event('terminated');
  const samples = samplesIn(path.join(folder, 'debugged', 'digits', 'digits.ajtrace'));
  expect(samples).toHaveLength(16);
  const session = await openTinker({ baseUrl: server().url });
  try {
    const all = { trainMlp: true, trainAttn: true, trainUnembed: true };
    const model = await session.createModel({ baseModel: server().model, rank: 8, ...all }, neverCancelled);
    await model.load(last?.path ?? '');
    const datums = samples.flatMap((sample) => datumOf({ sample, advantage: 0 }) ?? []);
    const { logprobs } = await model.forwardBackward(datums, { name: 'importance_sampling' });
    datums.forEach((datum, index) => {
      datum.weights.forEach((weight, at) => {
        if (weight === 1) expect(logprobs[index]?.[at]).toBeCloseTo(datum.logprobs[at] ?? NaN, 4);
      });
    });
  } finally {
    await session.close('success');
  }
}

/** The training samples of a trace, as `agentjet samples` prints them. */
function samplesIn(trace: string): readonly TrainingSample[] {
  const cli = path.join(inject('dist'), 'cli.mjs');
  const { stdout } = spawnSync(process.execPath, [cli, 'samples', trace, '--json'], { encoding: 'utf8' });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number[]>);
  return lines.map(({ input_ids = [], loss_mask = [], logprobs = [] }) => ({
    inputIds: Int32Array.from(input_ids),
    lossMask: Uint8Array.from(loss_mask),
    logprobs: Float32Array.from(logprobs),
    ...{ promptTokens: 0, cutTokens: 0, cutTrainable: 0, prefixTokens: 0, refusal: null },
  }));
}
