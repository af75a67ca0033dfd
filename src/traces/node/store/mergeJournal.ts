import type { Connection } from './connection.ts';

/** Milliseconds that the end of a run waits for readers. */
const patience = 200;

/**
 * Brings all into one file and leaves it in the form that read-only folders and other systems can open. Readers that
 * have it open keep it from that: the last of them does it, see the reader's `close`.
 */
export function mergeJournal(connection: Connection): void {
  try {
    connection.execute(`PRAGMA busy_timeout = ${patience}; PRAGMA wal_checkpoint(TRUNCATE);`);
    connection.execute('PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE;');
  } catch {
    // A reader has the file open, or the folder may not be written: all is safe where it is.
  }
}
