import type { ConfigContext } from '../context.ts';
import algorithms from '../rules/across/data/algorithms.json' with { type: 'json' };
import { stepsOf } from '../node.ts';
import { HintNumbers, type Hint } from './hint.ts';

/** A value that Trinity's validator silently replaces; undefined if it stays. */
interface FixedValue {
  readonly path: string;
  readonly becomes: (view: View) => number | string | undefined;
  readonly why: string;
}

interface Algorithm {
  /** Only these work. */
  readonly modes?: readonly string[];
  readonly critic?: boolean;
  readonly group?: boolean;
  readonly repeat_times?: number;
}

const known: Readonly<Record<string, Algorithm | undefined>> = algorithms.trinity;

class View extends HintNumbers {
  get algorithm(): Algorithm | undefined {
    return known[this.text('algorithm.algorithm_type') ?? ''];
  }

  /** True for algorithms that train from a file without an explorer, such as SFT and DPO. */
  get offline(): boolean {
    return this.algorithm?.modes !== undefined;
  }

  get repeats(): number | undefined {
    return this.algorithm?.repeat_times ?? this.count('algorithm.repeat_times');
  }

  isMode(...modes: readonly string[]): boolean {
    return modes.includes(this.text('mode') ?? '');
  }

  lower(path: string): string | undefined {
    return this.text(path)?.toLowerCase();
  }
}

const rollout = 'explorer.rollout_model';
const method = 'synchronizer.sync_method';
const promptTokens = 'model.max_prompt_tokens';
const responseTokens = 'model.max_response_tokens';

/** The replacements in Trinity-RFT 0.3.3 to 0.6. */
const fixed: readonly FixedValue[] = [
  {
    path: 'algorithm.repeat_times',
    becomes: (view) => view.algorithm?.repeat_times,
    why: 'the algorithm sets its own number',
  },
  {
    path: 'algorithm.kl_loss_fn',
    becomes: (view) =>
      view.text('algorithm.algorithm_type') === 'dpo' && view.text('algorithm.kl_loss_fn') === 'none'
        ? 'k2'
        : undefined,
    why: 'DPO needs a KL loss',
  },
  {
    path: 'algorithm.policy_loss_fn_args.loss_agg_mode',
    becomes: (view) => view.text('algorithm.loss_agg_mode') ?? 'token-mean',
    why: '`algorithm.loss_agg_mode` is used for it',
  },
  {
    path: 'mode',
    becomes: (view) =>
      view.number('cluster.node_num') === 1 && view.number('cluster.gpu_per_node') === 1
        ? 'colocate'
        : undefined,
    why: 'all processes share one GPU',
  },
  { path: method, becomes: syncMethod, why: 'this is the only one that works with this mode and algorithm' },
  {
    path: 'synchronizer.sync_interval',
    becomes: (view) => (view.offline ? view.number('trainer.save_interval') : undefined),
    why: 'without an explorer `trainer.save_interval` is used for it',
  },
  {
    path: 'explorer.eval_interval',
    becomes: evalInterval,
    why: 'it must be a multiple of the steps between two synchronizations',
  },
  {
    path: 'model.max_model_len',
    becomes: (view) => whenNull(view, 'model.max_model_len', sum(view, promptTokens, responseTokens)),
    why: 'prompt and response are added',
  },
  {
    path: 'model.max_prompt_tokens',
    becomes: (view) => whenNull(view, promptTokens, complement(view, responseTokens)),
    why: 'it is the rest of `model.max_model_len` after the response',
  },
  {
    path: 'model.max_response_tokens',
    becomes: (view) => whenNull(view, responseTokens, complement(view, promptTokens)),
    why: 'it is the rest of `model.max_model_len` after the prompt',
  },
  {
    path: 'model.min_response_tokens',
    becomes: (view) => {
      const [least, most] = [view.number('model.min_response_tokens'), view.count(responseTokens)];
      return least !== undefined && most !== undefined && least >= most ? most - 1 : undefined;
    },
    why: 'it must be less than `model.max_response_tokens`',
  },
  {
    path: `${rollout}.gpu_memory_utilization`,
    becomes: (view) =>
      view.isMode('colocate') && (view.number(`${rollout}.gpu_memory_utilization`) ?? 0) > 0.25
        ? 0.25
        : undefined,
    why: 'in mode `colocate` the trainer needs the rest',
  },
  { path: 'explorer.runner_per_model', becomes: runners, why: 'more runners would have no tasks' },
  {
    path: 'buffer.train_batch_size',
    becomes: (view) => {
      const [batch, repeats] = [view.count('buffer.batch_size'), view.repeats];
      const filled = view.number('buffer.train_batch_size') === 0 && !view.isMode('train') && !view.offline;
      return filled && batch !== undefined && repeats !== undefined ? batch * repeats : undefined;
    },
    why: '0 means `buffer.batch_size` × `algorithm.repeat_times`',
  },
  {
    path: 'buffer.explorer_input.taskset.repeat_times',
    becomes: (view) => (view.isMode('train', 'serve') ? undefined : view.repeats),
    why: '`algorithm.repeat_times` is used for it',
  },
  {
    path: 'buffer.trainer_input.experience_buffer.storage_type',
    becomes: (view) =>
      view.isMode('both', 'colocate') &&
      view.lower('buffer.trainer_input.experience_buffer.storage_type') === 'file'
        ? 'queue'
        : undefined,
    why: 'a file cannot be read while it is being written',
  },
  {
    path: 'trainer.ulysses_sequence_parallel_size',
    becomes: (view) => ((view.number('trainer.ulysses_sequence_parallel_size') ?? 1) < 1 ? 1 : undefined),
    why: 'it is at least 1',
  },
  {
    path: 'trainer.max_token_len_per_gpu',
    becomes: (view) => {
      const window = view.count('model.max_model_len');
      const parallel = Math.max(1, view.number('trainer.ulysses_sequence_parallel_size') ?? 1);
      const budget = window === undefined ? undefined : Math.ceil((2 * window) / parallel);
      return whenNull(view, 'trainer.max_token_len_per_gpu', budget);
    },
    why: 'twice `model.max_model_len`, divided among the parallel GPUs',
  },
];

