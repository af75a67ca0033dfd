import { distance } from 'fastest-levenshtein';
import type { ScalarValue } from '../../../scalar.ts';
import data from '../data/algorithms.json' with { type: 'json' };
import { quotedList, quotedName, scalarText } from '../report.ts';
import type { TrinityView } from './view.ts';

const type = 'algorithm.algorithm_type';
const repeat = 'algorithm.repeat_times';
const method = 'synchronizer.sync_method';
const saveInterval = 'trainer.save_interval';
const experiencePath = 'buffer.trainer_input.experience_buffer.path';

export function offline(view: TrinityView): void {
  const { algorithm } = view;
  if (algorithm?.modes === undefined || view.mode === undefined) return;
  const name = view.shown(type);
  if (!algorithm.modes.includes(view.mode)) {
    if (!view.isMode('both', 'explore', 'colocate')) return;
    view.report('trinity-offline', {
      at: ['mode', type],
      message: `${name} learns from a data set and does not explore. Trinity rejects it in mode \`${view.mode}\`. Set \`mode\` to \`train\`.`,
      set: [['mode', 'train']],
    });
    return;
  }
  offlineData(view, name);
  offlineSync(view, name);
  offlineRepeat(view, name);
}

function offlineData(view: TrinityView, name: string): void {
  if (!view.isEmpty(experiencePath)) return;
  view.report('trinity-offline', {
    at: [experiencePath, 'buffer.trainer_input.experience_buffer', 'buffer.trainer_input', 'buffer', type],
    message: `${name} reads its data from \`${experiencePath}\`, which is not set, so Trinity does not start. Set the path of the data set there.`,
  });
}

function offlineSync(view: TrinityView, name: string): void {
  if (view.syncMethod !== undefined && view.syncMethod !== 'checkpoint') {
    view.report('trinity-sync-method', {
      severity: view.typed(method) === undefined ? 'information' : 'warning',
      at: [method, type],
      message: `${name} has no explorer to send weights to: ${view.shown(method)} becomes \`checkpoint\`.`,
      becomes: 'checkpoint',
      set: [[method, 'checkpoint']],
    });
  }
  if (view.number(saveInterval) === 0) {
    view.report('trinity-intervals', {
      at: [saveInterval, type],
      message: `With ${name} \`sync_interval\` is set to \`trainer.save_interval\`, which is 0, but it must be more than 0. Set \`save_interval\` to the number of steps between two checkpoints.`,
    });
  }
}

function offlineRepeat(view: TrinityView, name: string): void {
  const forced = view.algorithm?.repeat_times;
  const written = view.number(repeat);
  if (forced === undefined) return;
  if (view.typed(repeat) !== undefined && written !== undefined && written !== forced) {
    const message = `With ${name} ${view.shown(repeat)} becomes ${forced}, for a chosen and a rejected answer.`;
    view.report('trinity-value-rewritten', { at: [repeat], message, becomes: forced });
  }
  if (view.text('algorithm.kl_loss_fn') === 'none') {
    const message = `${name} needs a distance to the reference model, so \`kl_loss_fn\` \`none\` becomes \`k2\`.`;
    view.report('trinity-value-rewritten', {
      severity: 'warning',
      at: ['algorithm.kl_loss_fn'],
      message,
      becomes: 'k2',
    });
  }
}

/** Names that are looked up in a registry, which plug-ins may extend. */
const registries = [
  type,
  'algorithm.sample_strategy',
  'algorithm.advantage_fn',
  'algorithm.policy_loss_fn',
  'algorithm.kl_penalty_fn',
  'algorithm.kl_loss_fn',
  'algorithm.entropy_loss_fn',
  'buffer.explorer_input.default_workflow_type',
  'buffer.explorer_input.default_reward_fn_type',
  'buffer.trainer_input.experience_buffer.data_selector.selector_type',
  'buffer.trainer_input.experience_buffer.storage_type',
  'explorer.rollout_model.tool_call_parser',
  'explorer.rollout_model.reasoning_parser',
];

