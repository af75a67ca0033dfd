import { quotedName } from '../report.ts';
import type { Settings } from '../settings.ts';
import { engineGpus, engineKeys, totalGpus, underBackbone } from './backbone.ts';

const batch = 'data.train_batch_size';
const repeat = 'rollout.num_repeat';
const expected = 'rollout.multi_turn.expected_steps';
const miniBatches = 'trainer_common.mini_batch_num';
const gpuKeys = ['trainer_common.n_gpus_per_node', 'trainer_common.nnodes'] as const;

export function verlBatch(settings: Settings): void {
  const severity = underBackbone(settings, 'verl', 'error');
  const episodes = product(settings, [batch, repeat]);
  const gpus = totalGpus(settings);
  if (severity === undefined || episodes === undefined || gpus === undefined || gpus < 1) return;
  const rest = episodes % gpus;
  if (rest === 0) return;
  settings.report('verl-batch', {
    severity,
    at: [batch, repeat, ...gpuKeys],
    message: `${times(settings, [batch, repeat])} = ${episodes} episodes per step are not a multiple of the ${gpus} GPUs (${times(settings, gpuKeys)}): ${rest} are left over, and verl rejects the batch. Choose a \`train_batch_size\` so that \`train_batch_size\` × \`num_repeat\` is a multiple of ${gpus}.`,
  });
}

export function trinityBatch(settings: Settings): void {
  const severity = underBackbone(settings, 'trinity', 'information');
  const factors = [batch, repeat, expected];
  const samples = product(settings, factors);
  const total = totalGpus(settings);
  const engines = engineGpus(settings);
  if (severity === undefined || samples === undefined || total === undefined || engines === undefined) return;
  const trainer = total - engines;
  const rest = samples % trainer;
  if (trainer < 1 || rest === 0) return;
  const rounded = samples + trainer - rest;
  settings.report('trinity-batch', {
    severity,
    at: [...factors, ...engineKeys, ...gpuKeys],
    message: `${times(settings, factors)} = ${samples} samples per training step become ${rounded} under Trinity. \`buffer.train_batch_size\` is raised to the next multiple of the ${total} − ${engines} = ${trainer} GPUs that train. So a step waits for ${rounded - samples} samples of the next batch.`,
  });
}

export function miniBatch(settings: Settings): void {
  const severity = underBackbone(settings, 'verl', 'warning');
  const episodes = product(settings, [batch, repeat]);
  const parts = settings.number(miniBatches);
  const gpus = totalGpus(settings);
  if (severity === undefined || episodes === undefined || parts === undefined || gpus === undefined) return;
  if (parts < 2 || gpus < 1 || episodes >= parts * gpus) return;
  const each = Math.round((episodes / parts) * 10) / 10;
  settings.report('mini-batch', {
    severity,
    at: [miniBatches, batch, repeat],
    message: `${times(settings, [batch, repeat])} = ${episodes} episodes in ${settings.shown(miniBatches)} parts are ${each} per part, fewer than the ${gpus} GPUs that share a part. Lower \`mini_batch_num\` to ${Math.max(1, Math.floor(episodes / gpus))}.`,
  });
}

export function expectedSteps(settings: Settings): void {
  const severity = underBackbone(settings, 'trinity', 'warning');
  const most = settings.number('rollout.multi_turn.max_sample_per_task');
  const steps = settings.number(expected);
  if (severity === undefined || most === undefined || steps === undefined || steps <= most) return;
  settings.report('expected-steps', {
    severity,
    at: [expected, 'rollout.multi_turn.max_sample_per_task'],
    message: `${settings.shown(expected)} is more than ${settings.shown('rollout.multi_turn.max_sample_per_task')}. An episode never gives as many samples as Trinity's training step expects, so each step waits for episodes of the next batch. Lower \`expected_steps\`.`,
  });
}

function product(settings: Settings, paths: readonly string[]): number | undefined {
  let result = 1;
  for (const path of paths) {
    const value = settings.number(path);
    if (value === undefined || !Number.isInteger(value) || value < 1) return undefined;
    result *= value;
  }
  return result;
}

/** `` `train_batch_size` 32 × `num_repeat` 4 ``. */
function times(settings: Settings, paths: readonly string[]): string {
  return paths.map((path) => `${quotedName(path)} ${settings.number(path) ?? ''}`).join(' × ');
}
