import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A file as it was when its sum was made. */
export interface Summed {
  readonly path: string;
  readonly stamp: string;
  readonly sha256: string;
}

const header = 'agentjet sums 1';
const line = /^([0-9a-f]{64}) (\S+) (.+)$/;

/** By path. What cannot be read, or is of another folder, is as none. */
export async function readSums(file: string | null, root: string): Promise<ReadonlyMap<string, Summed>> {
  const sums = new Map<string, Summed>();
  const text = file === null ? '' : await readFile(file, 'utf8').catch(() => '');
  const [first, ofRoot, ...lines] = text.split('\n');
  if (first !== header || ofRoot !== JSON.stringify(root)) return sums;
  for (const one of lines) {
    const [, sha256, stamp, name] = line.exec(one) ?? [];
    if (sha256 !== undefined && stamp !== undefined && name !== undefined) {
      sums.set(name, { path: name, stamp, sha256 });
    }
  }
  return sums;
}

/** Whole or not at all. Failing costs no more than the next sync's time. */
export async function writeSums(file: string, root: string, sums: Iterable<Summed>): Promise<void> {
  const beside = `${file}.${process.pid}.new`;
  const lines = Array.from(sums, ({ path: name, stamp, sha256 }) => `${sha256} ${stamp} ${name}`);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(beside, [header, JSON.stringify(root), ...lines, ''].join('\n'));
    await rename(beside, file);
  } catch {
    await rm(beside, { force: true });
  }
}
