import { Buffer } from 'node:buffer';
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import type { ImportSource } from '../../core/import/parts.ts';
import { unwritten } from '../store/source.ts';

export interface OpenImportSource extends ImportSource {
  close(): void;
}

/** The first bytes of an SQLite file. */
const sqliteHeader = 'SQLite format 3\0';

export function isSqlite(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(sqliteHeader.length);
    readSync(descriptor, bytes, 0, bytes.length, 0);
    return bytes.toString('latin1') === sqliteHeader;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Opens a file to import, without changing it or its folder. Throws errors of the file system and of SQLite.
 *
 * @param onRead receives the number of bytes read so far
 */
export function openImportSource(file: string, onRead: (bytes: number) => void): OpenImportSource {
  const opened = isSqlite(file) ? unwritten(file) : undefined;
  const database = opened?.open() ?? null;
  return {
    name: path.basename(file),
    pieces: () => pieces(file, onRead),
    inflate: (bytes, most) => inflateSync(bytes, { maxOutputLength: most }),
    fromBase64: (text) => Buffer.from(text, 'base64'),
    database: database && {
      rows: (statement) => database.iterate(statement) as Iterable<Readonly<Record<string, unknown>>>,
    },
    close: () => {
      database?.close();
      opened?.remove();
    },
  };
}

async function* pieces(file: string, onRead: (bytes: number) => void): AsyncGenerator<string> {
  const stream = createReadStream(file, { encoding: 'utf8', highWaterMark: 2 ** 18 });
  for await (const piece of stream as AsyncIterable<string>) {
    onRead(stream.bytesRead);
    yield piece;
  }
}
