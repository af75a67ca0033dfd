import type { Config } from '../effectiveConfig.ts';
import { pythonText, type Scalar } from '../scalar.ts';
import type { Origin, RuleInput, ScalarPart, Value } from '../value.ts';
import type { ConversionRule } from './conversionRules.ts';
import { evaluate, type PythonValue } from './expression/evaluate.ts';
import { parseExpression, type NameUse, type ParsedExpression } from './expression/syntax.ts';

export interface RuleResult {
  /** What the launcher sets the rule's target to; undefined where it would raise instead. */
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
  /** The key to look at. */
  readonly path: string;
  /** One sentence. */
  readonly message: string;
}

/** What the launcher makes of one line of a conversion table. Never throws. */
export function evaluateRule(rule: ConversionRule, config: Config): RuleResult {
  const inputs = rule.sources.flatMap((path): RuleInput[] => {
    const value = config.at(path);
    return value === undefined || isNull(value) ? [] : [{ path, value }];
  });
  const missing = rule.sources.find((path) => inputs.every((input) => input.path !== path));
  if (missing !== undefined) {
    const state = config.at(missing) === undefined ? 'not set' : 'null';
    const message = `\`${missing}\` is ${state}.`;
    return { value: undefined, text: message, inputs, failure: { missing, path: missing, message } };
  }
  const [only] = inputs;
  if (!isOperatorExpression(rule.expression) && only !== undefined) {
    return { value: copied(only.path, only.value), text: shown(only.value), inputs };
  }
  return computed(rule, inputs);
}

/** In a conversion table, what starts with a parenthesis is computed; anything else is a path. */
export function isOperatorExpression(expression: string): boolean {
  return expression.startsWith('(');
}

function computed(rule: ConversionRule, inputs: readonly RuleInput[]): RuleResult {
  const parsed = parsedOnce(rule);
  if (!parsed.ok) return failed(inputs, `\`${rule.expression}\` cannot be read: ${parsed.problem.message}`);
  const open = inputs.find(({ value }) => isInterpolated(value));
  if (open !== undefined) {
    return failed(
      inputs,
      `\`${open.path}\` is ${shown(open.value)}, which the launcher computes with before it is resolved.`,
    );
  }
  const values = new Map(inputs.map(({ path, value }) => [path, value]));
  const arithmetic = substituted(rule.expression, parsed.names, values);
  const result = evaluate(parsed.expression, (name) => {
    const value = values.get(name);
    return value && toPython(value);
  });
  if (!result.ok) return failed(inputs, `\`${arithmetic}\` cannot be computed: ${result.reason}.`);
  const scalar = toScalar(result.value);
  if (scalar === undefined) {
    return failed(inputs, `\`${arithmetic}\` gives a value that cannot be shown exactly.`);
  }
  const text = `${arithmetic} = ${pythonText(scalar)}`;
  const origin = { kind: 'rule', expression: rule.expression, inputs, text } as const;
  return {
    value: { kind: 'scalar', ...scalar, origin },
    text: `${arithmetic} = ${pythonText(scalar)}`,
    inputs,
  };
}

const parsedRules = new WeakMap<ConversionRule, ParsedExpression>();

function parsedOnce(rule: ConversionRule): ParsedExpression {
  const parsed = parsedRules.get(rule) ?? parseExpression(rule.expression);
  parsedRules.set(rule, parsed);
  return parsed;
}

/** Points at the first value that is no number, else at the last, which divides in the expressions there are. */
function failed(inputs: readonly RuleInput[], message: string): RuleResult {
  const culprit = inputs.find(({ value }) => value.kind !== 'scalar' || typeof value.value !== 'number');
  const path = (culprit ?? inputs.at(-1))?.path ?? '';
  return { value: undefined, text: message, inputs, failure: { missing: undefined, path, message } };
}

/** The value as one that was copied from a path, each of its parts from the path of that part. */
function copied(path: string, value: Value): Value {
  const origin: Origin = { kind: 'rule', expression: path, inputs: [{ path, value }] };
  if (value.kind === 'scalar') return { ...value, origin };
  if (value.kind === 'sequence') {
    return { ...value, origin, items: value.items.map((item, index) => copied(`${path}.${index}`, item)) };
  }
  const entries = [...value.entries].map(([key, child]) => [key, copied(`${path}.${key}`, child)] as const);
  return { ...value, origin, entries: new Map(entries) };
}

/** The expression with values for keys, without the parentheses around it. */
function substituted(
  expression: string,
  names: readonly NameUse[],
  values: ReadonlyMap<string, Value>,
): string {
  let text = '';
  let at = 0;
  for (const { name, span } of names) {
    const value = values.get(name);
    text += expression.slice(at, span.start) + (value === undefined ? name : shown(value));
    at = span.end;
  }
  text += expression.slice(at);
  return enclosed(expression) ? text.slice(1, -1).trim() : text;
}

/** Whether the first parenthesis closes at the very end. */
function enclosed(expression: string): boolean {
  let depth = 0;
  for (const { 0: sign, index } of expression.matchAll(/[()]/g)) {
    depth += sign === '(' ? 1 : -1;
    if (depth === 0) return index === expression.length - 1;
  }
  return false;
}

function shown(value: Value): string {
  if (value.kind === 'mapping') return '{…}';
  if (value.kind === 'sequence') return `[${value.items.map(shown).join(', ')}]`;
  return value.type === 'string' ? JSON.stringify(value.value) : pythonText(value);
}

function toPython(value: Value): PythonValue | undefined {
  if (value.kind === 'mapping') return { kind: 'dict', size: value.entries.size };
  if (value.kind === 'sequence') {
    const items = value.items.map(toPython).filter((item) => item !== undefined);
    return items.length === value.items.length ? { kind: 'list', items } : undefined;
  }
  return scalarToPython(value);
}

/** Undefined for an integer that was too large to be read exactly. */
function scalarToPython({ type, value }: ScalarPart): PythonValue | undefined {
  if (value === null) return { kind: 'none' };
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (typeof value === 'string') return { kind: 'str', value };
  if (type === 'float') return { kind: 'float', value };
  return Number.isSafeInteger(value) ? { kind: 'int', value: BigInt(value) } : undefined;
}

function toScalar(value: PythonValue): Scalar | undefined {
  switch (value.kind) {
    case 'int': {
      const number = Number(value.value);
      return Number.isSafeInteger(number) ? { type: 'integer', value: number } : undefined;
    }
    case 'float':
      return { type: 'float', value: value.value };
    case 'bool':
      return { type: 'boolean', value: value.value };
    case 'str':
      return { type: 'string', value: value.value };
    case 'none':
      return { type: 'null', value: null };
    case 'list':
    case 'dict':
      return undefined;
  }
}

function isNull(value: Value): boolean {
  return value.kind === 'scalar' && value.value === null;
}

function isInterpolated(value: Value): boolean {
  return value.kind === 'scalar' && typeof value.value === 'string' && value.value.includes('${');
}
