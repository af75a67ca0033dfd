import { closeSync, openSync, rmSync } from 'node:fs';
import path from 'node:path';
import { CodedError } from '../../../base/core/errors.ts';
import type { TracedRun, TracedRunEnd } from '../../../tracking/core/records/tracedRun.ts';
import type { TraceWriter } from '../../../tracking/core/records/trace.ts';
import { createTables } from '../../core/layout.ts';
import { TraceRecorder } from '../../core/traceRecorder.ts';
import type { SqlWriter } from '../../core/sql.ts';
import { Connection, journalFor, mergeJournal, type Journal } from './connection.ts';
import { storeErrors } from './errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import { currentWriter } from './writerProcess.ts';

/**
 * Begins the trace of a run.
 *
 * @param file an absolute path; its folder exists, the file does not
 * @param journal default: the mode that is safe on the file system of its folder
 * @param mode the permissions of the file; SQLite gives its journal the same
 * @throws CodedError `trace/cannot-write` or `trace/no-sqlite`
 */
export function openTraceWriter(file: string, run: TracedRun, journal?: Journal, mode?: number): TraceWriter {
  const attempt = <T>(write: () => T): T => {
    try {
      return write();
    } catch (error) {
      throw error instanceof CodedError ? error : storeErrors.cannotWrite(file, error);
    }
  };
  const connection = attempt(() => create(file, run, journal, mode));
  return new FileTraceWriter(file, run, connection, {
    run: (statement, parameters) => connection.run(statement, parameters),
    transaction: (work) => attempt(() => connection.transaction(work)),
  });
}

class FileTraceWriter extends TraceRecorder implements TraceWriter {
  readonly file: string;
  readonly #connection: Connection;

  constructor(file: string, { config }: TracedRun, connection: Connection, sql: SqlWriter) {
    super(sql, config, fingerprintOf);
    this.file = file;
    this.#connection = connection;
  }

  override runEnded(end: TracedRunEnd): void {
    try {
      super.runEnded(end);
      mergeJournal(this.#connection);
    } finally {
      this.#connection.close();
    }
  }
}

function create(file: string, run: TracedRun, journal?: Journal, mode?: number): Connection {
  closeSync(openSync(file, 'wx', mode)); // fails where there is such a file already
  const connection = new Connection(file);
  try {
    begin(connection, run, journal ?? journalFor(path.dirname(file)));
    return connection;
  } catch (error) {
    connection.close();
    rmSync(file, { force: true });
    throw error;
  }
}

/** Bytes. Each commit writes whole pages and fills few of them. Half of SQLite's default makes it a third faster. */
const pageSize = 2_048;

/** Number of pages of a WAL before it is merged into the file, for which the run waits. */
const pagesOfWal = 10_000;

function begin(connection: Connection, run: TracedRun, journal: Journal): void {
  // If WAL is refused, SQLite keeps the rollback journal without an error.
  connection.execute(`
    PRAGMA page_size = ${pageSize};
    PRAGMA synchronous = OFF; -- until there is something to lose
    PRAGMA journal_mode = ${journal};
    PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = ${pagesOfWal};
  `);
  connection.transaction(() => {
    connection.execute(createTables);
    new TraceRecorder(connection, run.config, fingerprintOf).begin(run, currentWriter());
  });
}
