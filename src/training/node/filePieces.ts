import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { CancellationToken } from '../../base/core/cancellation.ts';
import { wireLimits } from '../core/protocol/wire.ts';
import type { ByteSource } from '../core/contracts.ts';
import { syncErrors } from '../core/sync/failures.ts';

/** Returns the bytes of a file from `from` to `to` (exclusive). The file is open only while they are read. */
export function piecesOf(open: () => Promise<FileHandle>, from: number, to: number): ByteSource {
  const piecesFrom = (offset: number): AsyncIterable<Uint8Array> => ({
    async *[Symbol.asyncIterator]() {
      if (from + offset === to) return;
      const handle = await open();
      try {
        for (let at = from + offset; at < to;) {
          const buffer = Buffer.allocUnsafe(Math.min(wireLimits.chunk, to - at));
          const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
          if (bytesRead === 0)
            throw syncErrors.contentDiffers('A file that became shorter during the upload');
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      } finally {
        await handle.close();
      }
    },
  });
  return { bytes: to - from, pieces: piecesFrom(0), from: piecesFrom };
}

/** Returns bytes in memory as views. They can be read again, which happens after a lost connection. */
export function inMemory(all: Uint8Array): ByteSource {
  return {
    bytes: all.length,
    pieces: {
      async *[Symbol.asyncIterator]() {
        for (let at = 0; at < all.length; at += wireLimits.chunk) {
          yield await Promise.resolve(all.subarray(at, at + wireLimits.chunk));
        }
      },
    },
  };
}

/** Writes all bytes at a position. A single call can write only a part. */
export async function writeAll(
  file: Pick<FileHandle, 'write'>,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

/** Returns the SHA-256 of the first bytes of a file. `shorter` returns the error for a file that is shorter. */
export async function sumOf(
  file: FileHandle,
  bytes: number,
  shorter: () => Error,
  cancellation: CancellationToken,
): Promise<string> {
  const sum = createHash('sha256');
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  for (let at = 0; at < bytes;) {
    if (cancellation.isCancelled) throw syncErrors.cancelled();
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, bytes - at), at);
    if (bytesRead === 0) throw shorter();
    sum.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return sum.digest('hex');
}
