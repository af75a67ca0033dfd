import { existsSync } from 'node:fs';
import path from 'node:path';
import { CodedError } from '../../../base/errors.ts';
import type { RecordedBatch, RecordedRun, TracedMessage } from '../../../protocol/trace.ts';
import type {
  CallView,
  EpisodesView,
  EpisodeView,
  RunView,
  TimelineView,
  TokensView,
  TraceSummary,
} from '../../../protocol/traceRpc.ts';
import { formatVersion } from '../../../trace/layout.ts';
import type { TraceReader } from '../../../trace/reader.ts';
import { TraceViews } from '../../../trace/views.ts';
import { Connection, sqliteCode, sqliteCodes } from './connection.ts';
import { storeErrors } from './errors.ts';
import { mergeJournal } from './mergeJournal.ts';
import { changedAt, openSource, sizeOf, stampOf, type Source } from './source.ts';
import { livesStill } from './writerLife.ts';

/**
 * Opens a trace, also while it is written, in a read-only folder, or left behind by a process that was killed. Where
 * the folder is read-only and such a process left a journal, a copy in the temporary folder is read, until closed.
 *
 * @throws CodedError `trace/…` when it cannot be opened
 */
export function openTraceReader(file: string): TraceReader {
  return new FileTraceReader(path.resolve(file));
}

class FileTraceReader implements TraceReader {
  readonly #file: string;
  #source: Source;
  #views: TraceViews;
  /** How often the file was opened anew. */
  #openings = 0;

  constructor(file: string) {
    this.#file = file;
    this.#source = this.#attempt(undefined, () => openSource(file));
    this.#views = this.#viewsOf(this.#source);
  }

  run(): RunView {
    return this.#read((views) => views.run());
  }

  episodes(from: number, limit: number): EpisodesView {
    return this.#read((views) => views.episodes(from, limit));
  }

  episode(episode: number): EpisodeView {
    return this.#read((views) => views.episode(episode));
  }

  call(episode: number, call: number): CallView {
    return this.#read((views) => views.call(episode, call));
  }

  timeline(episode: number, timeline: number): TimelineView {
    return this.#read((views) => views.timeline(episode, timeline));
  }

  tokens(episode: number, timeline: number, from: number, limit: number): TokensView {
    return this.#read((views) => views.tokens(episode, timeline, from, limit));
  }

  summary(): TraceSummary {
    return this.#read((views) => views.summary(sizeOf(this.#file)));
  }

  recorded(): RecordedRun {
    return this.#read((views) => views.recorded());
  }

  batch(): RecordedBatch {
    return this.#read((views) => views.batch());
  }

  timelineMessages(episode: number, timeline: number): readonly TracedMessage[] {
    return this.#read((views) => views.timelineMessages(episode, timeline));
  }

  changeCount(): number {
    return this.#attempt(this.#source, () => {
      this.#refresh();
      return this.#openings * 2 ** 32 + this.#source.connection.number('data_version');
    });
  }

  close(): void {
    const over = this.#source.kind === 'direct' && this.#isOver();
    this.#source.close();
    if (over && existsSync(`${this.#file}-wal`)) tidyUp(this.#file);
  }

  #read<T>(ask: (views: TraceViews) => T): T {
    return this.#attempt(this.#source, () => {
      this.#refresh();
      return this.#source.connection.snapshot(() => ask(this.#views));
    });
  }

  /** What stands still is opened anew once the file has changed. */
  #refresh(): void {
    const { kind, stamp } = this.#source;
    if (kind === 'direct' || (kind === 'fixed' && stamp === stampOf(this.#file))) return;
    const source = openSource(this.#file);
    if (kind === 'blank' && source.kind === 'blank') {
      source.close();
      return;
    }
    this.#source.close();
    this.#source = source;
    this.#views = this.#viewsOf(source);
    this.#openings += 1;
  }

  #viewsOf({ connection, format }: Source): TraceViews {
    const file = this.#file;
    return new TraceViews(connection, {
      file,
      format,
      lives: (writer) => livesStill(writer, changedAt(file)),
    });
  }

  /** Whether nobody writes any more. */
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
      return storeErrors.damaged(file, error);
    case sqliteCodes.error:
      // No such table or column.
      return format > formatVersion
        ? storeErrors.newerFormat(file, format, error)
        : storeErrors.damaged(file, error);
    default:
      return storeErrors.cannotRead(file, error);
  }
}

/** The last reader leaves one file of a run that is over. */
function tidyUp(file: string): void {
  try {
    const connection = new Connection(file);
    mergeJournal(connection);
    connection.close();
  } catch {
    // The folder may not be written: whoever may will do it.
  }
}
