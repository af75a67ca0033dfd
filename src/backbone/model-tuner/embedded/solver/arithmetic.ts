import { evaluate, number, operation, type Expression, type Operator } from '../expression.ts';

const spoken: readonly (readonly [RegExp, string])[] = [
  [/\bmultiplied by\b|\btimes\b|×/gi, '*'],
  [/\bdivided by\b|÷/gi, '/'],
  [/\bplus\b/gi, '+'],
  [/\bminus\b|−/gi, '-'],
];
const formula = /[\d.(][\d\s.()+*/-]*[\d)]/;
/** More words than these make a story, whose numbers must not be taken for a formula. */
const mostWords = 8;

/** Reads a bare calculation such as "What is 12 * (3 + 4)?"; undefined for anything else. */
export function readArithmetic(text: string): Expression | undefined {
  const written = spoken
    .reduce((rest, [pattern, sign]) => rest.replace(pattern, sign), text)
    .replace(/(\d),(?=\d{3})/g, '$1');
  const found = formula.exec(written)?.[0] ?? '';
  const words = written.replace(found, ' ').match(/[a-z]{2,}/gi) ?? [];
  if (!/\d\s*[-+*/]\s*[\d(]|\)\s*[-+*/]/.test(found) || words.length > mostWords) return undefined;
  const expression = new FormulaReader(found.match(/\d+(?:\.\d+)?|[-+*/()]/g) ?? []).read();
  return expression !== undefined && Number.isFinite(evaluate(expression)) ? expression : undefined;
}

class FormulaReader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  /** Undefined when the tokens are not one whole expression. */
  read(): Expression | undefined {
    const expression = this.#sum();
    return this.#at === this.#tokens.length ? expression : undefined;
  }

  #sum(): Expression | undefined {
    return this.#chain(['+', '-'], () => this.#product());
  }

  #product(): Expression | undefined {
    return this.#chain(['*', '/'], () => this.#factor());
  }

  #chain(operators: readonly Operator[], operand: () => Expression | undefined): Expression | undefined {
    let left = operand();
    for (;;) {
      const operator = operators.find((sign) => sign === this.#tokens[this.#at]);
      if (left === undefined || operator === undefined) return left;
      this.#at++;
      const right = operand();
      left = right && operation(operator, left, right);
    }
  }

  #factor(): Expression | undefined {
    const token = this.#tokens[this.#at++];
    if (token === '-') {
      const operand = this.#factor();
      return operand && operation('-', number(0), operand);
    }
    if (token !== '(') return token !== undefined && /^\d/.test(token) ? number(Number(token)) : undefined;
    const inner = this.#sum();
    return this.#tokens[this.#at++] === ')' ? inner : undefined;
  }
}
