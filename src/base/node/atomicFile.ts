/** Writes files atomically, also across power loss, with access only for their owner. Their folders must exist. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { attempt } from '../core/attempt.ts';
import { hasCode } from '../core/errors.ts';
import { readRegular } from './regularFile.ts';

export async function writeFileAtomic(file: string, content: string | Uint8Array): Promise<void> {
  const part = partOf(file);
  try {
    const handle = await open(part, 'w', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  const folder = await open(path.dirname(file), 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined); // not supported on every system
  await folder?.close();
}

/** The synchronous form, for program start and rare changes. */
export function writeFileAtomicSync(file: string, text: string): void {
  const part = partOf(file);
  try {
    withDescriptor(part, 'w', (descriptor) => {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
  attempt(() => withDescriptor(path.dirname(file), 'r', fsyncSync)); // not supported on every system
}

/** Reads a JSON file. Resolves to undefined if it does not exist, is not a regular file, or is not valid JSON. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse((await readRegular(file)).toString('utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EISDIR', 'EFTYPE', 'EFBIG') || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
}

/**
 * Reads a JSON file. Returns undefined if it does not exist.
 *
 * @param unreadable returns the error for a file that cannot be read or has another shape
 */
export function decodeFileSync<T>(
  file: string,
  schema: { parse(json: unknown): T },
  unreadable: (file: string, cause: unknown) => Error,
): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return undefined;
    throw unreadable(file, cause);
  }
}

function partOf(file: string): string {
  return `${file}.${process.pid}.part`;
}

function withDescriptor(file: string, flags: string, use: (descriptor: number) => void): void {
  const descriptor = openSync(file, flags, 0o600);
  try {
    use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
