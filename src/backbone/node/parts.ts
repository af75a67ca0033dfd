import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { PartReader } from '../../base/core/ports.ts';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Files of this machine, of which only the parts that are asked for are read. */
export const localParts: PartReader = {
  size: async (file) => {
    const found = await stat(file);
    if (!found.isFile()) throw new Error('it is not a file');
    return found.size;
  },
  readPart: async (file, start, end) => {
    const handle = await open(file);
    try {
      const bytes = new Uint8Array(Math.max(0, end - start));
      let length = 0;
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length, start + length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return bytes.subarray(0, length);
    } finally {
      await handle.close();
    }
  },
  pieces: (file) => createReadStream(file, 'utf8') as AsyncIterable<string>,
  decode: (bytes) => utf8.decode(bytes),
};
