import type { Finding } from '../../../finding.ts';
import { quotedName, setValueFix, keyFinding, nameAndValue } from '../report.ts';
import type { Settings } from '../settings.ts';

const rank = 'lora.lora_rank';
const rate = 'trainer_common.optim.lr';

/** Checks the settings that the swarm server needs. */
export function swarmMode(settings: Settings): Finding[] {
  const key = 'enable_swarm_mode';
  if (settings.flag(key) !== true) return [];
  const findings: Finding[] = [];
  if (settings.typed('backbone') !== undefined && settings.text('backbone') === 'trinity') {
    findings.push(
      ...keyFinding(settings, 'swarm-mode', {
        at: ['backbone', key],
        message:
          'Only verl trains a swarm, so `enable_swarm_mode` does not work with the backbone `trinity`. Set `backbone` to `verl`.',
        fixes: () => setValueFix(settings, 'backbone', 'verl'),
      }),
    );
  }
  for (const name of ['val_before_train', 'val_only']) {
    const validation = `trainer_common.${name}`;
    if (settings.flag(validation) !== true) continue;
    findings.push(
      ...keyFinding(settings, 'swarm-mode', {
        at: [validation, key],
        message: `A swarm does not support validation. With \`enable_swarm_mode\` and ${quotedName(validation)}, an assertion fails when training starts. Set it to false.`,
        fixes: () => setValueFix(settings, validation, false),
      }),
    );
  }
  const server = 'enable_interchange_server';
  if (settings.flag(server) === false) {
    findings.push(
      ...keyFinding(settings, 'swarm-mode', {
        severity: 'warning',
        at: [server, key],
        message: `Clients of a swarm need the interchange server, but \`${server}\` is false. Set it to true.`,
        fixes: () => setValueFix(settings, server, true),
      }),
    );
  }
  return findings;
}

/** LoRA takes three more settings, which AgentJet's job class insists on. */
export function loraSettings(settings: Settings): Finding[] {
  const size = settings.number(rank);
  if (size === undefined || size <= 0) return [];
  const format = settings.text('lora.load_format');
  const summon = settings.flag('lora.layered_summon');
  const speed = settings.number(rate);
  const wrong = [
    ...(format !== undefined && format !== 'safetensors'
      ? [{ key: 'lora.load_format', wanted: '`safetensors`', to: 'safetensors' as const }]
      : []),
    ...(summon === false ? [{ key: 'lora.layered_summon', wanted: '`true`', to: true as const }] : []),
    ...(speed !== undefined && speed <= 1e-5 ? [{ key: rate, wanted: 'more than 1e-5', to: undefined }] : []),
  ];
  return wrong.flatMap(({ key, wanted, to }) =>
    keyFinding(settings, 'lora-settings', {
      // The job class makes the configs of swarm mode; elsewhere the backbone alone decides.
      severity: settings.flag('enable_swarm_mode') === true ? undefined : 'information',
      at: [key, rank],
      message: `${nameAndValue(settings, rank)} turns on LoRA, which needs ${wanted} for \`${key}\`, but it is ${String(settings.scalar(key))}.`,
      fixes: () => (to === undefined ? [] : setValueFix(settings, key, to)),
    }),
  );
}
