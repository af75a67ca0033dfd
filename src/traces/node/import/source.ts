import { Buffer } from 'node:buffer';
import {
  createReadStream,
  existsSync,
  copyFileSync,
  mkdtempSync,
  rmSync,
  openSync,
  readSync,
  closeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';
import type { ImportDatabase, ImportSource } from '../../core/import/parts.ts';
import { Connection } from '../store/connection.ts';

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
  const opened = isSqlite(file) ? openDatabase(file) : { database: null, close: () => undefined };
  return {
    name: path.basename(file),
    pieces: () => pieces(file, onRead),
    inflate: (bytes, most) => inflateSync(bytes, { maxOutputLength: most }),
    fromBase64: (text) => Buffer.from(text, 'base64'),
    ...opened,
  };
}

async function* pieces(file: string, onRead: (bytes: number) => void): AsyncGenerator<string> {
  const stream = createReadStream(file, { encoding: 'utf8', highWaterMark: 2 ** 18 });
  for await (const piece of stream as AsyncIterable<string>) {
    onRead(stream.bytesRead);
    yield piece;
  }
}

/**
 * Opens a database. Without a journal, the file is read in place as an immutable one. With a journal, a copy is read,
 * into which the journal is merged.
 */
function openDatabase(file: string): { readonly database: ImportDatabase; readonly close: () => void } {
  const journals = ['-wal', '-journal'].filter((end) => existsSync(file + end));
  if (journals.length === 0) {
    const url = pathToFileURL(file);
    url.searchParams.set('immutable', '1');
    const connection = new Connection(url, { readOnly: true });
    return { database: rowsOf(connection), close: () => connection.close() };
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-import-'));
  const copy = path.join(folder, 'copy.db');
  for (const end of ['', ...journals]) copyFileSync(file + end, copy + end);
  const connection = new Connection(copy);
  const close = (): void => {
    connection.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { database: rowsOf(connection), close };
}

function rowsOf(connection: Connection): ImportDatabase {
  return {
    rows: (statement) => connection.iterate(statement) as Iterable<Readonly<Record<string, unknown>>>,
  };
}
