/**
 * Arithmetic as Python's `eval` does it, for expressions of digits, `+ - * / ( ) .` and blanks, which are all that the
 * countdown judge lets through. An error of any kind, a SyntaxError or one of computing, is one and the same here.
 */
import {
  asFloat,
  calculate,
  float,
  int,
  negate,
  EvaluationError,
  type BinaryOperator,
  type PythonNumber,
} from '../../../base/core/pythonNumbers.ts';

type Value = PythonNumber | Complex;

/** Python's own limit for parentheses; signs and powers nest as deep here. */
const deepest = 200;
/** Python reads no integer of more digits. */
const mostDigits = 4300;

/** `abs(eval(expression) - target)`; undefined where Python raises. Numbers beyond 65,536 bits are given up. */
export function distanceTo(expression: string, target: number): number | undefined {
  try {
    const wanted = Number.isInteger(target) ? int(BigInt(target)) : float(target);
    return size(combine('-', new Reader(tokensOf(expression)).whole(), wanted));
  } catch (error) {
    if (error instanceof EvaluationError) return undefined;
    throw error;
  }
}

/** Blanks go, and line ends where they may stand: in parentheses, before and behind all. An indented line is an error. */
function tokensOf(expression: string): string[] {
  // `eval` drops blanks at the very beginning; lines of nothing but blanks count nowhere.
  const text = expression
    .replace(/\r\n?/g, '\n')
    .replace(/^[ \t]+/, '')
    .replace(/^(?:[ \t\f]*\n)+/, '');
  const indent = /^[ \t\f]*/.exec(text)?.[0] ?? '';
  // A last line without an end counts as indented, though there is nothing on it.
  if (/[ \t]$/.test(indent) || /\n[ \t\f]*[ \t]$/.test(text)) throw new EvaluationError('unexpected indent');
  const tokens = text.match(/\d+\.?\d*|\.\d+|\*\*|\/\/|[-+*/().\n]|[^ \t\f]/g) ?? [];
  return withoutLineEnds(tokens);
}

function withoutLineEnds(tokens: readonly string[]): string[] {
  const kept: string[] = [];
  let depth = 0;
  let ended = false;
  for (const token of tokens) {
    if (token === '\n') {
      ended ||= depth === 0;
      continue;
    }
    if (ended) throw new EvaluationError('a second line');
    if (token === '(' && ++depth > deepest) throw new EvaluationError('too many nested parentheses');
    if (token === ')') depth -= 1;
    kept.push(token);
  }
  return kept;
}

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  whole(): Value {
    const value = this.#sum();
    if (this.#at < this.#tokens.length) throw new EvaluationError('invalid syntax');
    return value;
  }

  #sum(): Value {
    return this.#chain(['+', '-'], () => this.#product());
  }

  #product(): Value {
    return this.#chain(['*', '/', '//'], () => this.#signed());
  }

  #chain(operators: readonly BinaryOperator[], next: () => Value): Value {
    let value = next();
    for (;;) {
      const operator = operators.find((one) => this.#take(one));
      if (operator === undefined) return value;
      value = combine(operator, value, next());
    }
  }

  #signed(): Value {
    if (this.#take('+')) return this.#deeper(() => this.#signed());
    if (this.#take('-')) return negated(this.#deeper(() => this.#signed()));
    const base = this.#atom();
    return this.#take('**')
      ? combine(
          '**',
          base,
          this.#deeper(() => this.#signed()),
        )
      : base;
  }

  /** A tuple, a call and an ellipsis are syntax, too, but whatever is done with them ends in an error. */
  #atom(): Value {
    if (!this.#take('(')) return literal(this.#tokens[this.#at++] ?? '');
    const value = this.#sum();
    if (!this.#take(')')) throw new EvaluationError('never closed');
    return value;
  }

  #deeper(read: () => Value): Value {
    this.#depth += 1;
    if (this.#depth > deepest * 5) throw new EvaluationError('too deep');
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }
}

/** A zero may lead a float and another zero, but no other integer. */
function literal(token: string): Value {
  if (/^(?:0+|[1-9]\d*)$/.test(token) && token.length <= mostDigits) return int(BigInt(token));
  if (/^(?:\d+\.\d*|\.\d+)$/.test(token)) return float(Number(token));
  throw new EvaluationError('no number');
}

function combine(operator: BinaryOperator, left: Value, right: Value): Value {
  const isReal = left.kind !== 'complex' && right.kind !== 'complex';
  if (isReal && !(operator === '**' && isComplexPower(left, right))) return calculate(operator, left, right);
  return ofComplex[operator](toComplex(left), toComplex(right));
}

const ofComplex: Readonly<Record<BinaryOperator, (a: Complex, b: Complex) => Complex>> = {
  '+': addComplex,
  '-': (a, b) => addComplex(a, negatedComplex(b)),
  '*': multiplyComplex,
  '/': divideComplex,
  '**': powerComplex,
  '//': () => {
    throw new EvaluationError('a complex number has no floor');
  },
};

function isComplexPower(base: PythonNumber, exponent: PythonNumber): boolean {
  const [below, above] = [Number(base.value), Number(exponent.value)];
  return below < 0 && Number.isFinite(below) && Number.isFinite(above) && !Number.isInteger(above);
}

function negated(value: Value): Value {
  return value.kind === 'complex' ? negatedComplex(value) : negate(value);
}

function negatedComplex({ re, im }: Complex): Complex {
  return { kind: 'complex', re: -re, im: -im };
}

function toComplex(value: Value): Complex {
  return value.kind === 'complex' ? value : { kind: 'complex', re: asFloat(value), im: 0 };
}

function size(value: Value): number {
  return value.kind === 'complex' ? Math.hypot(value.re, value.im) : Math.abs(Number(value.value));
}

export interface Complex {
  readonly kind: 'complex';
  readonly re: number;
  readonly im: number;
}

export function addComplex(a: Complex, b: Complex): Complex {
  return complex(a.re + b.re, a.im + b.im);
}

export function multiplyComplex(a: Complex, b: Complex): Complex {
  return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

/** Scaled by the divisor's larger part, so that its square does not overflow. */
export function divideComplex(a: Complex, b: Complex): Complex {
  if (b.re === 0 && b.im === 0) throw new EvaluationError('division by zero');
  if (Math.abs(b.re) >= Math.abs(b.im)) {
    const ratio = b.im / b.re;
    const scale = b.re + b.im * ratio;
    return complex((a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale);
  }
  const ratio = b.re / b.im;
  const scale = b.re * ratio + b.im;
  return complex((a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale);
}

export function powerComplex(base: Complex, exponent: Complex): Complex {
  if (exponent.re === 0 && exponent.im === 0) return complex(1, 0);
  if (base.re === 0 && base.im === 0) {
    if (exponent.im !== 0 || exponent.re < 0)
      throw new EvaluationError('zero is raised to a negative or complex power');
    return complex(0, 0);
  }
  const length = Math.hypot(base.re, base.im);
  const angle = Math.atan2(base.im, base.re);
  const phase = angle * exponent.re + exponent.im * Math.log(length);
  const size = length ** exponent.re / Math.exp(angle * exponent.im);
  const [re, im] = [size * Math.cos(phase), size * Math.sin(phase)];
  if (!Number.isFinite(re) || !Number.isFinite(im))
    throw new EvaluationError('a power in it is too large for a float');
  return complex(re, im);
}

function complex(re: number, im: number): Complex {
  return { kind: 'complex', re, im };
}
