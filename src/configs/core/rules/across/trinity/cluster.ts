import type { TrinityView } from './view.ts';

const nodes = 'cluster.node_num';
const perNode = 'cluster.gpu_per_node';
export const rollout = 'explorer.rollout_model';

/** Sections of every engine: the one that is trained, then the others. */
export function engineSections(view: TrinityView): readonly string[] | undefined {
  const others = 'explorer.auxiliary_models';
  return view.count(others) === undefined ? undefined : [rollout, ...view.items(others)];
}

/** Undefined where it is detected as training starts, or not known. */
export function totalGpus(view: TrinityView): number | undefined {
  const [count, each] = [view.number(nodes), view.number(perNode)];
  return count === undefined || each === undefined || count < 1 || each < 1 ? undefined : count * each;
}

interface Engine {
  readonly section: string;
  readonly count: number;
  /** GPUs of one engine. */
  readonly each: number;
  /** The product written out: `` `tensor_parallel_size` 2 × `data_parallel_size` 2 = 4 ``. */
  readonly arithmetic: string;
}

const dimensions = ['tensor_parallel_size', 'data_parallel_size', 'pipeline_parallel_size'] as const;

function engineAt(view: TrinityView, section: string): Engine | undefined {
  const count = view.number(`${section}.engine_num`);
  const sizes = dimensions.map((name) => view.number(`${section}.${name}`));
  if (count === undefined || sizes.some((size) => size === undefined)) return undefined;
  const each = sizes.reduce<number>((product, size) => product * (size ?? 1), 1);
  const used = dimensions.filter((_, index) => index === 0 || sizes[index] !== 1);
  const factors = used.map((name) => view.shown(`${section}.${name}`)).join(' × ');
  const arithmetic = used.length === 1 ? factors : `${factors} = ${each}`;
  return { section, count, each, arithmetic };
}

/** Every engine, unless one of them is not known. */
export function engines(view: TrinityView): readonly Engine[] | undefined {
  const all = engineSections(view)?.map((section) => engineAt(view, section));
  const known = all?.filter((engine) => engine !== undefined);
  return known?.length === all?.length ? known : undefined;
}

/** GPUs left for the trainer; undefined where they are not known or nothing trains here. */
export function trainerGpus(view: TrinityView): number | undefined {
  const total = totalGpus(view);
  if (total === undefined || !view.local) return undefined;
  if (view.isMode('train', 'colocate')) return total;
  const all = view.isMode('both') ? engines(view) : undefined;
  return all && total - all.reduce((sum, { count, each }) => sum + count * each, 0);
}

export function parallelSizes(view: TrinityView): void {
  if (!view.local) return;
  const sections = engineSections(view) ?? [];
  for (const key of sections.flatMap((section) => dimensions.map((name) => `${section}.${name}`))) {
    const size = view.number(key);
    // If the key table has a minimum, the rule for values reports it.
    if (size === undefined || size >= 1 || view.info(key)?.min !== undefined) continue;
    view.report('trinity-engine', {
      at: [key],
      message: `${view.shown(key)} must be at least 1. Otherwise Trinity does not start.`,
      set: [[key, 1]],
    });
  }
}

export function engineLayout(view: TrinityView): void {
  const node = view.number(perNode);
  if (node === undefined || node < 1 || !view.local) return;
  for (const engine of engines(view) ?? []) {
    acrossNodes(view, engine, node);
    dataParallel(view, engine, node);
  }
}

function acrossNodes(view: TrinityView, { section, each, arithmetic }: Engine, node: number): void {
  if (each <= node || each % node === 0) return;
  view.report('trinity-engine', {
    at: [...dimensions.map((name) => `${section}.${name}`), perNode],
    message: `An engine needs ${arithmetic} GPUs. This is more than the ${node} GPUs of a node, but not a multiple of them, so Trinity does not start. Choose ${node} or less, or a multiple of ${node}.`,
  });
}

