import type { ConfigContext } from '../context.ts';
import { convert } from '../convert/convert.ts';
import { gpuSplit, type GpuSplit } from '../convert/fillTrainer.ts';
import type { NodePath } from '../node.ts';
import { sectionSource, Settings } from '../rules/across/settings.ts';
import { engines, totalGpus } from '../rules/across/trinity/cluster.ts';
import { TrinityView } from '../rules/across/trinity/view.ts';
import { valueAt } from '../value.ts';

export interface Hint {
  readonly path: NodePath;
  readonly text: string;
  /** Markdown. */
  readonly tooltip: string;
}

interface Names {
  readonly batch: string;
  readonly repeat: string;
  readonly window: string;
  readonly epochs: string;
  /** Returns true if the run rolls out episodes in steps. */
  readonly rollsOut: (settings: Settings) => boolean;
  /** The key whose text names the file with the training tasks; undefined where another kind of reader is used. */
  readonly rows: (settings: Settings) => string | undefined;
}

const jsonl = 'ajet.task_reader.jsonl_dataset_file.training.file_path';

export const ajetNames: Names = {
  batch: 'ajet.data.train_batch_size',
  repeat: 'ajet.rollout.num_repeat',
  window: 'ajet.rollout.max_model_len',
  epochs: 'ajet.trainer_common.total_epochs',
  rollsOut: () => true,
  rows: (settings) => (settings.text('ajet.task_reader.type') === 'jsonl_dataset_file' ? jsonl : undefined),
};

export const trinityNames: Names = {
  batch: 'buffer.batch_size',
  repeat: 'algorithm.repeat_times',
  window: 'model.max_model_len',
  epochs: 'buffer.total_epochs',
  rollsOut: (settings) => ['both', 'explore', 'colocate'].includes(settings.text('mode') ?? ''),
  // A number of steps wins over that of epochs.
  rows: (settings) =>
    settings.isNull('buffer.total_steps') ? 'buffer.explorer_input.taskset.path' : undefined,
};

export function totals(context: ConfigContext, names: Names): Hint[] {
  const settings = new Settings(context, sectionSource(context, []));
  if (!names.rollsOut(settings)) return [];
  return [...episodes(settings, names), ...tokens(settings, names), ...steps(settings, names)];
}

function episodes(settings: Settings, { batch, repeat }: Names): Hint[] {
  const [tasks, repeats] = [countAt(settings, batch), countAt(settings, repeat)];
  const path = anchor(settings, [repeat, batch]);
  if (tasks === undefined || repeats === undefined || path === undefined) return [];
  const text = `${tasks} × ${repeats} = ${grouped(tasks * repeats)} episodes per step`;
  return [
    { path, text, tooltip: `\`${batch}\` × \`${repeat}\`: the number of runs of each task in a step.` },
  ];
}

function tokens(settings: Settings, { batch, repeat, window }: Names): Hint[] {
  const [tasks, repeats, length] = [
    countAt(settings, batch),
    countAt(settings, repeat),
    countAt(settings, window),
  ];
  const path = anchor(settings, [window]);
  if (tasks === undefined || repeats === undefined || length === undefined || path === undefined) return [];
  const text = `≤ ${grouped(tasks * repeats * length)} tokens per step`;
  const tooltip = `${tasks * repeats} episodes × \`${window}\` ${length}, if each episode fills its window with one timeline. Episodes with several timelines can have more.`;
  return [{ path, text, tooltip }];
}

function steps(settings: Settings, { batch, epochs, rows }: Names): Hint[] {
  const key = rows(settings);
  const file = key === undefined ? undefined : settings.text(key);
  const count = file === undefined ? undefined : settings.context.references.rows?.(file);
  const tasks = countAt(settings, batch);
  const path = anchor(settings, [epochs, batch]);
  if (file === undefined || count === undefined || tasks === undefined || path === undefined) return [];
  const perEpoch = Math.floor(count / tasks);
  const times = countAt(settings, epochs);
  const all =
    times === undefined || times === 1
      ? ''
      : ` That is ${grouped(perEpoch * times)} steps in ${grouped(times)} epochs.`;
  const left = count % tasks;
  return [
    {
      path,
      text: `${grouped(count)} / ${tasks} = ${grouped(perEpoch)} steps per epoch`,
      tooltip: `\`${file}\` has ${grouped(count)} tasks, \`${batch}\` is ${tasks}${left === 0 ? '' : `; ${left} tasks are left over in each epoch`}.${all}`,
    },
  ];
}

