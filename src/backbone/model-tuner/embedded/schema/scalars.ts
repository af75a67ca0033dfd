import { numberOf } from './jsonSchema.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** A number within the schema's bounds: the suggested one when it fits, else one near its lower bound. */
export function produceNumber(
  schema: Keywords,
  type: 'integer' | 'number',
  suggested: number | undefined,
  attempt: number,
): number | undefined {
  const step = numberOf(schema['multipleOf']) ?? (type === 'integer' ? 1 : undefined);
  const bounds = readBounds(schema);
  const onGrid = step === undefined ? undefined : type === 'integer' && !Number.isInteger(step) ? 1 : step;
  if (attempt === 0 && suggested !== undefined && isWithin(suggested, bounds)) {
    if (onGrid === undefined || Number.isInteger(suggested / onGrid)) return suggested;
  }
  if (onGrid !== undefined) return onGridWithin(bounds, onGrid, attempt);
  return betweenBounds(bounds, attempt);
}

interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly openLow: boolean;
  readonly openHigh: boolean;
}

function readBounds(schema: Keywords): Bounds {
  const minimum = numberOf(schema['minimum']) ?? -Infinity;
  const above = numberOf(schema['exclusiveMinimum']) ?? -Infinity;
  const maximum = numberOf(schema['maximum']) ?? Infinity;
  const below = numberOf(schema['exclusiveMaximum']) ?? Infinity;
  return {
    low: Math.max(minimum, above),
    high: Math.min(maximum, below),
    openLow: above >= minimum && above !== -Infinity,
    openHigh: below <= maximum && below !== Infinity,
  };
}

function isWithin(value: number, { low, high, openLow, openHigh }: Bounds): boolean {
  return (openLow ? value > low : value >= low) && (openHigh ? value < high : value <= high);
}

function onGridWithin(bounds: Bounds, step: number, attempt: number): number | undefined {
  const start =
    bounds.low === -Infinity ? Math.min(0, Math.floor(bounds.high / step)) : Math.ceil(bounds.low / step);
  const upwards = bounds.low !== -Infinity || bounds.high === Infinity;
  // From zero upwards where zero is allowed; else from the bound inwards.
  const first = isWithin(0, bounds) ? 0 : start;
  for (let count = 0; count < 3; count++) {
    const value = Number(((first + (upwards ? 1 : -1) * (count + attempt)) * step).toPrecision(15));
    if (isWithin(value, bounds)) return value;
  }
  return undefined;
}

function betweenBounds({ low, high, openLow, openHigh }: Bounds, attempt: number): number {
  if (low === -Infinity && high === Infinity) return attempt + 1;
  if (low === -Infinity) return openHigh ? high - attempt - 1 : high - attempt;
  if (high === Infinity) return openLow ? low + attempt + 1 : low + attempt;
  return !openLow && attempt === 0 ? low : low + ((high - low) * (attempt + 1)) / (attempt + 2);
}

const formats: Readonly<Record<string, string>> = {
  date: '2024-05-17',
  time: '09:30:00Z',
  'date-time': '2024-05-17T09:30:00Z',
  duration: 'PT1H',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  regex: '.*',
  'json-pointer': '',
};

/** A text of an allowed length; `format` decides where it is known. Later attempts differ from earlier ones. */
export function produceString(schema: Keywords, suggested: string, attempt: number): string {
  const format = schema['format'];
  const known = typeof format === 'string' ? formats[format] : undefined;
  const base = known ?? (attempt === 0 ? suggested : `${suggested} ${String(attempt + 1)}`);
  const least = numberOf(schema['minLength']) ?? 0;
  const most = numberOf(schema['maxLength']) ?? Infinity;
  const characters = Array.from(base);
  while (characters.length < Math.min(least, 100_000))
    characters.push('abcdefghij'[(characters.length + attempt) % 10] ?? '');
  if (characters.length <= most) return characters.join('');
  const ending = attempt === 0 ? [] : Array.from(String(attempt)).slice(0, most);
  return [...characters.slice(0, most - ending.length), ...ending].join('');
}
