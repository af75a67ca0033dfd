/**
 * The types of plain scalars. Upstream reads configs with PyYAML under OmegaConf's resolvers: YAML 1.1 booleans and
 * integers, but `1e-6` is a number and dates stay text.
 */
export type ScalarType = 'null' | 'boolean' | 'integer' | 'float' | 'string';
export type ScalarValue = null | boolean | number | string;

export interface Scalar {
  readonly type: ScalarType;
  readonly value: ScalarValue;
}

const trueWords = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const falseWords = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const nullWords = /^(?:~|null|Null|NULL|)$/;
const integer = /^[-+]?(?:0b[0-1_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const floatForms = [
  '[-+]?[0-9]+(?:_[0-9]+)*\\.[0-9_]*(?:[eE][-+]?[0-9]+)?',
  '[-+]?[0-9]+(?:_[0-9]+)*[eE][-+]?[0-9]+',
  '[-+]?[0-9][0-9_]*\\.[0-9_]*(?:[eE][-+][0-9]+)?',
  '\\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?',
  '[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\\.[0-9_]*',
  '[-+]?\\.(?:inf|Inf|INF)',
  '\\.(?:nan|NaN|NAN)',
];
const float = new RegExp(`^(?:${floatForms.join('|')})$`);

export function resolvePlain(source: string): Scalar {
  if (nullWords.test(source)) return { type: 'null', value: null };
  if (trueWords.test(source)) return { type: 'boolean', value: true };
  if (falseWords.test(source)) return { type: 'boolean', value: false };
  if (integer.test(source)) return { type: 'integer', value: readInteger(source) };
  if (float.test(source)) return { type: 'float', value: readFloat(source) };
  return { type: 'string', value: source };
}

function readInteger(source: string): number {
  const { sign, digits } = unsigned(source);
  if (digits.startsWith('0b')) return sign * parseInt(digits.slice(2), 2);
  if (digits.startsWith('0x')) return sign * parseInt(digits.slice(2), 16);
  if (/^0[0-7]+$/.test(digits)) return sign * parseInt(digits, 8);
  return sign * readSexagesimal(digits);
}

function readFloat(source: string): number {
  const { sign, digits } = unsigned(source.toLowerCase());
  if (digits === '.inf') return sign * Infinity;
  if (digits === '.nan') return NaN;
  return sign * readSexagesimal(digits);
}

function unsigned(source: string): { sign: 1 | -1; digits: string } {
  const sign = source.startsWith('-') ? -1 : 1;
  return { sign, digits: source.replace(/^[-+]/, '').replaceAll('_', '') };
}

/** `1:30` is 90. */
function readSexagesimal(digits: string): number {
  return digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** Returns Python's text of a scalar, for interpolations inside a text. */
export function pythonText({ type, value }: Scalar): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (type === 'float' && typeof value === 'number') return pythonFloat(value);
  return String(value);
}

function pythonFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return value.toExponential().replace(/e([-+])(\d)$/, 'e$10$2');
  }
  if (Object.is(value, -0)) return '-0.0';
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
