import { quoted } from '../../../configs/core/interpolation/pythonText.ts';

/** Returns Python's `str` of a JSON value. Whole numbers are treated as integers. */
export function pythonValue(value: unknown): string {
  return typeof value === 'string' ? value : written(value);
}

function written(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, field]) => `${quoted(key)}: ${written(field)}`)
    .join(', ')}}`;
}
