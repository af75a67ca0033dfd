import type { FileHandle } from 'node:fs/promises';
import { wireLimits } from '../core/protocol/wire.ts';
import type { ByteSource } from '../core/contracts.ts';
import { contentDiffers } from '../core/sync/failures.ts';

/** The bytes of a file from `from` up to, not including, `to`; it is open only while they are taken. */
export function piecesOf(open: () => Promise<FileHandle>, from: number, to: number): ByteSource {
  return {
    bytes: to - from,
    pieces: {
      async *[Symbol.asyncIterator]() {
        if (from === to) return;
        const handle = await open();
        try {
          for (let at = from; at < to;) {
            const buffer = Buffer.allocUnsafe(Math.min(wireLimits.chunk, to - at));
            const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
            if (bytesRead === 0) throw contentDiffers('A file that became shorter while it was read');
            at += bytesRead;
            yield buffer.subarray(0, bytesRead);
          }
        } finally {
          await handle.close();
        }
      },
    },
  };
}

/** Bytes that are here already, as views of them; as often as they are asked for, which a cut connection does again. */
export function inMemory(all: Uint8Array): ByteSource {
  return {
    bytes: all.length,
    pieces: {
      [Symbol.asyncIterator]: () => {
        let at = 0;
        const next = (): IteratorResult<Uint8Array, undefined> => {
          if (at >= all.length) return { done: true, value: undefined };
          at += wireLimits.chunk;
          return { done: false, value: all.subarray(at - wireLimits.chunk, at) };
        };
        return { next: () => Promise.resolve(next()) };
      },
    },
  };
}
