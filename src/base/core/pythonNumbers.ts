/**
 * A number of Python: an integer of any size or a float. `bool` counts as an integer. Results are exactly those of
 * Python 3. Operations that raise in Python, or would not be exact here, throw an {@link EvaluationError}.
 */
export type PythonNumber =
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number };

/** The reason why an expression has no value. The evaluator catches it. */
export class EvaluationError extends Error {}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '**';

/** The largest size of an integer in bits. Larger results are errors, to save time. */
const largestBits = 2 ** 16;

export function int(value: bigint): PythonNumber {
  return { kind: 'int', value };
}

export function float(value: number): PythonNumber {
  return { kind: 'float', value };
}

export function calculate(operator: BinaryOperator, left: PythonNumber, right: PythonNumber): PythonNumber {
  if (left.kind === 'int' && right.kind === 'int') return ofIntegers[operator](left.value, right.value);
  return float(ofFloats[operator](asFloat(left), asFloat(right)));
}

export function negate(number: PythonNumber): PythonNumber {
  return number.kind === 'int' ? int(-number.value) : float(-number.value);
}

/** Compares exactly, also an integer with a float. Returns NaN where one of them is NaN. */
export function compareNumbers(left: PythonNumber, right: PythonNumber): number {
  if (left.value < right.value) return -1;
  if (left.value > right.value) return 1;
  // oxlint-disable-next-line eqeqeq -- an integer and a float are compared by value
  return left.value == right.value ? 0 : NaN;
}

export function asFloat(number: PythonNumber): number {
  if (number.kind === 'float') return number.value;
  const value = Number(number.value);
  if (!Number.isFinite(value)) throw new EvaluationError('an integer is too large for a float');
  return value;
}

const ofIntegers: Readonly<Record<BinaryOperator, (left: bigint, right: bigint) => PythonNumber>> = {
  '+': (left, right) => int(left + right),
  '-': (left, right) => int(left - right),
  '*': (left, right) => int(bounded(left * right)),
  '/': (left, right) => float(quotient(left, right)),
  '//': (left, right) => int(floorDivision(left, right)),
  '**': power,
};

const ofFloats: Readonly<Record<BinaryOperator, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / nonZero(right),
  '//': floorQuotient,
  '**': floatPower,
};

function nonZero<T extends number | bigint>(divisor: T): T {
  if (Number(divisor) === 0) throw new EvaluationError('division by zero');
  return divisor;
}

function bounded(value: bigint): bigint {
  if (bitLength(value) > largestBits) throw new EvaluationError('a number in it grows too large');
  return value;
}

function bitLength(value: bigint): number {
  return magnitude(value).toString(16).length * 4;
}

function floorDivision(left: bigint, right: bigint): bigint {
  const truncated = left / nonZero(right);
  return left % right !== 0n && left < 0n !== right < 0n ? truncated - 1n : truncated;
}

/** Returns the exact quotient of two integers, rounded once. */
function quotient(left: bigint, right: bigint): number {
  nonZero(right);
  // An integer has no negative zero.
  if (left === 0n) return 0;
  const [over, under] = [magnitude(left), magnitude(right)];
  // Enough bits for correct rounding, with the remainder as the last bit.
  const shift = BigInt(Math.max(0, 64 + bitLength(under) - bitLength(over)));
  const scaled = (over << shift) / under;
  const rest = scaled * under === over << shift ? 0n : 1n;
  const size = scaleDown(Number(scaled | rest), Number(shift));
  if (!Number.isFinite(size)) throw new EvaluationError('a quotient is too large for a float');
  return left < 0n === right < 0n ? size : -size;
}

/** Returns `value / 2 ** bits`, also if `2 ** bits` overflows a float. */
function scaleDown(value: number, bits: number): number {
  let [scaled, left] = [value, bits];
  for (; left > 1000; left -= 1000) scaled /= 2 ** 1000;
  return scaled / 2 ** left;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function power(base: bigint, exponent: bigint): PythonNumber {
  if (exponent < 0n) return float(floatPower(asFloat(int(base)), asFloat(int(exponent))));
  const small = base >= -1n && base <= 1n;
  if (!small && BigInt(bitLength(base)) * exponent > BigInt(largestBits)) {
    throw new EvaluationError('a number in it grows too large');
  }
  return int(small && exponent > 1n ? base ** (exponent % 2n === 0n ? 2n : 3n) : base ** exponent);
}

function floatPower(base: number, exponent: number): number {
  if (base === 0 && exponent < 0) throw new EvaluationError('zero is raised to a negative power');
  if (base === 1) return 1;
  // Python follows C in this case and the one above; JavaScript does not.
  if (base === -1 && !Number.isFinite(exponent) && !Number.isNaN(exponent)) return 1;
  if (base < 0 && Number.isFinite(base) && Number.isFinite(exponent) && !Number.isInteger(exponent)) {
    throw new EvaluationError('a fractional power of a negative number is complex');
  }
  const value = base ** exponent;
  if (!Number.isFinite(value) && Number.isFinite(base) && Number.isFinite(exponent)) {
    throw new EvaluationError('a power in it is too large for a float');
  }
  return value;
}

/** Returns `left // right` with the signed zeros of CPython. */
function floorQuotient(left: number, right: number): number {
  const remainder = left % nonZero(right);
  let division = (left - remainder) / right;
  if (remainder !== 0 && right < 0 !== remainder < 0) division -= 1;
  if (division === 0) return copySign(0, left / right);
  const floor = Math.floor(division);
  return division - floor > 0.5 ? floor + 1 : floor;
}

function copySign(size: number, sign: number): number {
  return sign < 0 || Object.is(sign, -0) ? -size : size;
}
