import { statSync } from 'node:fs';

/** Suffixes of the files that SQLite needs to read a database. */
export const companions: readonly string[] = ['-wal', '-journal'];

export function partsOf(file: string): readonly string[] {
  return ['', ...companions].map((companion) => file + companion);
}

export function sizeOf(file: string): number {
  return statsOf(file).reduce((sum, { size }) => sum + size, 0);
}

/** Returns the time of the last write, in milliseconds since the Unix epoch. */
export function changedAt(file: string): number {
  return Math.max(0, ...statsOf(file).map(({ mtimeMs }) => mtimeMs));
}

/** Returns a value that changes when the file is written. */
export function stampOf(file: string): string {
  return statsOf(file)
    .map(({ size, mtimeMs }) => `${size} ${mtimeMs}`)
    .join(' ');
}

function statsOf(file: string): readonly { readonly size: number; readonly mtimeMs: number }[] {
  return partsOf(file).flatMap((part) => statSync(part, { throwIfNoEntry: false }) ?? []);
}