const registriesOfTasks = [
  'default_workflow_type',
  'default_reward_fn_type',
  'data_selector.selector_type',
  'task_selector.selector_type',
  'storage_type',
];

function registryKeys(view: TrinityView): readonly string[] {
  const input = 'buffer.explorer_input';
  const sets = [
    `${input}.taskset`,
    ...view.items(`${input}.tasksets`),
    ...view.items(`${input}.eval_tasksets`),
  ];
  return [...registries, ...sets.flatMap((set) => registriesOfTasks.map((name) => `${set}.${name}`))];
}

/** Names of earlier releases that look like slips of the present ones. */
const olderNames: readonly string[] = data.olderNames;

export function registered(view: TrinityView): void {
  for (const key of registryKeys(view)) {
    const name = view.text(key);
    const info = view.info(key);
    if (name === undefined || info?.allowed === undefined || !info.allowsOthers) continue;
    if (name.includes('.') || olderNames.includes(name)) continue;
    if (info.allowed.some((one) => one.toLowerCase() === name.toLowerCase())) continue;
    const near = info.allowed
      .map((one) => ({ one, steps: distance(one, name) }))
      .filter(({ one, steps }) => steps <= (one.length < 6 && sorted(one) !== sorted(name) ? 1 : 2))
      .sort((a, b) => a.steps - b.steps);
    const [nearest] = near;
    // Other registries have many plug-ins, so only a likely slip is reported.
    if (nearest === undefined && !key.endsWith('.storage_type')) continue;
    const hint =
      nearest === undefined ? `Use ${quotedList(info.allowed, 'or')}.` : `Did you mean \`${nearest.one}\`?`;
    view.report('trinity-registry', {
      at: [key],
      message: `Trinity has no ${quotedName(key)} \`${name}\`, and stops unless a plug-in provides it. ${hint}`,
      set: near.slice(0, 2).map(({ one }) => [key, one, 'Change']),
    });
  }
}

/** The letters of a name in order: swapping two of them is one slip, though two steps. */
function sorted(name: string): string {
  return Array.from(name).sort().join('');
}

export function lossAggregation(view: TrinityView): void {
  const inner = 'algorithm.policy_loss_fn_args.loss_agg_mode';
  const written = view.text(inner);
  const outer = view.scalar('algorithm.loss_agg_mode');
  if (written === undefined || outer === undefined || view.typed(inner) === undefined) return;
  const effective = outer ?? 'token-mean';
  if (written === effective) return;
  view.report('trinity-value-rewritten', {
    severity: 'warning',
    at: [inner],
    message: `\`loss_agg_mode\` \`${written}\` becomes \`${scalarText(effective)}\`, because \`algorithm.loss_agg_mode\` replaces it. Set it there.`,
    becomes: scalarText(effective),
  });
}

export function groupSize(view: TrinityView): void {
  const times = view.number(repeat);
  if (view.algorithm?.group !== true || times === undefined || times >= 2) return;
  if (view.isMode('bench', 'serve')) return;
  const typed = view.typed(repeat) !== undefined;
  view.report('trinity-group-size', {
    severity: typed ? 'warning' : 'information',
    at: [repeat, type],
    message: `${view.shown(type)} compares the runs of one task with each other, but ${view.shown(repeat)}${typed ? '' : ' is the default'}. Every advantage is 0 and training learns nothing. Set \`repeat_times\` to 2 or more.`,
  });
}

/** The limits that a function asserts for one of its arguments. */
interface Limits {
  readonly above?: number;
  readonly least?: number;
  readonly most?: number;
  readonly oneOf?: readonly string[];
}

const argumentLimits: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Limits>>>>>> =
  data.functionArguments;