function dataParallel(view: TrinityView, { section, each }: Engine, node: number): void {
  const key = `${section}.data_parallel_size`;
  const [data, tensor] = [view.number(key), view.number(`${section}.tensor_parallel_size`)];
  const type = view.text(`${section}.engine_type`);
  if (data === undefined || tensor === undefined || type === undefined) return;
  const at = [key, `${section}.tensor_parallel_size`];
  if (type.startsWith('vllm') && data > 1 && each > node) {
    const message = `vLLM cannot spread ${view.shown(key)} over several nodes. An engine of ${each} GPUs does not fit into a node of ${node}.`;
    view.report('trinity-engine', { since: '0.5.1', at, message });
  } else if (type === 'sglang' && data > 0 && tensor % data !== 0) {
    const message = `sglang needs \`tensor_parallel_size\` to be a multiple of \`data_parallel_size\`, but ${tensor} is not a multiple of ${data}.`;
    view.report('trinity-engine', { since: '0.5.1', at, message });
  }
}

export function gpuShare(view: TrinityView): void {
  const total = totalGpus(view);
  const all = engines(view);
  if (total === undefined || all === undefined || !view.local) return;
  if (view.text(`${rollout}.engine_type`) === 'external') return;
  const taken = all.reduce((sum, { count, each }) => sum + count * each, 0);
  const parts = all.map(
    ({ section, count, each }) => `${section === rollout ? '' : 'auxiliary '}${count} × ${each}`,
  );
  const sum = `${parts.join(' + ')} = ${taken} GPUs for the engines`;
  const at = [
    `${rollout}.engine_num`,
    `${rollout}.tensor_parallel_size`,
    'explorer.auxiliary_models',
    perNode,
    nodes,
  ];
  if (view.isMode('explore', 'bench', 'serve') && taken > total) {
    const message = `${sum}, but the cluster has only ${total}, so Trinity does not start. Lower \`engine_num\`.`;
    view.report('trinity-gpu-share', { at, message });
    return;
  }
  if (!view.isMode('both')) return;
  if (taken >= total) {
    const message = `${sum} leave none of ${total} for the trainer, so Trinity does not start. Lower \`engine_num\`, or choose mode \`colocate\` for a single GPU.`;
    view.report('trinity-gpu-share', { at, message });
    return;
  }
  const left = total - taken;
  const node = view.number(perNode) ?? total;
  if (left <= node || left % node === 0) return;
  const message = `${sum} leave ${left} of ${total} for the trainer. This is more than one node of ${node}, but not a multiple of it, so Trinity does not start. Use ${left % node} more GPUs for the engines.`;
  view.report('trinity-gpu-share', { at, message });
}

export function colocate(view: TrinityView): void {
  if (!view.isMode('colocate')) return;
  const total = totalGpus(view);
  const wrong = (at: string, what: string): void =>
    view.report('trinity-colocate', {
      at: [at, 'mode'],
      message: `Mode \`colocate\` runs everything on one GPU, but ${what}. Trinity does not start.`,
    });
  const engine = engineAt(view, rollout);
  const auxiliary = view.count('explorer.auxiliary_models') ?? 0;
  const ulyssesKey = 'trainer.ulysses_sequence_parallel_size';
  const ulysses = view.number(ulyssesKey);
  if (total !== undefined && total !== 1) wrong(perNode, `the cluster has ${total}`);
  if (engine !== undefined && engine.count !== 1) {
    wrong(`${rollout}.engine_num`, `\`engine_num\` is ${engine.count}`);
  }
  if (engine !== undefined && engine.each !== 1) {
    wrong(`${rollout}.tensor_parallel_size`, `an engine needs ${engine.each}`);
  }
  if (auxiliary > 0) wrong('explorer.auxiliary_models', 'there is no room for auxiliary models');
  if (ulysses !== undefined && ulysses > 1) {
    wrong(ulyssesKey, `\`ulysses_sequence_parallel_size\` is ${ulysses}`);
  }
  const useKey = `${rollout}.gpu_memory_utilization`;
  const use = view.number(useKey);
  if (use === undefined || use <= 0.25 || view.typed(useKey) === undefined) return;
  view.report('trinity-value-rewritten', {
    severity: 'warning',
    at: [useKey],
    message: `In mode \`colocate\` the trainer needs the rest of the memory, so ${view.shown(useKey)} becomes 0.25.`,
    becomes: 0.25,
    set: [[useKey, 0.25, 'Lower']],
  });
}
