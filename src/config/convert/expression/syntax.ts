import type { Span } from '../../text.ts';

/** The part of Python's expressions that conversion tables use. */
export type Expression =
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'constant'; readonly value: boolean | null }
  | { readonly kind: 'name'; readonly name: string; readonly span: Span }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'unary'; readonly operator: '+' | '-' | 'not'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: ArithmeticOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'logical';
      readonly operator: 'and' | 'or';
      readonly left: Expression;
      readonly right: Expression;
    }
  /** `a < b <= c`: each compared with its neighbour. */
  | {
      readonly kind: 'comparison';
      readonly first: Expression;
      readonly rest: readonly { readonly operator: ComparisonOperator; readonly operand: Expression }[];
    }
  | {
      readonly kind: 'choice';
      readonly test: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] };

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';
export type ComparisonOperator = '<' | '<=' | '>' | '>=' | '==' | '!=';

export interface SyntaxProblem {
  readonly message: string;
  /** Where in the expression. */
  readonly offset: number;
}

export type ParsedExpression =
  | { readonly ok: true; readonly expression: Expression; readonly names: readonly NameUse[] }
  | { readonly ok: false; readonly problem: SyntaxProblem };

export interface NameUse {
  readonly name: string;
  readonly span: Span;
}

/** Deepest nesting; a table's expressions have two or three. */
const deepest = 100;

/** Parses one expression; never throws. Names may be dotted, as the config's keys are. */
export function parseExpression(source: string): ParsedExpression {
  const parser = new Parser(source);
  try {
    return { ok: true, expression: parser.whole(), names: parser.names };
  } catch (error) {
    if (!(error instanceof SyntaxRefusal)) throw error;
    return { ok: false, problem: { message: error.message, offset: error.offset } };
  }
}

class SyntaxRefusal extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

interface Token extends Span {
  readonly kind: 'number' | 'word' | 'sign' | 'end';
  readonly text: string;
}

const tokenForm =
  /\s*(?:(?<number>(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][-+]?\d+)?(?![\w.]))|(?<word>[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*)|(?<sign>\*\*|\/\/|<=|>=|==|!=|[-+*/%<>()[\],])|(?<end>$))/uy;

const comparisons: readonly string[] = ['<', '<=', '>', '>=', '==', '!='];
const sums: readonly string[] = ['+', '-'];
const products: readonly string[] = ['*', '/', '//', '%'];
const constants: ReadonlyMap<string, boolean | null> = new Map([
  ['True', true],
  ['False', false],
  ['None', null],
]);
const reserved = new Set(['and', 'or', 'not', 'if', 'else', 'in', 'is', 'lambda', 'for', 'await', 'yield']);

