import { isBuiltin } from 'node:module';
import process from 'node:process';
import type * as Sqlite from 'node:sqlite';
import { realpathSync, statfsSync } from 'node:fs';
import type { SqlParameters, SqlReader, SqlValue, SqlWriter } from '../../core/sql.ts';
import { storeErrors } from './errors.ts';

/** Milliseconds that the end of a run waits for readers. */
const patience = 200;

/**
 * Merges the journal into the file and switches to a mode that read-only folders and other systems can open. This
 * fails while readers have the file open. Then the last of them does it; see the reader's `close`.
 */
export function mergeJournal(connection: Connection): void {
  try {
    connection.execute(`PRAGMA busy_timeout = ${patience}; PRAGMA wal_checkpoint(TRUNCATE);`);
    connection.execute('PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE;');
  } catch {
    // A reader has the file open, or the folder is not writable. All data is safe in its current place.
  }
}

/** The journal mode of a trace. `wal` lets readers read while it is written, if memory can be shared. */
export type Journal = 'wal' | 'delete';

export interface FolderFacts {
  readonly platform: NodeJS.Platform;
  /** An absolute path. On Windows, mapped drives are resolved to their shares. */
  readonly folder: string;
  /** `statfs`'s type. */
  readonly type: number;
}

/** File systems of Linux whose files other machines may have open, or whose shared memory is unreliable. */
const unsafeOnLinux = new Map([
  ['nfs', 0x6969],
  ['smb', 0x517b],
  ['cifs', 0xff534d42],
  ['smb2', 0xfe534d42],
  ['9p', 0x01021997],
  ['fuse (sshfs, virtiofs and the like)', 0x65735546],
  ['ceph', 0x00c36400],
  ['afs', 0x5346414f],
  ['kafs', 0x6b414653],
  ['coda', 0x73757245],
  ['ncp', 0x564c],
  ['lustre', 0x0bd00bd0],
  ['gpfs', 0x47504653],
  ['gfs2', 0x01161970],
  ['ocfs2', 0x7461636f],
  ['panfs', 0xaad7aaea],
  ['beegfs', 0x19830326],
  ['orangefs', 0x20030528],
  ['vboxsf', 0x786f4256],
  ['vmhgfs', 0xbacbacbc],
  ['prl_fs', 0x7c7c6673],
]);

/** Safe file systems of macOS. It assigns other numbers at run time, so only known local ones are safe. */
const safeOnMac = new Map([
  ['hfs', 0x11],
  ['apfs', 0x1a],
]);

export function journalOn({ platform, folder, type }: FolderFacts): Journal {
  switch (platform) {
    case 'linux':
      // A 32-bit Node.js returns the highest of them as negative numbers.
      return [...unsafeOnLinux.values()].includes(type >>> 0) ? 'delete' : 'wal';
    case 'darwin':
      return [...safeOnMac.values()].includes(type) ? 'wal' : 'delete';
    case 'win32':
      return isShare(folder) ? 'delete' : 'wal';
    default:
      return 'delete';
  }
}

/** Returns true for `\\server\share\…` and `\\?\UNC\server\…`, but not for `\\?\C:\…` or `\\.\…`. */
function isShare(folder: string): boolean {
  return /^[\\/]{2}(?![?.][\\/])/.test(folder) || /^[\\/]{2}\?[\\/]UNC[\\/]/i.test(folder);
}

/** Returns the journal mode that is safe in a folder. Throws errors of the file system. */
export function journalFor(folder: string): Journal {
  return journalOn({
    platform: process.platform,
    folder: realpathSync.native(folder),
    type: statfsSync(folder).type,
  });
}

/** Milliseconds that a reader or writer waits for the other's lock. */
const busyTimeout = 2_000;

export interface ConnectionOptions {
  readonly readOnly?: boolean;
  /** True to open a file that is shorter than its header says, for reading only. */
  readonly damaged?: boolean;
}

/** A connection to an SQLite file. It prepares each statement once, and throws errors of SQLite. */
export class Connection implements SqlReader, SqlWriter {
  readonly #database: Sqlite.DatabaseSync;
  readonly #prepared = new Map<string, Sqlite.StatementSync>();

