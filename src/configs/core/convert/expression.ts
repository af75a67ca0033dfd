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
import { childrenOf, parsePython, partsOf, type ParsedText, type SyntaxNode } from '../code/syntaxTree.ts';

/** A Python expression over paths of a config. */
export interface CompiledExpression {
  /** The paths, each once, in their order. */
  readonly sources: readonly string[];
  /** Computes the expression from the values of `sources`. Throws an {@link EvaluationError} where Python raises. */
  readonly compute: (...values: PythonNumber[]) => PythonNumber;
}

/** Knows `+`, `-`, `*`, `/`, `//`, `min` and `max`. Of another expression, only the paths are known. */
export function compileExpression(text: string): CompiledExpression {
  const sources = [...new Set(text.match(/[a-z_]\w*(?:\.\w+)+/gi))];
  let parsed: ParsedText | undefined;
  const compute = (...values: PythonNumber[]): PythonNumber => {
    if (text.length > longest) throw unknownExpression();
    // The built-in expressions are in tables that are made at the start.
    parsed ??= parsePython(text);
    const [statement, ...others] = childrenOf(parsed.tree.topNode);
    if (statement === undefined || others.length > 0) throw unknownExpression();
    const [expression, ...more] = childrenOf(statement);
    if (expression === undefined || more.length > 0) throw unknownExpression();
    const known = new Map(sources.map((source, at) => [source, values[at] ?? int(0n)]));
    return valueOf(expression, text, known);
  };
  return { sources, compute };
}

/** In characters. A table of a clone could nest brackets without end. */
const longest = 1_000;

const functions: Readonly<Record<string, (numbers: readonly PythonNumber[]) => PythonNumber>> = {
  min: (numbers) => numbers.reduce((least, one) => (compareNumbers(one, least) < 0 ? one : least)),
  max: (numbers) => numbers.reduce((most, one) => (compareNumbers(one, most) > 0 ? one : most)),
};
const operators: readonly BinaryOperator[] = ['+', '-', '*', '/', '//'];

function valueOf(node: SyntaxNode, text: string, known: ReadonlyMap<string, PythonNumber>): PythonNumber {
  const own = (one: SyntaxNode | undefined): string => (one ? text.slice(one.from, one.to) : '');
  const value = (one: SyntaxNode | undefined): PythonNumber => {
    if (one === undefined) throw unknownExpression();
    return valueOf(one, text, known);
  };
  const [first, second, third] = childrenOf(node);
  switch (node.name) {
    case 'ParenthesizedExpression':
      return value(second);
    case 'BinaryExpression': {
      const operator = operators.find((one) => one === own(second));
      if (operator === undefined) throw unknownExpression();
      return calculate(operator, value(first), value(third));
    }
    case 'UnaryExpression':
      if (own(first) !== '-') throw unknownExpression();
      return negate(value(second));
    case 'CallExpression': {
      const name = own(first);
      const apply = Object.hasOwn(functions, name) ? functions[name] : undefined;
      const operands = second === undefined ? [] : partsOf(second);
      if (apply === undefined || operands.length < 2) throw unknownExpression();
      return apply(operands.map(([operand]) => value(operand)));
    }
    case 'Number':
      if (/^\d+$/.test(own(node))) return int(BigInt(own(node)));
      if (/^\d+\.\d+$/.test(own(node))) return float(Number(own(node)));
      throw unknownExpression();
    default: {
      const found = known.get(own(node));
      if (found === undefined) throw unknownExpression();
      return found;
    }
  }
}

function unknownExpression(): EvaluationError {
  return new EvaluationError('AgentJet for VS Code does not know this expression');
}
