import { closest } from 'fastest-levenshtein';
import { quotedList } from '../report.ts';
import type { Settings } from '../settings.ts';
import { currentPath, underBackbone } from './backbone.ts';

/** The newer name first. */
const interchange = ['enable_interchange_server', 'enable_experimental_interchange_server'] as const;
const method = 'interchange_server.interchange_method';
const port = 'interchange_server.interchange_server_port';
const debugPort = 'debug.debug_vllm_port';
const nodes = 'trainer_common.nnodes';
const checklist = 'rollout.compute_madness_checklist';

export function interchangeNodes(settings: Settings): void {
  const enabled = currentPath(settings, interchange);
  const count = settings.number(nodes);
  if (settings.flag(enabled) !== true || count === undefined || count < 2) return;
  if (settings.text(method) !== 'ipc') return;
  settings.report('interchange-nodes', {
    at: [method, nodes, enabled],
    message: `${settings.shown(method)} connects processes of one machine, but ${settings.shown(nodes)}. Episodes on the other nodes cannot be reached. Set \`interchange_method\` to \`tcp\`.`,
    set: [[method, 'tcp']],
  });
}

/** Those of verl 0.5 to 0.8. */
const loggers = [
  ...['console', 'tensorboard', 'wandb', 'swanlab', 'mlflow'],
  ...['clearml', 'vemlp_wandb', 'trackio', 'file'],
];

export function unknownLogger(settings: Settings): void {
  const key = 'trainer_common.logger';
  const severity = underBackbone(settings, 'verl', 'error');
  const name = settings.text(key);
  if (severity === undefined || name === undefined || loggers.includes(name)) return;
  const nearest = closest(name, loggers);
  settings.report('unknown-logger', {
    severity,
    at: [key],
    message: `verl does not have the logger \`${name}\`, so training stops at its start. Use ${quotedList(loggers, 'or')}.`,
    set: [[key, nearest, 'Change']],
  });
}

export function portClash(settings: Settings): void {
  const enabled = currentPath(settings, interchange);
  const one = settings.number(port);
  if (settings.flag(enabled) !== true || one === undefined || settings.number(debugPort) !== one) return;
  settings.report('port-clash', {
    at: [port, debugPort],
    message: `${settings.shown(port)} is also \`debug_vllm_port\`. Under the debug backbone, the second of the two servers cannot start. Use another port, or \`auto\`.`,
  });
}

/** The environment variables that a metrics service or a helper model needs. */
const wanted = [
  {
    key: 'trainer_common.logger',
    value: 'swanlab',
    names: ['SWANLAB_API_KEY'],
    otherwise: 'the launcher stops with exit status 1, under the debug backbone as well',
  },
  {
    key: 'task_reader.type',
    value: 'data_generation',
    names: ['DASHSCOPE_API_KEY', 'DASHSCOPE_API_KEY_BACKUP'],
    otherwise: 'no query is generated',
  },
] as const;

export function environmentKeys(settings: Settings): void {
  for (const { key, value, names, otherwise } of wanted) {
    if (settings.text(key) !== value) continue;
    const message = `${settings.shown(key)} needs ${quotedList(names)} in the environment in which training starts. Otherwise ${otherwise}.`;
    settings.report('missing-environment-variable', { at: [key], message });
  }
}

export function madnessChecklist(settings: Settings): void {
  const checks = settings.texts(checklist);
  if (checks?.includes('non_ascii') !== true) return;
  const effect = checks.includes('nonsense')
    ? 'turns off the test for unusual characters in `nonsense` instead of adding it'
    : 'has no effect without `nonsense`';
  settings.report('madness-checklist', {
    at: [`${checklist}.${checks.indexOf('non_ascii')}`, checklist],
    message: `\`non_ascii\` ${effect}. To penalize unusual characters, list only \`nonsense\`.`,
  });
}

export function lostTimelines(settings: Settings): void {
  const key = 'task_runner.wrapper_type';
  if (settings.text(key) !== 'multi-processing') return;
  settings.report('lost-timelines', {
    at: [key],
    message:
      'With `multi-processing`, the recorded calls of an episode stay in the child process, so there are no samples to train on. A child process that crashes blocks its parent. Use `asyncio-with-gc`.',
    set: [[key, 'asyncio-with-gc']],
  });
}

const microBatches = ['log_prob_micro_batch_size', 'log_prob_micro_batch_size_per_gpu'] as const;

/**
 * With batches of fixed size AgentJet's verl trainer reads two keys that no default has, and wants one of them set, the
 * other null. `whole` has the file's top for its root.
 */
export function fixedBatches(settings: Settings, whole: Settings): void {
  const dynamic = 'actor_rollout_ref.actor.use_dynamic_bsz';
  const present = settings.names('rollout');
  if (whole.flag(dynamic) !== false || present === undefined) return;
  const missing = microBatches.filter((name) => !present.includes(name));
  if (missing.length > 0) {
    const message = `With \`use_dynamic_bsz\` off AgentJet reads ${quotedList(microBatches)} under \`rollout\`, but the defaults do not have ${quotedList(missing)}, so training stops. Set both, one of them to null, or leave \`use_dynamic_bsz\` on.`;
    whole.report('fixed-batches', { at: [dynamic], message });
    return;
  }
  const values = microBatches.map((name) => settings.scalar(`rollout.${name}`));
  if (values.includes(undefined)) return;
  const set = values.filter((value) => value !== null).length;
  if (set === 1) return;
  const message = `With \`use_dynamic_bsz\` off, one of ${quotedList(microBatches)} must be set and the other must be null, but ${set === 0 ? 'both are null' : 'both are set'}. verl rejects this.`;
  whole.report('fixed-batches', { at: [dynamic], message });
}
