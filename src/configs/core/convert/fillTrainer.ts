import type { ConfigProblem } from '../finding.ts';
import { valueAt, type MappingValue, type Origin, type ScalarPart } from '../value.ts';
import { insertValue } from './insertValue.ts';

const batch = 'buffer.train_batch_size';
const gpus = ['cluster.gpu_per_node', 'cluster.node_num'] as const;
const engines = ['explorer.rollout_model.tensor_parallel_size', 'explorer.rollout_model.engine_num'] as const;

export interface FilledTrainer {
  readonly root: MappingValue;
  readonly problem?: Pick<ConfigProblem, 'message' | 'hint'>;
}

export interface GpuSplit {
  readonly total: number;
  readonly explorer: number;
  /** The GPUs left for the trainer; zero or less if the engines use all. */
  readonly trainer: number;
}

/** Returns how Trinity splits the GPUs between engines and trainer; undefined if a number is missing. */
export function gpuSplit(root: MappingValue): GpuSplit | undefined {
  const [perNode, nodes] = gpus.map((path) => numberAt(root, path));
  const [parallel, count] = engines.map((path) => numberAt(root, path));
  if (perNode === undefined || nodes === undefined || parallel === undefined || count === undefined) return;
  const total = Number(perNode.value) * Number(nodes.value);
  const explorer = Number(parallel.value) * Number(count.value);
  return { total, explorer, trainer: total - explorer };
}

/**
 * The launcher raises Trinity's `buffer.train_batch_size` to the next multiple of the GPUs that the engines leave to
 * the trainer; with none left it does nothing.
 */
export function fillTrainer(root: MappingValue): FilledTrainer {
  const split = gpuSplit(root);
  const size = numberAt(root, batch);
  if (split === undefined || size === undefined || !(split.trainer > 0)) return { root };
  const { trainer } = split;
  const value = Number(size.value);
  if (value % trainer === 0) return { root };
  if (!Number.isInteger(value) || !Number.isInteger(trainer)) {
    return {
      root,
      problem: {
        message: `\`${batch}\` is ${value} and the trainer has ${trainer} GPUs. No number of whole steps gives a multiple, so the launcher never ends.`,
        hint: 'Use whole numbers for batch size, repeats, expected steps and GPUs.',
      },
    };
  }
  const filled = Math.ceil(value / trainer) * trainer;
  const placed = insertValue(
    root,
    batch.split('.'),
    { ...size, value: filled, origin: origin(root, size, trainer, filled) },
    size.origin,
  );
  return placed.ok ? { root: placed.root } : { root };
}

function origin(root: MappingValue, size: ScalarPart, trainer: number, filled: number): Origin {
  const before = size.origin.kind === 'rule' ? (size.origin.text ?? String(size.value)) : String(size.value);
  const inputs = [...gpus, ...engines].flatMap((path) => {
    const value = numberAt(root, path);
    return value === undefined ? [] : [{ path, value }];
  });
  return {
    kind: 'rule',
    expression: size.origin.kind === 'rule' ? size.origin.expression : batch,
    inputs: [...(size.origin.kind === 'rule' ? size.origin.inputs : []), ...inputs],
    text: `${before}, raised to ${filled}: a multiple of the trainer's ${trainer} GPUs`,
  };
}

function numberAt(root: MappingValue, path: string): ScalarPart | undefined {
  const value = valueAt(root, path);
  return value?.kind === 'scalar' && typeof value.value === 'number' ? value : undefined;
}
