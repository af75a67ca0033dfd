const months = 'January February March April May June July August September October November December'.split(
  ' ',
);
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

const two = (value: number): string => String(value).padStart(2, '0');

const directives: Readonly<Record<string, (time: Date) => string>> = {
  Y: (time) => String(time.getFullYear()),
  y: (time) => two(time.getFullYear() % 100),
  m: (time) => two(time.getMonth() + 1),
  d: (time) => two(time.getDate()),
  B: (time) => months[time.getMonth()] ?? '',
  b: (time) => (months[time.getMonth()] ?? '').slice(0, 3),
  A: (time) => days[time.getDay()] ?? '',
  a: (time) => (days[time.getDay()] ?? '').slice(0, 3),
  H: (time) => two(time.getHours()),
  I: (time) => two(time.getHours() % 12 || 12),
  M: (time) => two(time.getMinutes()),
  S: (time) => two(time.getSeconds()),
  p: (time) => (time.getHours() < 12 ? 'AM' : 'PM'),
  '%': () => '%',
};

/** Formats local time like Python's `strftime` in the C locale. Keeps directives that chat templates do not use. */
export function strftime(time: Date, format: string): string {
  return format.replace(/%(.)/g, (whole, letter: string) => directives[letter]?.(time) ?? whole);
}
