/** `isoformat()` of a moment that Arrow counts in nanoseconds since 1970. */
export function isoMoment(nanoseconds: bigint, isUtc: boolean): string {
  const second = floorDivide(nanoseconds, 1_000_000_000n);
  const fraction = nanoseconds - second * 1_000_000_000n;
  const date = isoDate(Number(floorDivide(second, 86_400n)));
  const time = isoTime(second - floorDivide(second, 86_400n) * 86_400n, fraction);
  return `${date}T${time}${isUtc ? '+00:00' : ''}`;
}

/** `isoformat()` of a time of day. */
export function isoTime(seconds: bigint, nanoseconds: bigint): string {
  const part = (value: bigint): string => String(value).padStart(2, '0');
  const whole = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n].map(part).join(':');
  if (nanoseconds === 0n) return whole;
  const digits = String(nanoseconds).padStart(9, '0');
  return `${whole}.${digits.endsWith('000') ? digits.slice(0, 6) : digits}`;
}

/** `isoformat()` of a day since 1970. */
export function isoDate(days: number): string {
  const date = new Date(days * 86_400_000);
  const year = String(date.getUTCFullYear()).padStart(4, '0');
  return `${year}-${String(date.getUTCMonth() + 1).padStart(2, '0')}-${String(date.getUTCDate()).padStart(2, '0')}`;
}

export function decimalText(unscaled: bigint, scale: number): string {
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  // Python writes what is smaller than this with an exponent.
  const significant = String(unscaled < 0n ? -unscaled : unscaled);
  if (scale - significant.length >= 6) {
    const [head = '0', ...rest] = significant;
    const tail = rest.length === 0 ? '' : `.${rest.join('')}`;
    return `${sign}${head}${tail}E-${scale - significant.length + 1}`;
  }
  if (scale <= 0) return `${sign}${digits}`;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}