const engineKeys = ['ajet.rollout.n_vllm_engine', 'ajet.rollout.tensor_model_parallel_size'];
const gpuKeys = ['ajet.trainer_common.n_gpus_per_node', 'ajet.trainer_common.nnodes'];

export function converted(context: ConfigContext): Hint[] {
  const settings = new Settings(context, sectionSource(context, []));
  // Who names a backbone wants to know about that one; the launcher's flag decides in the end.
  const named = settings.typed('ajet.backbone') !== undefined ? settings.text('ajet.backbone') : undefined;
  return [
    ...(named === 'verl' ? [] : forTrinity(context, settings)),
    ...(named === 'trinity' ? [] : forVerl(settings)),
  ];
}

function forTrinity(context: ConfigContext, settings: Settings): Hint[] {
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
    const path = anchor(settings, anchors);
    if (value?.origin.kind !== 'rule' || value.origin.text === undefined || path === undefined) return [];
    if (value.kind !== 'scalar') return [];
    const name = target.split('.').at(-1) ?? target;
    const tooltip = `Trinity gets \`${target}\`: ${value.origin.text}.`;
    return [{ path, text: `Trinity: ${name} ${String(value.value)}`, tooltip }];
  });
  const path = anchor(settings, [...engineKeys, ...gpuKeys]);
  if (split === undefined || path === undefined) return computed;
  return [...computed, { path, text: `Trinity: ${splitText(split)}`, tooltip: splitTooltip(split) }];
}

function forVerl(settings: Settings): Hint[] {
  const [perNode, nodes] = gpuKeys.map((path) => countAt(settings, path));
  const path = anchor(settings, gpuKeys);
  if (perNode === undefined || nodes === undefined || path === undefined) return [];
  return [
    {
      path,
      text: `verl: ${grouped(perNode * nodes)} GPUs explore and train`,
      tooltip: 'verl uses all GPUs for both, one after the other.',
    },
  ];
}

export function trinityGpus(context: ConfigContext): Hint[] {
  const view = new TrinityView(context, sectionSource(context, []));
  const rollout = 'explorer.rollout_model';
  const path = anchor(view, [
    `${rollout}.engine_num`,
    `${rollout}.tensor_parallel_size`,
    'cluster.gpu_per_node',
  ]);
  const [all, total] = [engines(view), totalGpus(view)];
  const external = /^(?:external|tinker)$/.test(view.text(`${rollout}.engine_type`) ?? '');
  if (path === undefined || all === undefined || total === undefined) return [];
  if (external || !view.isMode('both')) return [];
  const explorer = all.reduce((sum, { count, each }) => sum + count * each, 0);
  const split = { total, explorer, trainer: total - explorer };
  return [{ path, text: splitText(split), tooltip: splitTooltip(split) }];
}

/** Returns a number of things: a whole number above zero. */
function countAt(settings: Settings, path: string): number | undefined {
  const value = settings.number(path);
  return value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** The first of some keys that this file sets, as a path. */
function anchor(settings: Settings, paths: readonly string[]): NodePath | undefined {
  return paths.map((path) => settings.typed(path)).find((typed) => typed !== undefined);
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

function splitText({ total, explorer, trainer }: GpuSplit): string {
  const rest = trainer > 0 ? `${trainer} train` : 'none train';
  return `${explorer} of ${total} GPUs explore, ${rest}`;
}

function splitTooltip({ total, explorer, trainer }: GpuSplit): string {
  return `Engines × tensor parallel use ${explorer} of ${total} GPUs. ${trainer > 0 ? `The trainer gets the other ${trainer}` : 'The trainer needs at least one more'}.`;
}
