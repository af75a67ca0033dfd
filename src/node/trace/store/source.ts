import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { applicationId, createTables } from '../../../trace/layout.ts';
import { Connection, sqliteCode, sqliteCodes } from './connection.ts';
import { storeErrors } from './errors.ts';

/** A trace's file as it could be opened. */
export interface Source {
  readonly connection: Connection;
  /**
   * `direct`: it follows what is written. `fixed`: it stays as it was, since SQLite may write nothing beside the file.
   * `blank`: nothing is written yet; an empty trace stands in.
   */
  readonly kind: 'direct' | 'fixed' | 'blank';
  /** `user_version` of the file. */
  readonly format: number;
  /** What {@link stampOf} told before it was opened. */
  readonly stamp: string;
  close(): void;
}

/** What SQLite keeps beside a file and needs in order to read it. */
const companions = ['-wal', '-journal'];

/** Bytes of the file and what belongs to it. */
export function sizeOf(file: string): number {
  return partsOf(file).reduce((sum, { size }) => sum + size, 0);
}

/** When it was last written, in milliseconds since the Unix epoch. */
export function changedAt(file: string): number {
  return Math.max(0, ...partsOf(file).map(({ mtimeMs }) => mtimeMs));
}

/** Differs once the file has been written. */
export function stampOf(file: string): string {
  return partsOf(file)
    .map(({ size, mtimeMs }) => `${size} ${mtimeMs}`)
    .join(' ');
}

/** Throws CodedErrors, and what SQLite throws. */
export function openSource(file: string): Source {
  if (!existsSync(file)) throw storeErrors.noSuchFile(file);
  try {
    return openDirect(file);
  } catch (error) {
    if (!needsToWrite(error)) throw error;
  }
  return openAfterRecovery(file) ?? openFixed(file);
}

function openDirect(file: string): Source {
  const stamp = stampOf(file);
  const connection = new Connection(file, { readOnly: true });
  return checked(file, { connection, kind: 'direct', stamp, close: () => connection.close() });
}

/** Undoes what a writer left half done that died without a WAL; undefined: this file may not be written. */
function openAfterRecovery(file: string): Source | undefined {
  try {
    const connection = new Connection(file);
    try {
      connection.number('schema_version');
    } finally {
      connection.close();
    }
    return openDirect(file);
  } catch (error) {
    if (needsToWrite(error)) return undefined;
    throw error;
  }
}

/** Reading, too, writes beside the file where a WAL is in use or a journal is left, which a read-only folder refuses. */
function openFixed(file: string): Source {
  const stamp = stampOf(file);
  const left = companions.filter((companion) => existsSync(file + companion));
  if (left.length === 0) {
    const url = pathToFileURL(file);
    url.searchParams.set('immutable', '1');
    const connection = new Connection(url, { readOnly: true });
    return checked(file, { connection, kind: 'fixed', stamp, close: () => connection.close() });
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-trace-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const connection = new Connection(copyInto(folder, file, left));
    const close = (): void => {
      connection.close();
      remove();
    };
    return checked(file, { connection, kind: 'fixed', stamp, close });
  } catch (error) {
    remove();
    throw error;
  }
}

function copyInto(folder: string, file: string, left: readonly string[]): string {
  const copy = path.join(folder, 'copy.ajtrace');
  for (const companion of ['', ...left]) {
    copyFileSync(file + companion, copy + companion);
    chmodSync(copy + companion, 0o600);
  }
  return copy;
}

/** Closes what is no trace. */
function checked(file: string, source: Omit<Source, 'format'>): Source {
  const { connection } = source;
  try {
    const id = connection.number('application_id');
    const begun =
      id !== 0 || connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'").length > 0;
    if (begun && id !== applicationId) throw storeErrors.notATrace(file);
    if (isCutOff(file, connection)) throw storeErrors.cutOff(file);
    if (begun) return { ...source, format: connection.number('user_version') };
  } catch (error) {
    source.close();
    throw error;
  }
  source.close();
  return blank(file, source.stamp);
}

/** SQLite itself tells only when it misses a page. Where there is a WAL, the file may be shorter than it will be. */
function isCutOff(file: string, connection: Connection): boolean {
  const size = connection.number('page_count') * connection.number('page_size');
  return statSync(file).size < size && !existsSync(`${file}-wal`);
}

/** Milliseconds within which a writer that lives has written its tables. */
const beginning = 120_000;

function blank(file: string, stamp: string): Source {
  if (Date.now() - changedAt(file) > beginning) throw storeErrors.empty(file);
  const connection = new Connection(':memory:');
  connection.execute(createTables);
  const format = connection.number('user_version');
  return { connection, kind: 'blank', format, stamp, close: () => connection.close() };
}

function needsToWrite(error: unknown): boolean {
  const code = sqliteCode(error);
  const codes: readonly (number | undefined)[] = [
    sqliteCodes.cannotOpen,
    sqliteCodes.readOnly,
    sqliteCodes.ioError,
  ];
  return codes.includes(code);
}

function partsOf(file: string): readonly { readonly size: number; readonly mtimeMs: number }[] {
  return ['', ...companions].flatMap((companion) => {
    const found = statSync(file + companion, { throwIfNoEntry: false });
    return found === undefined ? [] : [found];
  });
}