  /** @param file a path, or a `file:` URL if SQLite needs parameters */
  constructor(file: string | URL, options: ConnectionOptions = {}) {
    const { readOnly = false, damaged = false } = options;
    // Node's defensive mode rejects the pragma by which SQLite opens such files.
    const database = { readOnly, timeout: busyTimeout, ...(damaged && { defensive: false }) };
    this.#database = new (sqlite().DatabaseSync)(file, database);
    // Temporary tables in memory need no file, which some folders do not allow.
    this.#database.exec('PRAGMA temp_store = MEMORY');
    if (damaged) this.#database.exec('PRAGMA writable_schema = ON');
  }

  all(statement: string, parameters: SqlParameters = {}): readonly unknown[] {
    return this.#statement(statement).all(parameters);
  }

  /** Returns rows as they are read, up to the first that cannot be read. */
  iterate(statement: string, parameters: SqlParameters = {}): Iterable<unknown> {
    return this.#statement(statement).iterate(parameters);
  }

  /**
   * Runs one SQL statement of a user. It may only read this file, and cannot attach, set or load anything. Each row is a
   * list of cells. Integers that are too large for a number are bigints.
   */
  query(sql: string): { readonly columns: readonly string[]; readonly rows: Iterable<readonly unknown[]> } {
    this.execute('PRAGMA query_only = ON');
    this.#onlyReading();
    const statement = this.#database.prepare(sql);
    if (!isOneStatement(sql, statement.sourceSQL)) throw new Error('it has more than one statement');
    const columns = statement.columns().map(({ name }) => name);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    const rows = statement.iterate() as unknown as Iterable<readonly unknown[]>;
    return { columns, rows: plainNumbers(rows) };
  }

  define(name: string, answer: (value: unknown) => string | null): void {
    this.#database.function(name, { deterministic: true }, answer);
  }

  /** Older Node.js versions have no such guard, so there the read-only connection must suffice. */
  #onlyReading(): void {
    const allowed: readonly number[] = [
      authorized.read,
      authorized.select,
      authorized.function,
      authorized.recursive,
    ];
    const guarded = this.#database as Sqlite.DatabaseSync & Guarded;
    guarded.setAuthorizer?.((action) => (allowed.includes(action) ? 0 : 1));
  }

  run(statement: string, parameters: readonly SqlValue[] = []): void {
    this.#statement(statement).run(...parameters);
  }

  execute(statements: string): void {
    this.#database.exec(statements);
  }

  transaction(work: () => void): void {
    this.#within('BEGIN IMMEDIATE', work);
  }

  /** Runs `ask` on one state of the file. Temporary tables that it writes are kept. */
  snapshot<T>(ask: () => T): T {
    return this.#within('BEGIN', ask);
  }

  /** Returns the number of a pragma; 0: it returns none. */
  number(pragma: string): number {
    const [row] = this.all(`PRAGMA ${pragma}`);
    const value: unknown = typeof row === 'object' && row !== null ? Object.values(row)[0] : undefined;
    return typeof value === 'number' ? value : 0;
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #statement(text: string): Sqlite.StatementSync {
    let statement = this.#prepared.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#prepared.set(text, statement);
    }
    return statement;
  }

  #within<T>(begin: string, work: () => T): T {
    this.run(begin);
    try {
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      // Some failures, a full disk among them, have already ended the transaction.
      if (this.#database.isTransaction) this.run('ROLLBACK');
      throw error;
    }
  }
}

/** Functions of newer Node.js versions. */
interface Guarded {
  setAuthorizer?(guard: (action: number) => number): void;
}

/** Action codes of SQLite. */
const authorized = { read: 20, select: 21, function: 31, recursive: 33 } as const;

/** Returns true if the text has one statement. SQLite prepares the first statement and ignores the others. */
function isOneStatement(sql: string, first: string): boolean {
  const rest = sql.slice(sql.indexOf(first) + first.length);
  return /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*$/.test(rest);
}

function* plainNumbers(rows: Iterable<readonly unknown[]>): Generator<readonly unknown[]> {
  for (const row of rows) {
    yield row.map((cell) =>
      typeof cell === 'bigint' && Number.isSafeInteger(Number(cell)) ? Number(cell) : cell,
    );
  }
}

/** Loads it on demand: some builds of Node.js do not have it, and other code works without it. */
function sqlite(): typeof Sqlite {
  if (!isBuiltin('node:sqlite')) throw storeErrors.noSqlite();
  return process.getBuiltinModule('node:sqlite');
}
