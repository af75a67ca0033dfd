const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** e.g. `812 B`, `3.4 MB`; units of 1000, as disks are sold. */
export function sizeText(bytes: number, decimals = 1): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1_000 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : decimals)} ${units[power] ?? ''}`;
}
