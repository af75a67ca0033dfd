import type { Random } from '../../../../base/core/random.ts';

/** An arithmetic expression with a finite value. */
export interface Expression {
  /** The expression as written, with ASCII operators and no thousands separators, e.g. `48 / 2 + 48`. */
  readonly text: string;
  readonly value: number;
}

/** Returns the last arithmetic expression with an operator. Dates and ranges such as `3-4` do not count. */
export function findExpression(text: string): Expression | undefined {
  return new Parser(normalize(text)).last();
}

/** Returns the expression with one number or operator changed, so that its value differs. */
export function misread(expression: Expression, random: Random): Expression {
  const { text, value } = expression;
  const wrong = tokenize(text)
    .flatMap(({ text: token, start }) =>
      confusions(token).map((other) => text.slice(0, start) + other + text.slice(start + token.length)),
    )
    .flatMap((variant) => findExpression(variant) ?? [])
    .filter((variant) => formatNumber(variant.value) !== formatNumber(value));
  return wrong.length === 0 ? expression : random.pick(wrong);
}

function confusions(token: string): string[] {
  if (!isNumber(token)) return { '+': ['-'], '-': ['+'], '*': ['+'], '/': ['*'] }[token] ?? [];
  return [Number(token) + 1, Number(token) - 1].filter((near) => near > 0).map(formatNumber);
}

/** Formats a number without separators and trailing zeros, with at most four decimals. */
export function formatNumber(value: number): string {
  return String(Number(value.toFixed(4)) || 0);
}

const signs: Readonly<Record<string, string>> = { '×': '*', '·': '*', '÷': '/', '−': '-', '–': '-' };

function normalize(text: string): string {
  return text
    .replace(/[×·÷−–]/g, (sign) => signs[sign] ?? sign)
    .replace(/\b\d{1,3}(?:,\d{3})+\b/g, (number) => number.replaceAll(',', ''));
}

interface Token {
  readonly text: string;
  readonly start: number;
}

function tokenize(text: string): Token[] {
  const matches = text.matchAll(/\d+(?:\.\d+)?|\.\d+|\*\*|[\p{L}_][\p{L}\p{N}_]*|\S/gu);
  return Array.from(matches, (match) => ({ text: match[0], start: match.index }));
}

function isNumber(token: string): boolean {
  return /^\.?\d/.test(token);
}

interface Operator {
  readonly precedence: number;
  readonly apply: (left: number, right: number) => number;
}

const operators: Readonly<Record<string, Operator>> = {
  '+': { precedence: 1, apply: (left, right) => left + right },
  '-': { precedence: 1, apply: (left, right) => left - right },
  '*': { precedence: 2, apply: (left, right) => left * right },
  '/': { precedence: 2, apply: (left, right) => left / right },
  '%': { precedence: 2, apply: (left, right) => left % right },
  '**': { precedence: 4, apply: (left, right) => left ** right },
};
/** Binds tighter than `*` and looser than `**`. */
const signPrecedence = 3;
/** Limits the recursion for a text full of parentheses or signs. */
const deepest = 20;

/** A precedence-climbing parser. */
class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #position = 0;
  #depth = 0;
  #operatorCount = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  last(): Expression | undefined {
    let found: Expression | undefined;
    while (this.#position < this.#tokens.length) found = this.#next() ?? found;
    return found;
  }

  /** Reads the longest expression that starts at the current token, or skips the token. */
  #next(): Expression | undefined {
    const start = this.#position;
    this.#operatorCount = 0;
    const value = this.#parse(0);
    if (value === undefined) {
      this.#position = start + 1;
      return undefined;
    }
    const last = this.#tokens[this.#position - 1];
    const end = last === undefined ? 0 : last.start + last.text.length;
    const text = this.#text.slice(this.#tokens[start]?.start, end).replace(/\s+/g, ' ');
    const isExpression = this.#operatorCount > 0 && Number.isFinite(value) && !dateOrRange.test(text);
    return isExpression ? { text, value } : undefined;
  }

  /** Reads operands and operators of at least this precedence; returns undefined where no operand starts. */
  #parse(lowest: number): number | undefined {
    if (this.#depth >= deepest) return undefined;
    this.#depth++;
    let left = this.#operand();
    while (left !== undefined) {
      const before = this.#position;
      const operator = operators[this.#tokens[before]?.text ?? ''];
      if (operator === undefined || operator.precedence < lowest) break;
      this.#position++;
      const right = this.#parse(operator === operators['**'] ? signPrecedence : operator.precedence + 1);
      if (right === undefined) {
        this.#position = before;
        break;
      }
      this.#operatorCount++;
      left = Number(operator.apply(left, right).toPrecision(12));
    }
    this.#depth--;
    return left;
  }

  #operand(): number | undefined {
    const token = this.#tokens[this.#position++]?.text ?? '';
    if (isNumber(token)) return Number(token);
    if (token === '+') return this.#parse(signPrecedence);
    if (token === '-') {
      const value = this.#parse(signPrecedence);
      return value === undefined ? undefined : -value;
    }
    if (token !== '(') return undefined;
    const value = this.#parse(0);
    return this.#tokens[this.#position++]?.text === ')' ? value : undefined;
  }
}

const dateOrRange = /^\d+(?:([-/])\d+\1|-)\d+$/;
