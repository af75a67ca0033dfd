export type Operator = '+' | '-' | '*' | '/';

/** An arithmetic expression: the one thing that the solver, the tool call and the written reasoning share. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | {
      readonly kind: 'operation';
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
      /** What the value counts, e.g. `plums`; for the written reasoning only. */
      readonly unit?: string | undefined;
    };

export type Operation = Extract<Expression, { kind: 'operation' }>;

/** One line of written reasoning, e.g. `14 + 9 = 23` plums. */
export interface Step {
  readonly text: string;
  readonly value: number;
  readonly unit: string | undefined;
}

/** A wrong value at one operation, counted in the order in which the steps are written. */
export interface WrongStep {
  readonly index: number;
  readonly difference: number;
}

export function number(value: number): Expression {
  return { kind: 'number', value };
}

export function operation(operator: Operator, left: Expression, right: Expression, unit?: string): Operation {
  return { kind: 'operation', operator, left, right, unit };
}

/** NaN or an infinity for a division by zero. */
export function evaluate(expression: Expression): number {
  if (expression.kind === 'number') return expression.value;
  return apply(expression.operator, evaluate(expression.left), evaluate(expression.right));
}

function apply(operator: Operator, left: number, right: number): number {
  const value = { '+': left + right, '-': left - right, '*': left * right, '/': left / right }[operator];
  return Number(value.toPrecision(12));
}

/** A number as an answer gives it: no separators, no trailing zeros, at most four decimals (two if it never ends). */
export function formatNumber(value: number): string {
  const decimals = Math.abs(value * 1e4 - Math.round(value * 1e4)) < 1e-6 ? 4 : 2;
  const rounded = Number(value.toFixed(decimals));
  return String(rounded === 0 ? 0 : rounded);
}

/** The expression in one line, with no more parentheses than it needs. */
export function printExpression(expression: Expression): string {
  if (expression.kind === 'number') return formatNumber(expression.value);
  const { operator, left, right } = expression;
  const own = precedence(expression);
  const leftText = printOperand(left, precedence(left) < own);
  const needsRight = precedence(right) < own || (precedence(right) === own && operator !== '+');
  return `${leftText} ${operator} ${printOperand(right, needsRight)}`;
}

function printOperand(expression: Expression, parenthesised: boolean): string {
  const text = printExpression(expression);
  return parenthesised || text.startsWith('-') ? `(${text})` : text;
}

function precedence(expression: Expression): number {
  if (expression.kind === 'number') return 3;
  return expression.operator === '+' || expression.operator === '-' ? 1 : 2;
}

/**
 * The operations in the order in which a person would work them out, a chain of additions as one; one value may be made
 * wrong on purpose.
 */
export function writeSteps(expression: Expression, wrong?: WrongStep): readonly Step[] {
  const steps: Step[] = [];
  const work = (node: Expression): { text: string; value: number } => {
    if (node.kind === 'number') return { text: formatNumber(node.value), value: node.value };
    const terms = node.operator === '+' ? additions(node) : [node.left, node.right];
    const operands = terms.map(work);
    const difference = wrong?.index === steps.length ? wrong.difference : 0;
    const exact = operands.map((operand) => operand.value).reduce((a, b) => apply(node.operator, a, b));
    const value = Number((exact + difference).toPrecision(12));
    const shown = formatNumber(value);
    const sides = operands.map(({ text }) => (text.startsWith('-') ? `(${text})` : text));
    steps.push({ text: `${sides.join(` ${node.operator} `)} = ${shown}`, value, unit: node.unit });
    return { text: shown, value };
  };
  work(expression);
  return steps;
}

/** The terms of a chain `a + b + c`, which is written as one step. */
function additions(node: Expression): Expression[] {
  if (node.kind === 'number' || node.operator !== '+') return [node];
  return [...additions(node.left), ...additions(node.right)];
}

/** All operations of an expression, the outermost first. */
export function operations(expression: Expression): Operation[] {
  if (expression.kind === 'number') return [];
  return [expression, ...operations(expression.left), ...operations(expression.right)];
}

/** The same expression with one operation put in another's place (found by identity). */
export function replaceOperation(root: Expression, target: Operation, replacement: Expression): Expression {
  if (root === target) return replacement;
  if (root.kind === 'number') return root;
  return {
    ...root,
    left: replaceOperation(root.left, target, replacement),
    right: replaceOperation(root.right, target, replacement),
  };
}

/** Equal but for rounding. */
export function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}
