import type { ConfigContext } from '../context.ts';
import { convert } from '../convert/convert.ts';
import { gpuSplit, type GpuSplit } from '../convert/fillTrainer.ts';
import { valueAt } from '../value.ts';
import { grouped, HintNumbers, type Hint } from './hint.ts';

/** The key names of a dialect for the numbers of the totals. */
interface Names {
  readonly batch: string;
  readonly repeat: string;
  readonly window: string;
  readonly epochs: string;
  /** Returns true if the run rolls out episodes in steps. */
  readonly rollsOut: (numbers: HintNumbers) => boolean;
  /** The key whose text names the file with the training tasks; undefined where another kind of reader is used. */
  readonly rows: (numbers: HintNumbers) => string | undefined;
}

const jsonl = 'ajet.task_reader.jsonl_dataset_file.training.file_path';

export const ajetNames: Names = {
  batch: 'ajet.data.train_batch_size',
  repeat: 'ajet.rollout.num_repeat',
  window: 'ajet.rollout.max_model_len',
  epochs: 'ajet.trainer_common.total_epochs',
  rollsOut: () => true,
  rows: (numbers) => (numbers.text('ajet.task_reader.type') === 'jsonl_dataset_file' ? jsonl : undefined),
};

export const trinityNames: Names = {
  batch: 'buffer.batch_size',
  repeat: 'algorithm.repeat_times',
  window: 'model.max_model_len',
  epochs: 'buffer.total_epochs',
  rollsOut: (numbers) => ['both', 'explore', 'colocate'].includes(numbers.text('mode') ?? ''),
  // A number of steps wins over that of epochs.
  rows: (numbers) =>
    numbers.isNull('buffer.total_steps') ? 'buffer.explorer_input.taskset.path' : undefined,
};

/** Episodes and tokens per step, steps per epoch. */
export function totals(context: ConfigContext, names: Names): Hint[] {
  const numbers = new HintNumbers(context);
  if (!names.rollsOut(numbers)) return [];
  return [...episodes(numbers, names), ...tokens(numbers, names), ...steps(numbers, names)];
}

function episodes(numbers: HintNumbers, { batch, repeat }: Names): Hint[] {
  const [tasks, repeats] = [numbers.count(batch), numbers.count(repeat)];
  const path = numbers.anchor([repeat, batch]);
  if (tasks === undefined || repeats === undefined || path === undefined) return [];
  const text = `${tasks} × ${repeats} = ${grouped(tasks * repeats)} episodes per step`;
  return [
    { path, text, tooltip: `\`${batch}\` × \`${repeat}\`: the number of runs of each task in a step.` },
  ];
}

function tokens(numbers: HintNumbers, { batch, repeat, window }: Names): Hint[] {
  const [tasks, repeats, length] = [numbers.count(batch), numbers.count(repeat), numbers.count(window)];
  const path = numbers.anchor([window]);
  if (tasks === undefined || repeats === undefined || length === undefined || path === undefined) return [];
  const text = `≤ ${grouped(tasks * repeats * length)} tokens per step`;
  const tooltip = `${tasks * repeats} episodes × \`${window}\` ${length}, if each episode fills its window with one timeline. Episodes with several timelines can have more.`;
  return [{ path, text, tooltip }];
}

function steps(numbers: HintNumbers, { batch, epochs, rows }: Names): Hint[] {
  const key = rows(numbers);
  const file = key === undefined ? undefined : numbers.text(key);
  const count = file === undefined ? undefined : numbers.context.references.rows?.(file);
  const tasks = numbers.count(batch);
  const path = numbers.anchor([epochs, batch]);
  if (file === undefined || count === undefined || tasks === undefined || path === undefined) return [];
  const perEpoch = Math.floor(count / tasks);
  const times = numbers.count(epochs);
  const all =
    times === undefined || times === 1 ? '' : `, ${grouped(perEpoch * times)} in ${grouped(times)} epochs`;
  const left = count % tasks;
  return [
    {
      path,
      text: `${grouped(count)} / ${tasks} = ${grouped(perEpoch)} steps per epoch${all}`,
      tooltip: `\`${file}\` has ${grouped(count)} tasks, \`${batch}\` is ${tasks}${left === 0 ? '' : `; ${left} tasks are left over in each epoch`}.`,
    },
  ];
}

const engineKeys = ['ajet.rollout.n_vllm_engine', 'ajet.rollout.tensor_model_parallel_size'];
const gpuKeys = ['ajet.trainer_common.n_gpus_per_node', 'ajet.trainer_common.nnodes'];

