import { isBuiltin } from 'node:module';
import process from 'node:process';
import type * as Sqlite from 'node:sqlite';
import type { SqlParameters, SqlReader, SqlValue, SqlWriter } from '../../../trace/sql.ts';
import { storeErrors } from './errors.ts';

/** Milliseconds that a reader or writer waits for the other's lock. */
const busyTimeout = 2_000;

export interface ConnectionOptions {
  readonly readOnly?: boolean;
  /** Milliseconds. Default: two seconds. */
  readonly timeout?: number;
}

/** One connection to a SQLite file; each statement is prepared once. Throws what SQLite throws. */
export class Connection implements SqlReader, SqlWriter {
  readonly #database: Sqlite.DatabaseSync;
  readonly #prepared = new Map<string, Sqlite.StatementSync>();

  /** @param file a path, or a `file:` URL where SQLite needs parameters */
  constructor(file: string | URL, { readOnly = false, timeout = busyTimeout }: ConnectionOptions = {}) {
    this.#database = new (sqlite().DatabaseSync)(file, { readOnly, timeout });
  }

  all(statement: string, parameters: SqlParameters = {}): readonly unknown[] {
    return this.#statement(statement).all(parameters);
  }

  run(statement: string, parameters: readonly SqlValue[] = []): void {
    this.#statement(statement).run(...parameters);
  }

  /** Several statements, without parameters. */
  execute(statements: string): void {
    this.#database.exec(statements);
  }

  transaction(work: () => void): void {
    this.#within('BEGIN IMMEDIATE', 'COMMIT', work);
  }

  /** All that `ask` reads is of one state of the file. */
  snapshot<T>(ask: () => T): T {
    return this.#within('BEGIN', 'ROLLBACK', ask);
  }

  /** The number that a pragma answers; 0: it answers none. */
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

  #within<T>(begin: string, end: string, work: () => T): T {
    this.run(begin);
    try {
      const result = work();
      this.run(end);
      return result;
    } catch (error) {
      // Some failures, a full disk among them, have already ended the transaction.
      if (this.#database.isTransaction) this.run('ROLLBACK');
      throw error;
    }
  }
}

/** SQLite's own number of a failure, without what it tells beyond the kind; undefined: not SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** Kinds of failures by SQLite's numbers. */
export const sqliteCodes = {
  error: 1,
  busy: 5,
  locked: 6,
  readOnly: 8,
  corrupt: 11,
  ioError: 10,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** Loaded when it is needed, for some builds of Node lack it: whatever does not touch traces works there all the same. */
function sqlite(): typeof Sqlite {
  if (!isBuiltin('node:sqlite')) throw storeErrors.noSqlite();
  return process.getBuiltinModule('node:sqlite');
}
