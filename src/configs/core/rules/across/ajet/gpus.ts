import { quotedName } from '../report.ts';
import type { Settings } from '../settings.ts';
import { engineGpus, engineKeys, currentPath, totalGpus, underBackbone } from './backbone.ts';

const parallel = 'rollout.tensor_model_parallel_size';
const ulysses = 'trainer_common.ulysses_sequence_parallel_size';
const perNode = 'trainer_common.n_gpus_per_node';
const nodes = 'trainer_common.nnodes';

export function gpuShare(settings: Settings): void {
  const severity = underBackbone(settings, 'trinity', 'error');
  const total = totalGpus(settings);
  const taken = engineGpus(settings);
  if (severity === undefined || total === undefined || taken === undefined) return;
  const engines = currentPath(settings, engineKeys);
  const at = [engines, parallel, perNode, nodes];
  if (taken >= total) {
    settings.report('gpu-share', {
      severity,
      at,
      message: `${settings.shown(engines)} × ${settings.shown(parallel)} = ${taken} of ${total} GPUs are for the engines, so none is left for the trainer and Trinity does not start. Use at most ${total - 1} GPUs for the engines.`,
    });
    return;
  }
  // Trinity gives the trainer whole nodes as soon as it has more than one.
  const left = total - taken;
  const node = settings.number(perNode);
  if (node === undefined || node < 1 || left <= node || left % node === 0) return;
  settings.report('gpu-share', {
    severity,
    at,
    message: `${left} GPUs are left for the trainer. This is more than one node of ${node}, but not a multiple of it, so Trinity does not start. Use ${left % node} more GPUs for the engines.`,
  });
}

export function ulyssesGroups(settings: Settings): void {
  const size = settings.number(ulysses);
  const total = totalGpus(settings);
  const taken = engineGpus(settings);
  if (size === undefined || size < 2 || total === undefined) return;
  const forVerl = underBackbone(settings, 'verl', 'error');
  const forTrinity = underBackbone(settings, 'trinity', 'error');
  const at = [ulysses, perNode, nodes];
  if (forVerl !== undefined && total % size !== 0) {
    const message = `${settings.shown(ulysses)} does not divide the ${total} GPUs that train under verl. Use a divisor of ${total}.`;
    settings.report('sequence-parallel', { severity: forVerl, at, message });
    return;
  }
  if (forTrinity === undefined || taken === undefined || taken >= total || (total - taken) % size === 0)
    return;
  const message = `${settings.shown(ulysses)} does not divide the ${total} − ${taken} = ${total - taken} GPUs that train under Trinity. Use a divisor of ${total - taken}.`;
  settings.report('sequence-parallel', { severity: forTrinity, at, message });
}

export function tensorParallel(settings: Settings): void {
  ofVerl(settings);
  const severity = underBackbone(settings, 'trinity', 'error');
  const size = settings.number(parallel);
  const node = settings.number(perNode);
  if (severity === undefined || size === undefined || node === undefined || node < 1) return;
  if (size <= node || size % node === 0) return;
  settings.report('gpu-share', {
    severity,
    at: [parallel, perNode],
    message: `An engine of ${size} GPUs is larger than a node of ${node}, but not a multiple of it, so Trinity does not start. Set ${quotedName(parallel)} to ${node} or less.`,
  });
}

/** verl makes engines of all GPUs that train. It checks the number only after the model is loaded. */
function ofVerl(settings: Settings): void {
  const severity = underBackbone(settings, 'verl', 'error');
  const size = settings.number(parallel);
  const total = totalGpus(settings);
  if (severity === undefined || size === undefined || size < 2 || total === undefined) return;
  if (total % size === 0) return;
  settings.report('gpu-share', {
    severity,
    at: [parallel, perNode, nodes],
    message: `${settings.shown(parallel)} does not divide the ${total} GPUs, so verl stops after its workers start. Use a divisor of ${total}.`,
  });
}
