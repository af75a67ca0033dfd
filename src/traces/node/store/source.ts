import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DamageView } from '../../core/protocol/runRpc.ts';
import { traceErrors } from '../../core/errors.ts';
import { applicationId, createTables } from '../../core/layout.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { isDamage, storeErrors, sqliteCode, sqliteCodes } from './errors.ts';
import { changedAt, companions, stampOf } from './fileParts.ts';
import { salvage } from './salvage.ts';

export interface Source {
  readonly connection: Connection;
  /**
   * `direct`: shows new data. `fixed`: shows one state, because SQLite may not write files next to it. `blank`:
   * nothing is written yet, and an empty trace is used.
   */
  readonly kind: 'direct' | 'fixed' | 'blank';
  /** `user_version` of the file. */
  readonly format: number;
  /** The {@link stampOf} of the file before it was opened. */
  readonly stamp: string;
  /** Absent: no damage was found so far. A damaged file is opened again once it has changed, whatever its kind. */
  readonly damage?: DamageView;
  close(): void;
}

/** Opens the file of a trace. Throws CodedErrors and errors of SQLite. */
export function openSource(file: string): Source {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw storeErrors.noSuchFile(file);
  // Opening a pipe would wait for its writer.
  if (!found.isFile()) throw storeErrors.noFile(file);
  try {
    return openWhole(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return openDamaged(file);
  }
}

/** Opens the readable parts of a damaged trace. Throws like {@link openSource}. */
export function openDamaged(file: string): Source {
  try {
    return openDirect(file, { damaged: true });
  } catch (error) {
    if (!needsToWrite(error)) throw error;
    return openFixed(file, { damaged: true });
  }
}

function openWhole(file: string): Source {
  try {
    return openDirect(file);
  } catch (error) {
    if (!needsToWrite(error)) throw error;
  }
  return openAfterRecovery(file) ?? openFixed(file);
}

interface Condition {
  readonly damaged: boolean;
}

function openDirect(file: string, { damaged }: Condition = { damaged: false }): Source {
  const stamp = stampOf(file);
  const open = (): Connection => new Connection(file, { readOnly: true, damaged });
  const connection = open();
  const source: Unchecked = { connection, kind: 'direct', stamp, close: () => connection.close() };
  return checked(file, source, damaged ? open : undefined);
}

type Unchecked = Omit<Source, 'format'>;

/** Rolls back what a writer without a WAL left when it died; undefined: this file is not writable. */
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

/** With a WAL or a leftover journal, even reading would write files next to the trace. */
function openFixed(file: string, { damaged }: Condition = { damaged: false }): Source {
  const stamp = stampOf(file);
  const { open, remove } = unwritten(file);
  try {
    const connection = open({ damaged });
    const close = (): void => {
      connection.close();
      remove();
    };
    const source: Unchecked = { connection, kind: 'fixed', stamp, close };
    return checked(file, source, damaged ? () => open({ damaged }) : undefined);
  } catch (error) {
    remove();
    throw error;
  }
}

/** A database that can be opened without writing to its folder. */
export interface UnwrittenDatabase {
  readonly open: (options?: ConnectionOptions) => Connection;
  readonly remove: () => void;
}

/** Without a journal, the file is read in place as an immutable one. With a journal, a copy in another folder is read. */
export function unwritten(file: string): UnwrittenDatabase {
  const journals = companions.filter(
    (companion) => statSync(file + companion, { throwIfNoEntry: false })?.isFile() === true,
  );
  if (journals.length === 0) {
    const url = pathToFileURL(file);
    url.searchParams.set('immutable', '1');
    return {
      open: (options) => new Connection(url, { ...options, readOnly: true }),
      remove: () => undefined,
    };
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-trace-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const copy = path.join(folder, 'copy.db');
  try {
    for (const companion of ['', ...journals]) {
      copyFileSync(file + companion, copy + companion);
      chmodSync(copy + companion, 0o600);
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { open: (options) => new Connection(copy, options), remove };
}

/** Kibibytes, which SQLite takes as a negative number. This caches the rows of 10,000 episodes. */
const cache = -8_192;

/** @param openAgain opens a damaged file again, to read its intact parts */
function checked(file: string, source: Unchecked, openAgain: (() => Connection) | undefined): Source {
  const { connection } = source;
  try {
    const id = connection.number('application_id');
    const begun =
      id !== 0 || connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'").length > 0;
    if (begun && id !== applicationId) throw storeErrors.notATrace(file);
    if (openAgain === undefined && isCutOff(file, connection))
      throw traceErrors.damaged(file, 'its file is cut off');
    if (begun) {
      if (connection.all(foreign).length > 0) throw storeErrors.notATrace(file);
      const format = connection.number('user_version');
      connection.execute(`PRAGMA cache_size = ${cache}`);
      if (openAgain === undefined) return { ...source, format };
      return { ...source, format, damage: salvaged(connection, openAgain()) };
    }
  } catch (error) {
    source.close();
    throw error;
  }
  source.close();
  return blank(file, source.stamp);
}

/** Finds views, virtual tables and computed columns. Traces have none, and reading one can take forever. */
const foreign = `
SELECT 1 FROM pragma_table_list AS list WHERE schema = 'main' AND (type <> 'table'
  OR EXISTS (SELECT 1 FROM pragma_table_xinfo(list.name, 'main') WHERE hidden <> 0)) LIMIT 1`;

function salvaged(connection: Connection, damaged: Connection): DamageView {
  try {
    return salvage(connection, damaged);
  } finally {
    damaged.close();
  }
}

/**
 * Returns true if the file is cut off. SQLite itself reports that only when it needs a missing page. With a WAL, the
 * file may be shorter than it will be.
 */
function isCutOff(file: string, connection: Connection): boolean {
  const size = connection.number('page_count') * connection.number('page_size');
  return statSync(file).size < size && !existsSync(`${file}-wal`);
}

/** Milliseconds within which a live writer has written its tables. */
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
