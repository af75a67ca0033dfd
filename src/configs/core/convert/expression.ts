import {
  calculate,
  compareNumbers,
  EvaluationError,
  float,
  int,
  negate,
  type BinaryOperator,
  type PythonNumber,
} from '../../../base/core/pythonNumbers.ts';

/** A Python expression over paths of a config. */
export interface CompiledExpression {
  /** The paths, each once, in their order. */
  readonly sources: readonly string[];
  /** Computes the expression from the values of `sources`. Throws an {@link EvaluationError} where Python raises. */
  readonly compute: (...values: PythonNumber[]) => PythonNumber;
}

type Evaluate = (values: ReadonlyMap<string, PythonNumber>) => PythonNumber;

const functions: Readonly<Record<string, (numbers: readonly PythonNumber[]) => PythonNumber>> = {
  min: (numbers) => numbers.reduce((least, one) => (compareNumbers(one, least) < 0 ? one : least)),
  max: (numbers) => numbers.reduce((most, one) => (compareNumbers(one, most) > 0 ? one : most)),
};

/** Compiles `+`, `-`, `*`, `/`, `//`, `min` and `max`. Of another expression, only the paths are known. */
export function compileExpression(text: string): CompiledExpression {
  const sources = [...new Set(text.match(/[a-z_]\w*(?:\.\w+)+/gi))];
  const evaluate = new ExpressionParser(text).parse();
  const compute = (...values: PythonNumber[]): PythonNumber => {
    if (evaluate === undefined)
      throw new EvaluationError('AgentJet for VS Code does not know this expression');
    return evaluate(new Map(sources.map((source, at) => [source, values[at] ?? int(0n)])));
  };
  return { sources, compute };
}

const token = /\s*(?:(\d+\.\d+)|(\d+)|([a-z_][\w.]*)|(\/\/|[-+*/(),]))/gy;

class ExpressionParser {
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    let end = 0;
    for (const match of text.matchAll(token)) {
      this.#tokens.push(match[0].trim());
      end = match.index + match[0].length;
    }
    if (text.slice(end).trim() !== '') this.#tokens.length = 0;
  }

  /** Returns undefined for an expression of another kind. */
  parse(): Evaluate | undefined {
    const sum = this.#sum();
    return this.#at === this.#tokens.length ? sum : undefined;
  }

  #sum(): Evaluate | undefined {
    return this.#chain(['+', '-'], () => this.#product());
  }

  #product(): Evaluate | undefined {
    return this.#chain(['*', '/', '//'], () => this.#factor());
  }

  #chain(operators: readonly BinaryOperator[], operand: () => Evaluate | undefined): Evaluate | undefined {
    let left = operand();
    for (;;) {
      const operator = operators.find((one) => one === this.#tokens[this.#at]);
      if (operator === undefined || left === undefined) return left;
      this.#at += 1;
      const [first, second] = [left, operand()];
      left = second && ((values) => calculate(operator, first(values), second(values)));
    }
  }

  #factor(): Evaluate | undefined {
    const next = this.#tokens[this.#at];
    this.#at += 1;
    if (next === undefined) return undefined;
    if (next === '-') {
      const operand = this.#factor();
      return operand && ((values) => negate(operand(values)));
    }
    if (next === '(') return this.#closed(this.#sum());
    if (/^\d/.test(next)) {
      const number = next.includes('.') ? float(Number(next)) : int(BigInt(next));
      return () => number;
    }
    return Object.hasOwn(functions, next) ? this.#call(functions[next]) : this.#path(next);
  }

  #path(path: string): Evaluate | undefined {
    if (!path.includes('.')) return undefined;
    return (values) => values.get(path) ?? int(0n);
  }

  #call(apply: ((numbers: readonly PythonNumber[]) => PythonNumber) | undefined): Evaluate | undefined {
    if (apply === undefined || this.#tokens[this.#at] !== '(') return undefined;
    const operands: Evaluate[] = [];
    do {
      this.#at += 1;
      const operand = this.#sum();
      if (operand === undefined) return undefined;
      operands.push(operand);
    } while (this.#tokens[this.#at] === ',');
    return this.#closed((values) => apply(operands.map((operand) => operand(values))));
  }

  #closed(inside: Evaluate | undefined): Evaluate | undefined {
    if (this.#tokens[this.#at] !== ')') return undefined;
    this.#at += 1;
    return inside;
  }
}
