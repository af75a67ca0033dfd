import { quotedName } from '../report.ts';
import { trainerGpus } from './cluster.ts';
import type { TrinityView } from './view.ts';

const ulysses = 'trainer.ulysses_sequence_parallel_size';
const batch = 'buffer.train_batch_size';
const budget = 'trainer.max_token_len_per_gpu';
const fsdp = 'trainer.trainer_config.actor_rollout_ref.actor.fsdp_config.fsdp_size';

export function trainer(view: TrinityView): void {
  if (!view.isMode('train', 'both', 'colocate') || !view.local) return;
  oldConfig(view);
  sequenceParallel(view);
  tokenBudget(view);
  strategy(view);
}

function oldConfig(view: TrinityView): void {
  const key = 'trainer.trainer_config_path';
  // It is looked at only where there is no other configuration of the trainer.
  if (!view.isSet(key) || view.names('trainer.trainer_config')?.length !== 0) return;
  view.report('trinity-trainer', {
    at: [key],
    message:
      'Trinity rejects `trainer_config_path`. Move the content of that file to `trainer.trainer_config`.',
  });
}

function sequenceParallel(view: TrinityView): void {
  const size = view.number(ulysses);
  if (size === undefined) return;
  if (size < 1) {
    if (view.info(ulysses)?.min !== undefined) return;
    const message = `${view.shown(ulysses)} becomes 1.`;
    view.report('trinity-value-rewritten', {
      severity: 'warning',
      at: [ulysses],
      message,
      becomes: 1,
      set: [[ulysses, 1]],
    });
    return;
  }
  const gpus = trainerGpus(view);
  if (gpus === undefined || gpus < 1) return;
  if (gpus % size !== 0) {
    const message = `${view.shown(ulysses)} does not divide the ${gpus} GPUs that train, so Trinity does not start.`;
    view.report('trinity-trainer-gpus', {
      at: [ulysses, 'cluster.gpu_per_node', 'cluster.node_num'],
      message,
    });
    return;
  }
  batchShare(view, gpus, size);
  shards(view, gpus);
}

function batchShare(view: TrinityView, gpus: number, size: number): void {
  const [written, tasks, repeat] = [
    view.number(batch),
    view.number('buffer.batch_size'),
    view.number('algorithm.repeat_times'),
  ];
  if (written === undefined || tasks === undefined || repeat === undefined) return;
  const samples = written === 0 ? tasks * repeat : written;
  const parts = gpus / size;
  if (samples === 0 || samples % parts === 0) return;
  const product =
    written === 0 ? `\`batch_size\` ${tasks} × \`repeat_times\` ${repeat} = ${samples}` : view.shown(batch);
  view.report('trinity-trainer-gpus', {
    at: [batch, 'buffer.batch_size', 'algorithm.repeat_times', ulysses, 'explorer.rollout_model.engine_num'],
    message: `${product} samples per training step are not a multiple of the ${gpus}${size === 1 ? '' : ` ÷ ${size} = ${parts}`} groups of GPUs that train, so Trinity does not start. Use ${samples + parts - (samples % parts)}.`,
    set: written === 0 ? [] : [[batch, samples + parts - (samples % parts), 'Raise']],
  });
}

function shards(view: TrinityView, gpus: number): void {
  const size = view.number(fsdp);
  if (size === undefined || size < 1 || gpus % size === 0) return;
  const message = `${quotedName(fsdp)} ${size} does not divide the ${gpus} GPUs that train, so Trinity does not start.`;
  view.report('trinity-trainer-gpus', { at: [fsdp], message });
}

function tokenBudget(view: TrinityView): void {
  const [tokens, size, most] = [
    view.number(budget),
    view.number(ulysses),
    view.number('model.max_model_len'),
  ];
  if (tokens === undefined || size === undefined || size < 1 || most === undefined) return;
  if (tokens * size >= most || view.typed(budget) === undefined) return;
  const becomes = Math.ceil(most / size);
  view.report('trinity-value-rewritten', {
    severity: 'warning',
    at: [budget],
    message: `${view.shown(budget)} × ${view.shown(ulysses)} = ${tokens * size} tokens are fewer than one sample may have (\`max_model_len\` ${most}), so Trinity raises the value. Set it to ${becomes} or more.`,
    becomes,
    set: [[budget, becomes, 'Raise']],
  });
}

function strategy(view: TrinityView): void {
  const key = 'trainer.trainer_strategy';
  const adapters = view.count('model.lora_configs');
  if (view.text(key) !== 'megatron' || adapters === undefined || adapters < 1) return;
  view.report('trinity-value-rewritten', {
    severity: 'warning',
    at: [key],
    message: '`megatron` does not support LoRA, so `trainer_strategy` becomes `fsdp`.',
    becomes: 'fsdp',
    set: [[key, 'fsdp']],
  });
}
