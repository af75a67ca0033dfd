import { quotedName } from '../report.ts';
import type { Settings } from '../settings.ts';

const rank = 'lora.lora_rank';
const rate = 'trainer_common.optim.lr';

export function swarmMode(settings: Settings): void {
  const key = 'enable_swarm_mode';
  if (settings.flag(key) !== true) return;
  if (settings.typed('backbone') !== undefined && settings.text('backbone') === 'trinity') {
    settings.report('swarm-mode', {
      at: ['backbone', key],
      message:
        'Only verl trains a swarm, so `enable_swarm_mode` does not work with the backbone `trinity`. Set `backbone` to `verl`.',
      set: [['backbone', 'verl']],
    });
  }
  for (const name of ['val_before_train', 'val_only']) {
    const validation = `trainer_common.${name}`;
    if (settings.flag(validation) !== true) continue;
    settings.report('swarm-mode', {
      at: [validation, key],
      message: `A swarm does not support validation. With \`enable_swarm_mode\` and ${quotedName(validation)}, an assertion fails when training starts. Set it to false.`,
      set: [[validation, false]],
    });
  }
  const server = 'enable_interchange_server';
  if (settings.flag(server) === false) {
    settings.report('swarm-mode', {
      severity: 'warning',
      at: [server, key],
      message: `Clients of a swarm need the interchange server, but \`${server}\` is false. Set it to true.`,
      set: [[server, true]],
    });
  }
}

/** LoRA takes three more settings, which AgentJet's job class insists on. */
export function loraSettings(settings: Settings): void {
  const size = settings.number(rank);
  if (size === undefined || size <= 0) return;
  const format = settings.text('lora.load_format');
  const summon = settings.flag('lora.layered_summon');
  const speed = settings.number(rate);
  const need = (key: string, wanted: string, to?: string | boolean): void =>
    settings.report('lora-settings', {
      // The job class makes the configs of swarm mode; elsewhere the backbone alone decides.
      severity: settings.flag('enable_swarm_mode') === true ? undefined : 'information',
      at: [key, rank],
      message: `${settings.shown(rank)} turns on LoRA, which needs ${wanted} for \`${key}\`, but it is ${String(settings.scalar(key))}.`,
      set: to === undefined ? [] : [[key, to]],
    });
  if (format !== undefined && format !== 'safetensors')
    need('lora.load_format', '`safetensors`', 'safetensors');
  if (summon === false) need('lora.layered_summon', '`true`', true);
  if (speed !== undefined && speed <= 1e-5) need(rate, 'more than 1e-5');
}