/** Behind each typed value that the validator replaces what it becomes. */
export function trinityFixes(context: ConfigContext): Hint[] {
  const view = new View(context);
  return fixed.flatMap(({ path, becomes, why }): Hint[] => {
    if (!view.isTyped(path)) return [];
    const value = becomes(view);
    if (value === undefined || value === view.number(path) || value === view.lower(path)) return [];
    return [
      { path: stepsOf(path), text: `becomes ${value}`, tooltip: `Trinity sets it to ${value}: ${why}.` },
    ];
  });
}

function whenNull(view: View, path: string, value: number | undefined): number | undefined {
  return view.isNull(path) ? value : undefined;
}

function sum(view: View, first: string, second: string): number | undefined {
  const [a, b] = [view.count(first), view.count(second)];
  return a === undefined || b === undefined ? undefined : a + b;
}

function complement(view: View, other: string): number | undefined {
  const [window, used] = [view.count('model.max_model_len'), view.count(other)];
  return window === undefined || used === undefined || used >= window ? undefined : window - used;
}

function syncMethod(view: View): string | undefined {
  const written = view.lower(method);
  const nccl = written === 'nccl' || written === 'online';
  if (view.offline) return written === 'offline' ? undefined : 'checkpoint';
  if (!nccl) return undefined;
  if (view.isMode('train', 'explore', 'bench', 'serve')) return 'checkpoint';
  return view.isMode('colocate') ? 'memory' : undefined;
}

/** Rounded down, to one interval at least. */
function evalInterval(view: View): number | undefined {
  const own = view.count('synchronizer.explorer_sync_interval');
  const interval = own ?? view.count('synchronizer.sync_interval');
  const value = view.count('explorer.eval_interval');
  if (interval === undefined || value === undefined || view.isMode('bench') || view.offline) return undefined;
  return Math.max(1, Math.floor(value / interval)) * interval;
}

function runners(view: View): number | undefined {
  const value = view.count('explorer.runner_per_model');
  const [batch, engines] = [view.count('buffer.batch_size'), view.count(`${rollout}.engine_num`)];
  const several = /^(?:asynchronous|multi-threading)$/.test(view.lower('explorer.concurrent_mode') ?? '');
  if (!several || value === undefined || batch === undefined || engines === undefined) return undefined;
  return Math.min(value, Math.ceil(batch / engines));
}
