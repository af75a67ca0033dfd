import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DamageView } from '../../core/protocol/runRpc.ts';
import { applicationId, createTables } from '../../core/layout.ts';
import { Connection } from './connection.ts';
import { isDamage, storeErrors, sqliteCode, sqliteCodes } from './errors.ts';
import { changedAt, companions, stampOf } from './fileParts.ts';
import { salvage } from './salvage.ts';

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
  /** The {@link stampOf} of the file before it was opened. */
  readonly stamp: string;
  /** Absent: none has been found so far. Then it is opened anew once the file has changed, whatever its kind. */
  readonly damage?: DamageView;
  close(): void;
}

/** Throws CodedErrors, and what SQLite throws. */
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

/** With what of it can still be read; throws as {@link openSource}. */
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
  return checked(file, sourceOf(open(), { kind: 'direct', stamp }), damaged ? open : undefined);
}

type Unchecked = Omit<Source, 'format'>;

function sourceOf(connection: Connection, { kind, stamp }: Pick<Source, 'kind' | 'stamp'>): Unchecked {
  return { connection, kind, stamp, close: () => connection.close() };
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
function openFixed(file: string, { damaged }: Condition = { damaged: false }): Source {
  const stamp = stampOf(file);
  const left = companions.filter((companion) => existsSync(file + companion));
  if (left.length === 0) {
    const url = pathToFileURL(file);
    url.searchParams.set('immutable', '1');
    const open = (): Connection => new Connection(url, { readOnly: true, damaged });
    return checked(file, sourceOf(open(), { kind: 'fixed', stamp }), damaged ? open : undefined);
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-trace-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = copyInto(folder, file, left);
    const open = (): Connection => new Connection(copy, { damaged });
    const source = sourceOf(open(), { kind: 'fixed', stamp });
    const close = (): void => {
      source.close();
      remove();
    };
    return checked(file, { ...source, close }, damaged ? open : undefined);
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

/** In kibibytes, which SQLite takes as a negative number: with it the rows of 10,000 episodes stay at hand. */
const cache = -8_192;

/**
 * Closes what is no trace.
 *
 * @param openAgain opens a file that is known to be damaged once more, to be read around what is
 */
function checked(file: string, source: Unchecked, openAgain: (() => Connection) | undefined): Source {
  const { connection } = source;
  try {
    const id = connection.number('application_id');
    const begun =
      id !== 0 || connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'").length > 0;
    if (begun && id !== applicationId) throw storeErrors.notATrace(file);
    if (openAgain === undefined && isCutOff(file, connection)) throw storeErrors.cutOff(file);
    if (begun) {
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

function salvaged(connection: Connection, damaged: Connection): DamageView {
  try {
    return salvage(connection, damaged);
  } finally {
    damaged.close();
  }
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
