import {
  asFloat,
  calculate,
  compareNumbers,
  float,
  int,
  negate,
  Refusal,
  round,
  truncate,
  type PythonNumber,
} from '../../../base/pythonNumbers.ts';
import type { ComparisonOperator, Expression } from './syntax.ts';

/** What an expression can work with. Sections and `None` are values that nothing can be done with but testing them. */
export type PythonValue =
  | PythonNumber
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'str'; readonly value: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'list'; readonly items: readonly PythonValue[] }
  | { readonly kind: 'dict'; readonly size: number };

export type Evaluated =
  | { readonly ok: true; readonly value: PythonValue }
  /** A clause without a capital or a full stop. */
  | { readonly ok: false; readonly reason: string };

/** Evaluates as Python would with `min max abs round int float sum len` at hand. Never throws. */
export function evaluate(
  expression: Expression,
  valueOf: (name: string) => PythonValue | undefined,
): Evaluated {
  try {
    return { ok: true, value: new Evaluator(valueOf).value(expression) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ok: false, reason: error.message };
  }
}

class Evaluator {
  readonly #valueOf: (name: string) => PythonValue | undefined;

  constructor(valueOf: (name: string) => PythonValue | undefined) {
    this.#valueOf = valueOf;
  }

  value(expression: Expression): PythonValue {
    switch (expression.kind) {
      case 'number':
        return numberOf(expression.text);
      case 'constant':
        return expression.value === null ? { kind: 'none' } : { kind: 'bool', value: expression.value };
      case 'name':
        return this.#name(expression.name);
      case 'list':
        return { kind: 'list', items: expression.items.map((item) => this.value(item)) };
      case 'unary':
        return this.#unary(expression.operator, this.value(expression.operand));
      case 'binary':
        return calculate(
          expression.operator,
          number(this.value(expression.left)),
          number(this.value(expression.right)),
        );
      case 'logical': {
        const left = this.value(expression.left);
        return truth(left) === (expression.operator === 'and') ? this.value(expression.right) : left;
      }
      case 'comparison':
        return { kind: 'bool', value: this.#compares(expression) };
      case 'choice':
        return this.value(truth(this.value(expression.test)) ? expression.then : expression.otherwise);
      case 'call':
        return call(
          expression.name,
          expression.args.map((argument) => this.value(argument)),
        );
    }
  }

  #name(name: string): PythonValue {
    const value = this.#valueOf(name);
    if (value === undefined) throw new Refusal(`\`${name}\` has no value`);
    return value;
  }

  #unary(operator: '+' | '-' | 'not', operand: PythonValue): PythonValue {
    if (operator === 'not') return { kind: 'bool', value: !truth(operand) };
    return operator === '-' ? negate(number(operand)) : number(operand);
  }

  #compares({ first, rest }: Extract<Expression, { kind: 'comparison' }>): boolean {
    let left = this.value(first);
    for (const { operator, operand } of rest) {
      const right = this.value(operand);
      if (!holds(operator, left, right)) return false;
      left = right;
    }
    return true;
  }
}

function numberOf(text: string): PythonNumber {
  return /^\d+$/.test(text) ? int(BigInt(text)) : float(Number(text));
}

const kindNames: Readonly<Record<PythonValue['kind'], string>> = {
  int: 'a number',
  float: 'a number',
  bool: 'a boolean',
  str: 'a text',
  none: 'null',
  list: 'a list',
  dict: 'a section',
};

function number(value: PythonValue): PythonNumber {
  if (value.kind === 'int' || value.kind === 'float') return value;
  if (value.kind === 'bool') return int(value.value ? 1n : 0n);
  throw new Refusal(`${kindNames[value.kind]} stands where a number is needed`);
}

function truth(value: PythonValue): boolean {
  switch (value.kind) {
    case 'int':
      return value.value !== 0n;
    case 'float':
      return value.value !== 0;
    case 'bool':
      return value.value;
    case 'str':
      return value.value !== '';
    case 'none':
      return false;
    case 'list':
      return value.items.length > 0;
    case 'dict':
      return value.size > 0;
  }
}

