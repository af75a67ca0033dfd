import { ajetKeys } from '../key-tables/keyTable.ts';
import type { NodePath } from '../node.ts';
import { ruleOf, type ConversionRule, type ConversionTable } from './conversionTable.ts';

export type { ConversionRule } from './conversionTable.ts';

/** A trainer. Both take their configuration from what the launcher makes of a config. */
export type Backbone = 'trinity' | 'verl';

/** The backbones, with the path of their sections in an AgentJet config. */
export const backboneSections: readonly {
  readonly backbone: Backbone;
  readonly label: string;
  readonly above: readonly string[];
}[] = [
  { backbone: 'verl', label: 'verl', above: [] },
  { backbone: 'trinity', label: 'Trinity', above: ['trinity'] },
];

/** The rules of `config_auto_convertion_trinity.jsonc` that compute a value. */
const trinityExpressions: readonly ConversionRule[] = [
  ruleOf(
    '(ajet.data.train_batch_size * ajet.rollout.num_repeat * ajet.rollout.multi_turn.expected_steps)',
    'buffer.train_batch_size',
  ),
  ruleOf(
    '(min(ajet.rollout.max_env_worker, 128) // ajet.rollout.n_vllm_engine)',
    'explorer.runner_per_model',
  ),
];

/** The tables of AgentJet's package, each in place of the built-in one. */
export type ConversionTables = Readonly<Partial<Record<Backbone, Pick<ConversionTable, 'rules'>>>>;

/**
 * Returns the rules that overwrite a key of an AgentJet config, whatever was typed there. The keys of Trinity are below
 * `trinity:`, those of verl at the top.
 */
export function rulesThatSet(
  [first, ...rest]: NodePath,
  tables?: ConversionTables,
): readonly ConversionRule[] {
  const isTrinity = first === 'trinity';
  const target = (isTrinity ? rest : [first, ...rest]).join('.');
  return conversionRules(isTrinity ? 'trinity' : 'verl', tables).filter((rule) => rule.target === target);
}

const cached = new Map<Backbone, readonly ConversionRule[]>();

/**
 * Returns the conversion table of a backbone: that of the package, else the built-in one of January 2026. The built-in
 * one is in the key table's order, expressions last. `debug` uses verl's.
 */
export function conversionRules(
  backbone: Backbone,
  tables: ConversionTables = {},
): readonly ConversionRule[] {
  const known = tables[backbone]?.rules ?? cached.get(backbone);
  if (known !== undefined) return known;
  const expressions = backbone === 'trinity' ? trinityExpressions : [];
  const computed = new Set(expressions.map((rule) => rule.target));
  const copies = ajetKeys().keys.flatMap(({ path, info }) =>
    (info?.becomes[backbone] ?? [])
      // In addition to targets, the key table has remarks such as `buffer.train_batch_size (factor)`.
      .filter((target) => !computed.has(target) && !target.includes(' '))
      .map((target): ConversionRule => ({ target, expression: path, sources: [path] })),
  );
  const rules = [...copies, ...expressions];
  cached.set(backbone, rules);
  return rules;
}