/** Returns hints for batches, workers and GPUs after conversion to Trinity and verl. */
export function converted(context: ConfigContext): Hint[] {
  const numbers = new HintNumbers(context);
  // Who names a backbone wants to know about that one; the launcher's flag decides in the end.
  const named = numbers.isTyped('ajet.backbone') ? numbers.text('ajet.backbone') : undefined;
  return [
    ...(named === 'verl' ? [] : forTrinity(context, numbers)),
    ...(named === 'trinity' ? [] : forVerl(numbers)),
  ];
}

function forTrinity(context: ConfigContext, numbers: HintNumbers): Hint[] {
  const { root } = convert(context.composition, 'trinity');
  const split = gpuSplit(root);
  const computed = [
    {
      target: 'buffer.train_batch_size',
      anchors: ['ajet.rollout.multi_turn.expected_steps', ajetNames.batch, ajetNames.repeat],
    },
    { target: 'explorer.runner_per_model', anchors: ['ajet.rollout.max_env_worker'] },
  ].flatMap(({ target, anchors }): Hint[] => {
    const value = valueAt(root, target);
    const path = numbers.anchor(anchors);
    if (value?.origin.kind !== 'rule' || value.origin.text === undefined || path === undefined) return [];
    if (value.kind !== 'scalar') return [];
    const name = target.split('.').at(-1) ?? target;
    const tooltip = `Trinity gets \`${target}\`: ${value.origin.text}.`;
    return [{ path, text: `Trinity: ${name} ${String(value.value)}`, tooltip }];
  });
  const path = numbers.anchor([...engineKeys, ...gpuKeys]);
  if (split === undefined || path === undefined) return computed;
  return [...computed, { path, text: `Trinity: ${splitText(split)}`, tooltip: splitTooltip(split) }];
}

function forVerl(numbers: HintNumbers): Hint[] {
  const [perNode, nodes] = gpuKeys.map((path) => numbers.count(path));
  const path = numbers.anchor(gpuKeys);
  if (perNode === undefined || nodes === undefined || path === undefined) return [];
  return [
    {
      path,
      text: `verl: ${grouped(perNode * nodes)} GPUs explore and train`,
      tooltip: 'verl uses all GPUs for both, one after the other.',
    },
  ];
}

/** Returns the GPU hint of a Trinity config. */
export function trinityGpus(context: ConfigContext): Hint[] {
  const numbers = new HintNumbers(context);
  const engines = 'explorer.rollout_model';
  const path = numbers.anchor([
    `${engines}.engine_num`,
    `${engines}.tensor_parallel_size`,
    'cluster.gpu_per_node',
  ]);
  const [perNode, nodes] = [numbers.count('cluster.gpu_per_node'), numbers.count('cluster.node_num')];
  const external = /^(?:external|tinker)$/.test(numbers.text(`${engines}.engine_type`) ?? '');
  const models = [engines, ...auxiliaries(numbers)].map((model) => enginesOf(numbers, model));
  if (path === undefined || perNode === undefined || nodes === undefined) return [];
  if (external || numbers.text('mode') !== 'both' || models.includes(undefined)) return [];
  const explorer = models.reduce<number>((sum, used) => sum + (used ?? 0), 0);
  const split = { total: perNode * nodes, explorer, trainer: perNode * nodes - explorer };
  return [{ path, text: splitText(split), tooltip: splitTooltip(split) }];
}

function auxiliaries(numbers: HintNumbers): string[] {
  const models = numbers.at('explorer.auxiliary_models');
  return models?.kind === 'sequence'
    ? models.items.map((_, index) => `explorer.auxiliary_models.${index}`)
    : [];
}

/**
 * Returns the number of GPUs of the engines of one model. Keys that older releases do not know (pipelines, data
 * parallelism) count as 1.
 */
function enginesOf(numbers: HintNumbers, model: string): number | undefined {
  const sizes = ['engine_num', 'tensor_parallel_size', 'data_parallel_size', 'pipeline_parallel_size'].map(
    (key) => (numbers.at(`${model}.${key}`) === undefined ? 1 : numbers.count(`${model}.${key}`)),
  );
  return sizes.reduce(
    (product, size) => (product === undefined || size === undefined ? undefined : product * size),
    1,
  );
}

function splitText({ total, explorer, trainer }: GpuSplit): string {
  const rest = trainer > 0 ? `${trainer} train` : 'none left to train';
  return `${explorer} of ${total} GPUs explore, ${rest}`;
}

function splitTooltip({ total, explorer, trainer }: GpuSplit): string {
  return `Engines × tensor parallel use ${explorer} of ${total} GPUs. ${trainer > 0 ? `The trainer gets the other ${trainer}` : 'The trainer needs at least one more'}.`;
}
