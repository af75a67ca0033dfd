import { float, int, EvaluationError, type PythonNumber } from '../../../base/core/pythonNumbers.ts';
import type { Config } from '../effectiveConfig.ts';
import { pythonText, type Scalar } from '../scalar.ts';
import { isNull, type Origin, type RuleInput, type Value } from '../value.ts';
import type { ConversionRule } from './conversionRules.ts';

export interface RuleResult {
  /** The value that the launcher sets the target to; undefined where the launcher raises. */
  readonly value: Value | undefined;
  /** The arithmetic with its numbers, as in `8 * 4 * 2 = 64`; for a copied value that value, or why there is none. */
  readonly text: string;
  /** The keys that have a value, in the rule's order. */
  readonly inputs: readonly RuleInput[];
  readonly failure?: RuleFailure;
}

export interface RuleFailure {
  /** The first key that is missing or null; undefined where the keys are there but the expression fails on them. */
  readonly missing: string | undefined;
  readonly path: string;
  readonly message: string;
}

export function evaluateRule(rule: ConversionRule, config: Config): RuleResult {
  const { whenNull, compute } = rule;
  const isCopied = (value: Value): boolean => whenNull === 'copied' && compute === undefined && isNull(value);
  const inputs = rule.sources.flatMap((path): RuleInput[] => {
    const value = config.at(path);
    return value === undefined || (isNull(value) && !isCopied(value)) ? [] : [{ path, value }];
  });
  const missing = rule.sources.find((path) => inputs.every((input) => input.path !== path));
  if (missing !== undefined) {
    const state = config.at(missing) === undefined ? 'not set' : 'null';
    const message = `\`${missing}\` is ${state}.`;
    if (whenNull === 'skipped') return { value: undefined, text: message, inputs };
    return { value: undefined, text: message, inputs, failure: { missing, path: missing, message } };
  }
  if (compute !== undefined) return computed(rule.expression, compute, inputs);
  const [only] = inputs;
  if (only === undefined) throw new Error(`The conversion rule of ${rule.target} has no source.`);
  return { value: copied(only.path, only.value), text: shown(only.value), inputs };
}

function computed(
  expression: string,
  compute: NonNullable<ConversionRule['compute']>,
  inputs: readonly RuleInput[],
): RuleResult {
  const open = inputs.find(({ value }) => isInterpolated(value));
  if (open !== undefined) {
    return failed(
      inputs,
      `\`${open.path}\` is ${shown(open.value)}. The launcher computes with it before it is resolved.`,
    );
  }
  const arithmetic = substituted(expression, inputs);
  try {
    const scalar = toScalar(compute(...inputs.map(({ value }) => toNumber(value))));
    if (scalar === undefined) {
      return failed(inputs, `\`${arithmetic}\` has a value that cannot be shown exactly.`);
    }
    const text = `${arithmetic} = ${pythonText(scalar)}`;
    return {
      value: { kind: 'scalar', ...scalar, origin: { kind: 'rule', expression, inputs, text } },
      text,
      inputs,
    };
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return failed(inputs, `\`${arithmetic}\` cannot be computed: ${error.message}.`);
  }
}

/** Names the first value that is not a number, or else the last, which is the divisor where there is one. */
function failed(inputs: readonly RuleInput[], message: string): RuleResult {
  const culprit = inputs.find(({ value }) => value.kind !== 'scalar' || typeof value.value !== 'number');
  const path = (culprit ?? inputs.at(-1))?.path ?? '';
  return { value: undefined, text: message, inputs, failure: { missing: undefined, path, message } };
}

/** Returns the value with an origin that names its path; each part names the path of that part. */
function copied(path: string, value: Value): Value {
  const origin: Origin = { kind: 'rule', expression: path, inputs: [{ path, value }] };
  if (value.kind === 'scalar') return { ...value, origin };
  if (value.kind === 'sequence') {
    return { ...value, origin, items: value.items.map((item, index) => copied(`${path}.${index}`, item)) };
  }
  const entries = [...value.entries].map(([key, child]) => [key, copied(`${path}.${key}`, child)] as const);
  return { ...value, origin, entries: new Map(entries) };
}

/** Returns the expression with values for paths, without the parentheses around it. */
function substituted(expression: string, inputs: readonly RuleInput[]): string {
  return inputs.reduce(
    (text, { path, value }) => text.replace(path, () => shown(value)),
    expression.slice(1, -1),
  );
}

function shown(value: Value): string {
  if (value.kind === 'mapping') return '{…}';
  if (value.kind === 'sequence') return `[${value.items.map(shown).join(', ')}]`;
  return value.type === 'string' ? JSON.stringify(value.value) : pythonText(value);
}

function toNumber(found: Value): PythonNumber {
  if (found.kind === 'mapping') throw new EvaluationError('a number is needed, but a section is set');
  if (found.kind === 'sequence') throw new EvaluationError('a number is needed, but a list is set');
  const { type, value } = found;
  if (typeof value === 'boolean') return int(value ? 1n : 0n);
  if (typeof value !== 'number') throw new EvaluationError('a number is needed, but a string is set');
  if (type === 'float') return float(value);
  if (!Number.isSafeInteger(value)) throw new EvaluationError('an integer is too large to be exact');
  return int(BigInt(value));
}

/** Returns undefined for an integer that JavaScript's numbers do not hold exactly. */
function toScalar(number: PythonNumber): Scalar | undefined {
  if (number.kind === 'float') return { type: 'float', value: number.value };
  const value = Number(number.value);
  return Number.isSafeInteger(value) ? { type: 'integer', value } : undefined;
}

function isInterpolated(value: Value): boolean {
  return value.kind === 'scalar' && typeof value.value === 'string' && value.value.includes('${');
}
