import { calculate, compareNumbers, int, type PythonNumber } from '../../../base/core/pythonNumbers.ts';
import { ajetKeys } from '../key-tables/keyTable.ts';
import type { NodePath } from '../node.ts';

/** A trainer. Both take their configuration from what the launcher makes of a config. */
export type Backbone = 'trinity' | 'verl';

/** One line of the launcher's conversion table. */
export interface ConversionRule {
  /** The key of the backbone's configuration; whatever was typed there is replaced. */
  readonly target: string;
  /** A path of the config, or a Python expression of paths in parentheses. */
  readonly expression: string;
  /** The paths in the expression, in its order. */
  readonly sources: readonly string[];
  /**
   * Computes the expression from the values of `sources`, as Python does. Undefined where the rule copies a value.
   *
   * @throws Refusal where Python raises
   */
  readonly compute?: (...values: PythonNumber[]) => PythonNumber;
}

/** The backbones, with the path of their sections in an AgentJet config. */
export const backboneSections: readonly {
  readonly backbone: Backbone;
  readonly label: string;
  readonly above: readonly string[];
}[] = [
  { backbone: 'verl', label: 'verl', above: [] },
  { backbone: 'trinity', label: 'Trinity', above: ['trinity'] },
];

const mostWorkers = int(128n);

/** The rules of `config_auto_convertion_trinity.jsonc` that compute a value. */
const trinityExpressions: readonly ConversionRule[] = [
  {
    target: 'buffer.train_batch_size',
    expression:
      '(ajet.data.train_batch_size * ajet.rollout.num_repeat * ajet.rollout.multi_turn.expected_steps)',
    sources: [
      'ajet.data.train_batch_size',
      'ajet.rollout.num_repeat',
      'ajet.rollout.multi_turn.expected_steps',
    ],
    compute: (...factors) => factors.reduce((product, factor) => calculate('*', product, factor)),
  },
  {
    target: 'explorer.runner_per_model',
    expression: '(min(ajet.rollout.max_env_worker, 128) // ajet.rollout.n_vllm_engine)',
    sources: ['ajet.rollout.max_env_worker', 'ajet.rollout.n_vllm_engine'],
    compute: (workers, engines) =>
      calculate('//', compareNumbers(workers, mostWorkers) > 0 ? mostWorkers : workers, engines),
  },
];

/**
 * Returns the rules that overwrite a key of an AgentJet config, whatever was typed there. The keys of Trinity are below
 * `trinity:`, those of verl at the top.
 */
export function rulesThatSet([first, ...rest]: NodePath): readonly ConversionRule[] {
  const isTrinity = first === 'trinity';
  const target = (isTrinity ? rest : [first, ...rest]).join('.');
  return conversionRules(isTrinity ? 'trinity' : 'verl').filter((rule) => rule.target === target);
}

const cached = new Map<Backbone, readonly ConversionRule[]>();

/** The conversion table of a backbone, in the key table's order, expressions last. `debug` uses verl's. */
export function conversionRules(backbone: Backbone): readonly ConversionRule[] {
  const known = cached.get(backbone);
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
