import type { Finding } from '../../../finding.ts';
import { quotedName, scalarText } from '../report.ts';
import type { TrinityView } from './view.ts';

export function mode(view: TrinityView): Finding[] {
  const { mode: written } = view;
  if (written === undefined) return [];
  const allowed = view.info('mode')?.allowed;
  const fromElsewhere = view.node('mode')?.kind === 'scalar' && textOfNode(view) !== written;
  if (fromElsewhere && allowed !== undefined && !allowed.includes(written)) {
    const list = allowed.map((one) => `\`${one}\``).join(', ');
    return view.report('trinity-mode', {
      at: ['mode'],
      message: `\`mode\` resolves to \`${written}\`, which is not a mode of Trinity. Use ${list}.`,
    });
  }
  if (written !== 'colocate') return [];
  return view.report('trinity-mode', {
    severity: 'information',
    at: ['mode'],
    message: `\`colocate\` needs Trinity-RFT 0.5 or later. Older releases reject it.`,
  });
}

function textOfNode(view: TrinityView): string | undefined {
  const node = view.node('mode');
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

export function checkpointRoot(view: TrinityView): Finding[] {
  const root = view.text('checkpoint_root_dir');
  if (root === undefined || root === '' || /^(?:\/|[A-Za-z]:|[a-z0-9]+:\/\/)/.test(root)) return [];
  return view.report('trinity-checkpoint-root', {
    at: ['checkpoint_root_dir'],
    message: `\`${root}\` is relative to the folder in which training starts. To continue from a checkpoint, start training in the same folder.`,
  });
}

export function continuing(view: TrinityView): Finding[] {
  const key = 'continue_from_checkpoint';
  if (view.flag(key) !== false) return [];
  const message = view.isMode('bench')
    ? 'Mode `bench` reads checkpoints. If the folder of the job already has files, Trinity sets `continue_from_checkpoint` to true.'
    : 'If the folder of the job already has files, Trinity adds the time to `name` and writes the results to another folder.';
  return view.report('trinity-continue', { at: [key], message });
}

/** Names that Trinity's registry of monitors has; plug-ins may add others. */
export function monitor(view: TrinityView): Finding[] {
  const key = 'monitor.monitor_type';
  const name = view.text(key);
  const known = view.info(key)?.allowed;
  if (name === undefined || known === undefined || name.includes('.') || known.includes(name)) return [];
  return view.report('trinity-monitor', {
    at: [key],
    message: `Trinity has no monitor \`${name}\`, and stops unless a plug-in provides it. The monitors of Trinity are ${known.map((one) => `\`${one}\``).join(', ')}.`,
  });
}

/** Null if Trinity then uses its own value. */
const filledIn: readonly { readonly key: string; readonly becomes: string }[] = [
  { key: 'monitor.monitor_args', becomes: "the monitor's own defaults" },
  { key: 'algorithm.sample_strategy', becomes: "the algorithm's default, or `warmup`" },
  { key: 'algorithm.policy_loss_fn', becomes: "the algorithm's default, or `ppo`" },
  { key: 'algorithm.advantage_fn', becomes: "the algorithm's default, or `ppo`" },
  { key: 'algorithm.kl_penalty_fn', becomes: "the algorithm's default, or `none`" },
  { key: 'algorithm.kl_loss_fn', becomes: "the algorithm's default, or `k2`" },
  { key: 'algorithm.entropy_loss_fn', becomes: "the algorithm's default, or `default`" },
  { key: 'algorithm.loss_agg_mode', becomes: '`token-mean`' },
  { key: 'algorithm.sample_strategy_args', becomes: "the strategy's own defaults" },
  { key: 'algorithm.policy_loss_fn_args', becomes: "the loss's own defaults" },
  { key: 'algorithm.advantage_fn_args', becomes: "the function's own defaults" },
  { key: 'algorithm.kl_penalty_fn_args', becomes: "the function's own defaults" },
  { key: 'algorithm.kl_loss_fn_args', becomes: "the function's own defaults" },
  { key: 'algorithm.entropy_loss_fn_args', becomes: "the function's own defaults" },
  { key: 'model.critic_model_path', becomes: '`model.model_path`' },
  { key: 'ray_namespace', becomes: 'a path from `project`, `group` and `name`' },
  { key: 'cluster.node_num', becomes: 'the number in the running Ray cluster' },
  { key: 'cluster.gpu_per_node', becomes: 'the number in the running Ray cluster' },
  { key: 'buffer.trainer_input.experience_buffer', becomes: 'a queue' },
  { key: 'synchronizer.explorer_sync_interval', becomes: '`sync_interval`' },
  { key: 'synchronizer.trainer_sync_interval', becomes: '`sync_interval`' },
  {
    key: 'data_processor.experience_pipeline.input_save_path',
    becomes: '`explorer_output` in the buffer folder',
  },
  { key: 'trainer.max_token_len_per_gpu', becomes: 'twice `max_model_len`, divided among the parallel GPUs' },
];

/** Values that say `choose for me`, with what is then chosen. */
export function filled(view: TrinityView): Finding[] {
  return filledIn.flatMap(({ key, becomes }) => {
    const value = view.scalar(key);
    const empty = value === null || value === '' || (value === 0 && key.startsWith('cluster.'));
    if (!empty || view.typed(key) === undefined) return [];
    const written = value === '' ? 'empty' : scalarText(value);
    return view.report('trinity-default-applied', {
      at: [key],
      message: `${quotedName(key)} is ${written}, so Trinity uses ${becomes}.`,
    });
  });
}
