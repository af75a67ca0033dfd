/**
 * Opens and reads files whose paths come from outside AgentJet: from a trace, a config, a run or a snapshot. A pipe
 * would block the process, and a device such as `/dev/zero` would fill its memory.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

export interface RegularFileOptions {
  /** Defaults to 64 MiB for a whole file, and to no limit for `openRegular`. */
  readonly maxBytes?: number;
}

const largest = 64 * 2 ** 20;
const flags = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens a regular file for reading, without waiting for the writer of a pipe.
 *
 * @throws Error with the code of the system, `EFTYPE` for a device or pipe, or `EFBIG` above the limit
 */
export async function openRegular(file: string, options: RegularFileOptions = {}): Promise<FileHandle> {
  return (await opened(file, { maxBytes: Infinity, ...options })).handle;
}

/** Reads a whole file. Bytes that are added meanwhile are left out. Fails like {@link openRegular}. */
export async function readRegular(file: string, options: RegularFileOptions = {}): Promise<Buffer> {
  const { handle, size } = await opened(file, options);
  try {
    const bytes = Buffer.allocUnsafe(size);
    let length = 0;
    for (let read = 1; read > 0 && length < size; length += read)
      read = (await handle.read(bytes, length, size - length, length)).bytesRead;
    return bytes.subarray(0, length);
  } finally {
    await handle.close();
  }
}

/** The synchronous form of {@link readRegular}. */
export function readRegularSync(file: string, options: RegularFileOptions = {}): Buffer {
  const descriptor = openSync(file, flags);
  try {
    const size = checkedSize(file, fstatSync(descriptor), options);
    const bytes = Buffer.allocUnsafe(size);
    let length = 0;
    for (let read = 1; read > 0 && length < size; length += read)
      read = readSync(descriptor, bytes, length, size - length, length);
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

async function opened(
  file: string,
  options: RegularFileOptions,
): Promise<{ handle: FileHandle; size: number }> {
  const handle = await open(file, flags);
  try {
    return { handle, size: checkedSize(file, await handle.stat(), options) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function checkedSize(file: string, stats: Stats, { maxBytes = largest }: RegularFileOptions): number {
  if (stats.isDirectory()) throw failure('EISDIR', 'illegal operation on a directory, read');
  if (!stats.isFile()) throw failure('EFTYPE', `not a regular file, open '${file}'`);
  if (stats.size > maxBytes) throw failure('EFBIG', `larger than ${maxBytes} bytes, open '${file}'`);
  return stats.size;
}

/** Returns an error with a message like those of Node. */
function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}
