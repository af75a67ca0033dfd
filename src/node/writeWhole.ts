import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** Writes a file for its owner alone, so that it is there whole or as it was before, whenever the process is killed. */
export function writeWhole(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.${process.pid}.part`;
  const descriptor = openSync(part, 'w', 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  renameSync(part, file);
}
