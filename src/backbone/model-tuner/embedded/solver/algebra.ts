import { evaluate, number, operation, type Expression } from '../expression.ts';

/** Building blocks that leave out what changes nothing. */
export function plus(left: Expression | undefined, right: Expression, unit?: string): Expression {
  return left === undefined ? right : operation('+', left, right, unit);
}

export function minus(left: Expression, right: Expression, unit?: string): Expression {
  return operation('-', left, right, unit);
}

export function times(left: Expression, right: Expression, unit?: string): Expression {
  if (isOne(left)) return right;
  return isOne(right) ? left : operation('*', left, right, unit);
}

export function dividedBy(left: Expression, right: Expression, unit?: string): Expression {
  return isOne(right) ? left : operation('/', left, right, unit);
}

export function sum(terms: readonly Expression[], unit?: string): Expression | undefined {
  return terms.reduce<Expression | undefined>((total, term) => plus(total, term, unit), undefined);
}

/** The larger minus the smaller. */
export function difference(a: Expression, b: Expression, unit?: string): Expression {
  return evaluate(a) >= evaluate(b) ? minus(a, b, unit) : minus(b, a, unit);
}

/** A fraction, written as a division, of something: `x / 3`, or `x * 2 / 3`. */
export function fractionOf(fraction: Expression, base: Expression, unit?: string): Expression {
  if (fraction.kind === 'number' || fraction.operator !== '/') return times(base, fraction, unit);
  return operation('/', times(base, fraction.left, unit), fraction.right, unit);
}

export function percentOf(percent: Expression, base: Expression, unit?: string): Expression {
  return operation('/', operation('*', base, percent, unit), number(100), unit);
}

export function isOne(expression: Expression): boolean {
  return expression.kind === 'number' && expression.value === 1;
}

/** The numbers an expression is made of, each as the very object that was read from the text. */
export function leaves(expression: Expression): Expression[] {
  return expression.kind === 'number'
    ? [expression]
    : [...leaves(expression.left), ...leaves(expression.right)];
}