function holds(operator: ComparisonOperator, left: PythonValue, right: PythonValue): boolean {
  if (left.kind === 'str' && right.kind === 'str' && (operator === '==' || operator === '!=')) {
    return (left.value === right.value) === (operator === '==');
  }
  const order = compareNumbers(number(left), number(right));
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '==':
      return order === 0;
    case '!=':
      return order !== 0;
  }
}

type Function = (args: readonly PythonValue[]) => PythonValue;

const functions: ReadonlyMap<string, Function> = new Map<string, Function>([
  ['min', (args) => extreme('min', args, -1)],
  ['max', (args) => extreme('max', args, 1)],
  ['abs', (args) => absolute(number(only('abs', args)))],
  ['round', rounded],
  ['int', (args) => truncate(parsed('int', args, /^\s*[-+]?\d+(?:_\d+)*\s*$/))],
  [
    'float',
    (args) => float(asFloat(parsed('float', args, /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i))),
  ],
  ['sum', (args) => total(args)],
  ['len', (args) => int(BigInt(length(only('len', args))))],
]);

function call(name: string, args: readonly PythonValue[]): PythonValue {
  const run = functions.get(name);
  if (run === undefined) throw new Refusal(`there is no function \`${name}\``);
  return run(args);
}

function only(name: string, args: readonly PythonValue[]): PythonValue {
  const [value] = args;
  if (value === undefined || args.length > 1) throw new Refusal(`\`${name}\` takes one value`);
  return value;
}

/** The first among equals, its type kept: `max(1, 1.0)` is 1. */
function extreme(name: string, args: readonly PythonValue[], sign: 1 | -1): PythonValue {
  const [first] = args;
  const list = args.length === 1 && first?.kind === 'list' ? first.items : args;
  if (args.length === 1 && first?.kind !== 'list')
    throw new Refusal(`\`${name}\` takes several values or a list`);
  let [best] = list;
  if (best === undefined) throw new Refusal(`\`${name}\` has nothing to choose from`);
  // A single value is not compared, so it may be of any kind.
  for (const value of list.slice(1)) {
    if (compareNumbers(number(value), number(best)) * sign > 0) best = value;
  }
  return best;
}

function absolute(value: PythonNumber): PythonNumber {
  if (value.kind === 'float') return float(Math.abs(value.value));
  return value.value < 0n ? negate(value) : value;
}

function rounded(args: readonly PythonValue[]): PythonValue {
  const [value, digits] = args;
  if (value === undefined || args.length > 2)
    throw new Refusal('`round` takes a number and maybe its digits');
  if (digits === undefined || digits.kind === 'none') return round(number(value), undefined);
  const places = number(digits);
  if (places.kind === 'float') throw new Refusal('`round` takes a whole number of digits');
  return round(number(value), places.value);
}

function parsed(name: 'int' | 'float', args: readonly PythonValue[], form: RegExp): PythonNumber {
  if (args.length === 0) return int(0n);
  const value = only(name, args);
  if (value.kind !== 'str') return number(value);
  if (!form.test(value.value)) throw new Refusal(`\`${name}\` cannot read the text "${value.value}"`);
  const text = value.value.trim().replaceAll('_', '');
  return name === 'float' ? float(Number(text)) : int(BigInt(text.replace(/^\+/, '')));
}

function total(args: readonly PythonValue[]): PythonValue {
  const [list, start] = args;
  if (list?.kind !== 'list' || args.length > 2) throw new Refusal('`sum` takes a list');
  if (list.items.filter((item) => item.kind === 'float').length > 1) {
    // Python adds floats with a correction from 3.12 on and without it before.
    throw new Refusal('the sum of several floats depends on the version of Python');
  }
  return list.items.reduce<PythonNumber>(
    (sum, item) => calculate('+', sum, number(item)),
    start === undefined ? int(0n) : number(start),
  );
}

function length(value: PythonValue): number {
  if (value.kind === 'list') return value.items.length;
  if (value.kind === 'dict') return value.size;
  if (value.kind === 'str') return Array.from(value.value).length;
  throw new Refusal(`${kindNames[value.kind]} has no length`);
}
