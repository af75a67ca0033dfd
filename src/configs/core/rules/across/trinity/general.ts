import { quotedName, scalarText } from '../report.ts';
import type { TrinityView } from './view.ts';

export function mode(view: TrinityView): void {
  const { mode: written } = view;
  if (written === undefined) return;
  const allowed = view.info('mode')?.allowed;
  const node = view.node('mode');
  const fromElsewhere = node?.kind === 'scalar' && node.value !== written;
  if (fromElsewhere && allowed !== undefined && !allowed.includes(written)) {
    const list = allowed.map((one) => `\`${one}\``).join(', ');
    view.report('trinity-mode', {
      at: ['mode'],
      message: `\`mode\` resolves to \`${written}\`, which is not a mode of Trinity. Use ${list}.`,
    });
    return;
  }
  if (written !== 'colocate') return;
  view.report('trinity-mode', {
    severity: 'information',
    at: ['mode'],
    message: `\`colocate\` needs Trinity-RFT 0.5 or later. Older releases reject it.`,
  });
}

export function checkpointRoot(view: TrinityView): void {
  const root = view.text('checkpoint_root_dir');
  if (root === undefined || root === '' || /^(?:\/|[A-Za-z]:|[a-z0-9]+:\/\/)/.test(root)) return;
  view.report('trinity-checkpoint-root', {
    at: ['checkpoint_root_dir'],
    message: `\`${root}\` is relative to the folder in which training starts. To continue from a checkpoint, start training in the same folder.`,
  });
}

export function continuing(view: TrinityView): void {
  const key = 'continue_from_checkpoint';
  if (view.flag(key) !== false) return;
  const message = view.isMode('bench')
    ? 'Mode `bench` reads checkpoints. If the folder of the job already has files, Trinity sets `continue_from_checkpoint` to true.'
    : 'If the folder of the job already has files, Trinity adds the time to `name` and writes the results to another folder.';
  view.report('trinity-continue', { at: [key], message });
}

export function monitor(view: TrinityView): void {
  const key = 'monitor.monitor_type';
  const name = view.text(key);
  const known = view.info(key)?.allowed;
  if (name === undefined || known === undefined || name.includes('.') || known.includes(name)) return;
  view.report('trinity-monitor', {
    at: [key],
    message: `Trinity has no monitor \`${name}\`, and stops unless a plug-in provides it. The monitors of Trinity are ${known.map((one) => `\`${one}\``).join(', ')}.`,
  });
}

/** Null if Trinity then uses its own value. */
const filledIn: readonly (readonly [key: string, becomes: string])[] = [
  ['monitor.monitor_args', "the monitor's own defaults"],
  ['algorithm.sample_strategy', "the algorithm's default, or `warmup`"],
  ['algorithm.policy_loss_fn', "the algorithm's default, or `ppo`"],
  ['algorithm.advantage_fn', "the algorithm's default, or `ppo`"],
  ['algorithm.kl_penalty_fn', "the algorithm's default, or `none`"],
  ['algorithm.kl_loss_fn', "the algorithm's default, or `k2`"],
  ['algorithm.entropy_loss_fn', "the algorithm's default, or `default`"],
  ['algorithm.loss_agg_mode', '`token-mean`'],
  ['algorithm.sample_strategy_args', "the strategy's own defaults"],
  ['algorithm.policy_loss_fn_args', "the loss's own defaults"],
  ['algorithm.advantage_fn_args', "the function's own defaults"],
  ['algorithm.kl_penalty_fn_args', "the function's own defaults"],
  ['algorithm.kl_loss_fn_args', "the function's own defaults"],
  ['algorithm.entropy_loss_fn_args', "the function's own defaults"],
  ['model.critic_model_path', '`model.model_path`'],
  ['ray_namespace', 'a path from `project`, `group` and `name`'],
  ['cluster.node_num', 'the number in the running Ray cluster'],
  ['cluster.gpu_per_node', 'the number in the running Ray cluster'],
  ['buffer.trainer_input.experience_buffer', 'a queue'],
  ['synchronizer.explorer_sync_interval', '`sync_interval`'],
  ['synchronizer.trainer_sync_interval', '`sync_interval`'],
  ['data_processor.experience_pipeline.input_save_path', '`explorer_output` in the buffer folder'],
  ['trainer.max_token_len_per_gpu', 'twice `max_model_len`, divided among the parallel GPUs'],
];

export function filled(view: TrinityView): void {
  for (const [key, becomes] of filledIn) {
    const value = view.scalar(key);
    const isOfCluster = key.startsWith('cluster.');
    const empty = value === null || value === '' || (value === 0 && isOfCluster);
    // A remote engine needs no GPUs, so they are not counted.
    if (!empty || view.typed(key) === undefined || (isOfCluster && !view.local)) continue;
    const written = value === '' ? 'empty' : scalarText(value);
    view.report('trinity-default-applied', {
      at: [key],
      message: `${quotedName(key)} is ${written}, so Trinity uses ${becomes}.`,
    });
  }
}
