/** The column types of pandas' `read_csv`, derived from the cells of the first rows. */

const notAvailable = new Set([
  '',
  '#N/A',
  '#N/A N/A',
  '#NA',
  '-1.#IND',
  '-1.#QNAN',
  '-NaN',
  '-nan',
  '1.#IND',
  '1.#QNAN',
  '<NA>',
  'N/A',
  'NA',
  'NULL',
  'NaN',
  'None',
  'n/a',
  'nan',
  'null',
]);

const truths: Readonly<Record<string, boolean>> = {
  True: true,
  TRUE: true,
  true: true,
  False: false,
  FALSE: false,
  false: false,
};

/** Reads a cell as a JSON value; undefined: it is not of the column's type. */
export type ReadCell = (cell: string) => unknown;

export interface ColumnType {
  /** For messages, e.g. `a number`. */
  readonly name: string;
  readonly read: ReadCell;
}

const whole = /^[ \t]*[+-]?\d+[ \t]*$/;
const decimal = /^[ \t]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ \t]*$/;
const infinite = /^[ \t]*([+-]?)inf(?:inity)?[ \t]*$/i;

const wholeNumbers: ColumnType = {
  name: 'a whole number',
  read: (cell) => (whole.test(cell) ? exact(BigInt(unsigned(cell))) : undefined),
};
const numbers: ColumnType = { name: 'a number', read: readNumber };
const booleans: ColumnType = {
  name: 'true or false',
  read: (cell) => (Object.hasOwn(truths, cell) ? truths[cell] : undefined),
};
const texts: ColumnType = { name: 'a text', read: (cell) => cell };

/**
 * The first type that fits all cells that are not "NA" and the like: whole numbers, numbers, booleans, texts. As in
 * pandas, whole numbers are counted as floats where a cell is missing.
 */
export function columnType(cells: readonly string[]): ColumnType {
  const present = cells.filter((cell) => !notAvailable.has(cell));
  const isComplete = present.length === cells.length;
  const fits = ({ read }: ColumnType): boolean => present.every((cell) => read(cell) !== undefined);
  if (present.length > 0 && fits(wholeNumbers)) return integerType(present, isComplete);
  return nullable([numbers, booleans].find(fits) ?? texts);
}

/** Returns the type of a column of integers. pandas keeps integers beyond 64 bits, signed or not, as strings. */
function integerType(cells: readonly string[], isComplete: boolean): ColumnType {
  const values = cells.map((cell) => BigInt(unsigned(cell)));
  const lie = (from: bigint, to: bigint): boolean => values.every((value) => value >= from && value < to);
  if (lie(-(2n ** 63n), 2n ** 63n)) return nullable(isComplete ? wholeNumbers : numbers);
  if (!lie(-(2n ** 63n), 2n ** 64n)) return nullable(texts);
  // With a sign or a gap among them, even "NA" is a text.
  return isComplete && lie(0n, 2n ** 64n) ? nullable(wholeNumbers) : texts;
}

function nullable({ name, read }: ColumnType): ColumnType {
  return { name, read: (cell) => (notAvailable.has(cell) ? null : read(cell)) };
}

function unsigned(cell: string): string {
  return cell.trim().replace(/^\+/, '');
}

/** A text where a number would not hold all digits. */
function exact(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/**
 * Reads a number as pandas does: at most 17 digits, scaled by one power of ten. The result may differ from the nearest
 * number in the last place.
 */
function readNumber(cell: string): number | string | undefined {
  const sign = infinite.exec(cell)?.[1];
  if (sign !== undefined) return sign === '-' ? '-Infinity' : 'Infinity';
  if (!decimal.test(cell)) return undefined;
  const parts = /([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?/.exec(cell.trim());
  const [, minus = '', before = '', after = '', power = '0'] = parts ?? [];
  const digits = `${before}${after}`;
  const used = digits.slice(0, 17);
  const decimals = Math.max(0, used.length - before.length);
  const skipped = Math.max(0, before.length - 17);
  let value = 0;
  for (const digit of used) value = value * 10 + Number(digit);
  const scaled = scale(value, skipped - decimals + Number(power));
  return minus === '-' ? -scaled : scaled;
}

function scale(value: number, exponent: number): number {
  if (exponent > 308) return value === 0 ? 0 : Infinity;
  if (exponent >= 0) return value * Number(`1e${exponent}`);
  if (exponent >= -308) return value / Number(`1e${-exponent}`);
  return value / Number(`1e${Math.min(308, -308 - exponent)}`) / 1e308;
}
