/** Numbers, times and names as people read them. What is unknown is an en dash. */

export const unknown = '–';

const whole = new Intl.NumberFormat('en-US');

/** E.g. `12,345`. */
export function count(value: number): string {
  return whole.format(value);
}

/** E.g. `1 call`, `12 calls`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** At most three decimals, e.g. `0.667`, `1`. */
export function reward(value: number | null): string {
  if (value === null) return unknown;
  return String(Math.round(value * 1000) / 1000).replace('-', '−');
}

/** Of a fraction, e.g. `34 %`. A little is not nothing, and nearly all is not all. */
export function percent(fraction: number | null): string {
  if (fraction === null || Number.isNaN(fraction)) return unknown;
  if (fraction > 0 && fraction < 0.005) return '< 1 %';
  if (fraction < 1 && fraction > 0.995) return '> 99 %';
  return `${Math.round(fraction * 100)} %`;
}

/** `part` of `all` as {@link percent}; unknown of nothing. */
export function share(part: number, all: number): string {
  return percent(all === 0 ? null : part / all);
}

/** E.g. `8 ms`, `0.42 s`, `12.3 s`, `2 min 05 s`. */
export function duration(seconds: number | null): string {
  if (seconds === null) return unknown;
  if (seconds < 0.1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const all = Math.round(seconds);
  return `${Math.floor(all / 60)} min ${String(all % 60).padStart(2, '0')} s`;
}

/** E.g. `−0.123`. */
export function logprob(value: number | null): string {
  return value === null ? 'no logprob' : value.toFixed(3).replace('-', '−');
}

export function moment(milliseconds: number): string {
  return new Date(milliseconds).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

/** The last part of a path of either platform. */
export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

/** JSON with indentation; what is no JSON stays as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text; // shown as it was sent
  }
}