export function functionArguments(view: TrinityView): void {
  for (const [key, functions] of Object.entries(argumentLimits)) {
    const own = key.endsWith('advantage_fn') ? view.algorithm?.advantage_fn : view.algorithm?.policy_loss_fn;
    const written = view.scalar(key);
    const name = written === null ? own : written;
    const limits = typeof name === 'string' ? functions[name] : undefined;
    for (const [argument, limit] of Object.entries(limits ?? {})) {
      outsideLimits(view, `${key}_args.${argument}`, String(name), limit);
    }
  }
  m2poAggregation(view);
  adaptiveKl(view);
  auxiliaryData(view);
}

function outsideLimits(view: TrinityView, key: string, name: string, limits: Limits): void {
  const wanted =
    limits.oneOf === undefined
      ? wantedNumber(view.scalar(key), limits)
      : wantedText(view.text(key), limits.oneOf);
  if (wanted === undefined) return;
  view.report('trinity-function-args', {
    at: [key],
    message: `\`${name}\` requires that ${quotedName(key)} is ${wanted}, but it is ${scalarText(view.scalar(key))}.`,
  });
}

/** Returns the expected range of a number if it is outside. */
function wantedNumber(value: ScalarValue | undefined, { above, least, most }: Limits): string | undefined {
  if (typeof value !== 'number') return undefined;
  const low = above === undefined ? least === undefined || value >= least : value > above;
  if (Number.isFinite(value) && low && (most === undefined || value <= most)) return undefined;
  const lower = above === undefined ? `at least ${least ?? ''}` : `more than ${above}`;
  return most === undefined ? lower : `${lower} and at most ${most}`;
}

function wantedText(value: string | undefined, allowed: readonly string[]): string | undefined {
  if (value === undefined || allowed.includes(value)) return undefined;
  return `one of ${allowed.map((one) => `\`${one}\``).join(', ')}`;
}

function m2poAggregation(view: TrinityView): void {
  const loss = view.text('algorithm.policy_loss_fn') ?? view.algorithm?.policy_loss_fn;
  const mode = view.text('algorithm.loss_agg_mode');
  if (loss !== 'm2po' || mode === undefined || mode === 'token-mean') return;
  const message = `The loss \`m2po\` works only with \`loss_agg_mode\` \`token-mean\`, not with \`${mode}\`.`;
  view.report('trinity-function-args', { at: ['algorithm.loss_agg_mode'], message });
}

function adaptiveKl(view: TrinityView): void {
  for (const section of ['algorithm.kl_penalty_fn_args', 'algorithm.kl_loss_fn_args']) {
    if (view.flag(`${section}.adaptive`) !== true) continue;
    const present = view.names(section);
    const missing = ['target_kl', 'horizon'].filter((name) => present?.includes(name) === false);
    if (missing.length === 0) continue;
    view.report('trinity-function-args', {
      at: [`${section}.adaptive`],
      message: `An adaptive KL coefficient needs ${quotedList(missing)} in addition to \`adaptive\`.`,
    });
  }
}

/** Algorithms that mix examples into the experiences look for their buffer by name. */
function auxiliaryData(view: TrinityView): void {
  if (view.algorithm?.auxiliary !== true || view.isMode('explore', 'bench', 'serve')) return;
  const key = 'algorithm.sample_strategy_args.sft_dataset_name';
  const section = 'buffer.trainer_input.auxiliary_buffers';
  const names = view.names(section);
  const args = view.names('algorithm.sample_strategy_args');
  const wanted = args?.includes('sft_dataset_name') === false ? 'sft_dataset' : view.text(key);
  if (names === undefined || wanted === undefined || names.includes(wanted)) return;
  view.report('trinity-auxiliary-buffer', {
    at: [key, section, type],
    message: `${view.shown(type)} mixes in the examples of the auxiliary buffer \`${wanted}\`, which \`${section}\` does not have. Add it there, or set \`sft_dataset_name\` to an existing buffer.`,
  });
}
