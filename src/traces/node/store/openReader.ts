import { existsSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { createContext, Script } from 'node:vm';
import { CodedError, messageOf } from '../../../base/core/errors.ts';
import { traceErrors } from '../../core/errors.ts';
import { formatVersion } from '../../core/layout.ts';
import { type TraceReader, TraceViews } from '../../core/views.ts';
import { Connection, mergeJournal } from './connection.ts';
import { isDamage, isShortRead, storeErrors, sqliteCode, sqliteCodes } from './errors.ts';
import { changedAt, sizeOf, stampOf } from './fileParts.ts';
import { NotesFile } from './notesFile.ts';
import { openDamaged, openSource, type Source } from './source.ts';
import { isWriterAlive } from './writerProcess.ts';
import type { Range } from '../../core/align.ts';
import { toolAt } from '../../../configs/core/code/toolPlace.ts';
import type { CodeReader } from '../../core/codeViews.ts';
import { fingerprintOf, readSource } from './fingerprint.ts';

export const localCode: CodeReader = {
  fingerprint: fingerprintOf,
  findTool: (name, files) => {
    for (const file of files) {
      const text = readSource(file)?.toString();
      const place =
        text === undefined ? undefined : toolAt(text, name, /\.pyw?$/.test(file) ? 'python' : 'typescript');
      if (place !== undefined) return { file, ...place };
    }
    return undefined;
  },
};

/** Milliseconds that a pattern may take on one text. */
const longest = 1_000;

/** Returns the non-empty matches as a list of starts and ends. */
const search = new Script(`{
  const found = [];
  for (const match of text.matchAll(pattern)) {
    if (match[0] === '') continue;
    found.push(match.index, match.index + match[0].length);
    if (found.length >= 2 * most) break;
  }
  found.join();
}`);

/**
 * Returns the matches of a pattern that a user typed. It stops a pattern that backtracks too long, because the server
 * answers no other request meanwhile.
 *
 * @throws CodedError `trace/slow-pattern`
 */
export function boundedMatches(pattern: RegExp, text: string, most: number): readonly Range[] {
  const context = createContext({ pattern, text, most });
  let found: string;
  try {
    found = String(search.runInContext(context, { timeout: longest }));
  } catch (error) {
    throw isTimeout(error) ? storeErrors.slowPattern(pattern.source) : error;
  }
  const ends = found === '' ? [] : found.split(',').map(Number);
  return Array.from({ length: ends.length / 2 }, (_, index) => ({
    from: ends[2 * index] ?? 0,
    end: ends[2 * index + 1] ?? 0,
  }));
}

/** The error is not an `Error` of this realm, because it comes from the context in which the pattern ran. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

/**
 * Opens a trace. It may still be written, lie in a read-only folder, or be left by a killed process. If the folder is
 * read-only and such a process left a journal, a copy in the temporary folder is read until it is closed.
 *
 * @throws CodedError `trace/…` if it cannot be opened
 */
export function openTraceReader(file: string): TraceReader {
  return new FileTraceReader(path.resolve(file));
}

class FileTraceReader implements TraceReader {
  readonly #file: string;
  readonly #notes: NotesFile;
  #source: Source;
  #views: TraceViews;
  #openings = 0;

  constructor(file: string) {
    this.#file = file;
    this.#notes = new NotesFile(file);
    this.#source = this.#attempt(undefined, () => openSource(file));
    this.#views = this.#viewsOf(this.#source);
  }

  read<T>(ask: (views: TraceViews) => T): T {
    return this.#attempt(this.#source, () => {
      this.#refresh();
      try {
        return this.#readSnapshot(ask);
      } catch (error) {
        if (this.#source.damage !== undefined || !isDamage(error)) throw error;
        this.#replace(openDamaged(this.#file));
        return this.#readSnapshot(ask);
      }
    });
  }

  changeCount(): number {
    return this.#attempt(this.#source, () => {
      this.#refresh();
      return this.#openings * 2 ** 32 + this.#source.connection.number('data_version');
    });
  }

  close(): void {
    // A damaged file is not changed. The files next to it may not even belong to it.
    const over = this.#source.kind === 'direct' && this.#source.damage === undefined && this.#isOver();
    this.#source.close();
    if (over && existsSync(`${this.#file}-wal`)) mergeLeftoverJournal(this.#file);
  }

  #readSnapshot<T>(ask: (views: TraceViews) => T): T {
    return this.#source.connection.snapshot(() => ask(this.#views));
  }

  /** Reopens a source that does not follow the file once the file has changed. */
  #refresh(): void {
    const { kind, stamp, damage } = this.#source;
    const follows = kind === 'direct' && damage === undefined;
    if (follows || (kind !== 'blank' && stamp === stampOf(this.#file))) return;
    const source = openSource(this.#file);
    if (kind === 'blank' && source.kind === 'blank') source.close();
    else this.#replace(source);
  }

  #replace(source: Source): void {
    this.#source.close();
    this.#source = source;
    this.#views = this.#viewsOf(source);
    this.#openings += 1;
  }

  #viewsOf({ connection, format, damage }: Source): TraceViews {
    const file = this.#file;
    return new TraceViews(connection, {
      file,
      format,
      damage,
      code: localCode,
      size: () => sizeOf(file),
      lives: (writer) => isWriterAlive(writer, changedAt(file)),
      matches: boundedMatches,
      notes: this.#notes,
    });
  }

  #isOver(): boolean {
    try {
      return !this.#views.isLive();
    } catch {
      return false; // what cannot be read is left as it is
    }
  }

  #attempt<T>(source: Source | undefined, read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw error instanceof CodedError ? error : readFailure(this.#file, source?.format ?? 0, error);
    }
  }
}

function readFailure(file: string, format: number, error: unknown): CodedError {
  switch (sqliteCode(error)) {
    case sqliteCodes.busy:
    case sqliteCodes.locked:
      return storeErrors.busy(file, error);
    case sqliteCodes.notADatabase:
      return storeErrors.notATrace(file);
    case sqliteCodes.corrupt:
      return traceErrors.damaged(file, messageOf(error), error);
    case sqliteCodes.error:
      // The table or column does not exist.
      return format > formatVersion
        ? storeErrors.newerFormat(file, format, error)
        : traceErrors.damaged(file, messageOf(error), error);
    default:
      return isShortRead(error)
        ? traceErrors.damaged(file, 'the file ends too early', error)
        : storeErrors.cannotRead(file, error);
  }
}

/** Leaves a single file of an ended run. The file keeps its age, because nothing in the run is new. */
function mergeLeftoverJournal(file: string): void {
  try {
    const seconds = changedAt(file) / 1_000;
    const connection = new Connection(file);
    mergeJournal(connection);
    connection.close();
    utimesSync(file, seconds, seconds);
  } catch {
    // The folder is not writable. A reader that can write will do it.
  }
}