/** By recursive descent, in the order of Python's grammar: `if else`, `or`, `and`, `not`, comparisons, sums, … */
class Parser {
  readonly names: NameUse[] = [];
  readonly #source: string;
  #token: Token;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
    this.#token = { kind: 'sign', text: '', start: 0, end: 0 };
  }

  whole(): Expression {
    this.#next();
    const expression = this.#expression();
    if (this.#token.kind !== 'end') throw this.#unexpected();
    return expression;
  }

  #expression(): Expression {
    this.#depth += 1;
    if (this.#depth > deepest) throw new SyntaxRefusal('It is nested too deeply.', this.#token.start);
    const then = this.#either();
    let expression = then;
    if (this.#takes('if')) {
      const test = this.#either();
      this.#expect('else');
      expression = { kind: 'choice', test, then, otherwise: this.#expression() };
    }
    this.#depth -= 1;
    return expression;
  }

  #either(): Expression {
    let left = this.#both();
    while (this.#takes('or')) left = { kind: 'logical', operator: 'or', left, right: this.#both() };
    return left;
  }

  #both(): Expression {
    let left = this.#negation();
    while (this.#takes('and')) left = { kind: 'logical', operator: 'and', left, right: this.#negation() };
    return left;
  }

  #negation(): Expression {
    let count = 0;
    while (this.#takes('not')) count += 1;
    let operand = this.#comparison();
    for (; count > 0; count--) operand = { kind: 'unary', operator: 'not', operand };
    return operand;
  }

  #comparison(): Expression {
    const first = this.#sum();
    const rest: { operator: ComparisonOperator; operand: Expression }[] = [];
    while (comparisons.includes(this.#token.text)) {
      const operator = this.#taken() as ComparisonOperator;
      rest.push({ operator, operand: this.#sum() });
    }
    return rest.length === 0 ? first : { kind: 'comparison', first, rest };
  }

  #sum(): Expression {
    return this.#leftToRight(sums, () => this.#product());
  }

  #product(): Expression {
    return this.#leftToRight(products, () => this.#signed());
  }

  #leftToRight(operators: readonly string[], operand: () => Expression): Expression {
    let left = operand();
    while (operators.includes(this.#token.text)) {
      const operator = this.#taken() as ArithmeticOperator;
      left = { kind: 'binary', operator, left, right: operand() };
    }
    return left;
  }

  /** A sign binds more loosely than the `**` on its right: `-2 ** 2` is -4. */
  #signed(): Expression {
    const signs: ('+' | '-')[] = [];
    while (sums.includes(this.#token.text)) signs.push(this.#taken() as '+' | '-');
    const operand = this.#power();
    return signs.reduceRight<Expression>(
      (inner, operator) => ({ kind: 'unary', operator, operand: inner }),
      operand,
    );
  }

  #power(): Expression {
    const left = this.#atom();
    if (!this.#takes('**')) return left;
    this.#depth += 1;
    if (this.#depth > deepest) throw new SyntaxRefusal('It is nested too deeply.', this.#token.start);
    const right = this.#signed();
    this.#depth -= 1;
    return { kind: 'binary', operator: '**', left, right };
  }

  #atom(): Expression {
    const token = this.#token;
    if (token.kind === 'number') {
      this.#next();
      return { kind: 'number', text: numberText(token) };
    }
    if (this.#takes('(')) return this.#parenthesised();
    if (this.#takes('[')) return { kind: 'list', items: this.#items(']') };
    if (token.kind === 'word' && !reserved.has(token.text)) return this.#word(token);
    throw this.#unexpected();
  }

  #word(token: Token): Expression {
    this.#next();
    const constant = constants.get(token.text);
    if (constant !== undefined) return { kind: 'constant', value: constant };
    if (this.#takes('(')) return { kind: 'call', name: token.text, args: this.#items(')') };
    const use = { name: token.text, span: { start: token.start, end: token.end } };
    this.names.push(use);
    return { kind: 'name', ...use };
  }

  /** A value in parentheses, or a tuple, which counts as a list. */
  #parenthesised(): Expression {
    if (this.#takes(')')) return { kind: 'list', items: [] };
    const first = this.#expression();
    if (this.#takes(')')) return first;
    this.#expect(',');
    return { kind: 'list', items: [first, ...this.#items(')')] };
  }

  #items(end: ')' | ']'): Expression[] {
    const items: Expression[] = [];
    while (!this.#takes(end)) {
      items.push(this.#expression());
      if (this.#takes(end)) break;
      this.#expect(',');
    }
    return items;
  }

  #takes(text: string): boolean {
    if (this.#token.text !== text) return false;
    this.#next();
    return true;
  }

  #taken(): string {
    const { text } = this.#token;
    this.#next();
    return text;
  }

  #expect(text: string): void {
    if (!this.#takes(text)) {
      throw new SyntaxRefusal(`\`${text}\` is missing before ${this.#shown()}.`, this.#token.start);
    }
  }

  #next(): void {
    tokenForm.lastIndex = this.#token.end;
    const match = tokenForm.exec(this.#source);
    const groups = match?.groups;
    if (match === null || groups === undefined) {
      const offset = this.#token.end + (/^\s*/.exec(this.#source.slice(this.#token.end))?.[0].length ?? 0);
      const sign = String.fromCodePoint(this.#source.codePointAt(offset) ?? 0);
      throw new SyntaxRefusal(`\`${sign}\` is not understood here.`, offset);
    }
    const kind = (['number', 'word', 'sign'] as const).find((name) => groups[name] !== undefined) ?? 'end';
    const text = groups[kind] ?? '';
    const end = match.index + match[0].length;
    this.#token = { kind, text, start: end - text.length, end };
  }

  #unexpected(): SyntaxRefusal {
    return new SyntaxRefusal(`A value is missing before ${this.#shown()}.`, this.#token.start);
  }

  #shown(): string {
    return this.#token.kind === 'end' ? 'the end' : `\`${this.#token.text}\``;
  }
}

/** Python refuses `08` and `1__0`. */
function numberText({ text, start }: Token): string {
  const wrong = /^0[\d_]*[1-9][\d_]*$|__|_$|_[.eE]|\._/.test(text);
  if (wrong) throw new SyntaxRefusal(`\`${text}\` is no number.`, start);
  return text.replaceAll('_', '');
}
