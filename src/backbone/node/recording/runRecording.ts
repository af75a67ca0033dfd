import { counted } from '../client/runReport.ts';
import path from 'node:path';
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { FinishedCall } from '../../core/model-tuner/call.ts';
import { RecordingWriter, type RecordingSink } from '../../core/model-tuner/recording/recordingWriter.ts';
import type { EpisodeName, EpisodeNames } from '../../core/model-tuner/recording/episodeNames.ts';
import { recordingErrors } from '../../core/model-tuner/recording/errors.ts';
import { recordingFormat, recordingVersion } from '../../core/model-tuner/recording/format.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { toReport, type CodedError } from '../../../base/core/errors.ts';
import type { RunEvent, RunRequest } from '../../core/protocol/run.ts';
import { systemClock } from '../../../base/node/clock.ts';
import { partialName } from '../../core/model-tuner/recording/readRecording.ts';
import { localFiles } from '../../../base/node/files.ts';
import { makeParents } from '../runFolder.ts';

/**
 * A recording in progress. It is written next to its final path, so that an earlier recording there stays intact.
 * `append` returns once the line is in the file.
 */
class RecordingFile implements RecordingSink {
  readonly file: string;
  readonly #wanted: string;
  readonly #descriptor: number;

  private constructor(wanted: string, file: string, descriptor: number) {
    this.#wanted = wanted;
    this.file = file;
    this.#descriptor = descriptor;
  }

  /** Rejects with `recording/exists` or `recording/cannot-write`. */
  static async open({ file, overwrite }: NonNullable<RunRequest['record']>): Promise<RecordingFile> {
    if (!overwrite && (await localFiles.exists(file))) throw recordingErrors.exists(file);
    try {
      await makeParents(path.dirname(file));
      return createFree(
        partialName(file),
        (partial, descriptor) => new RecordingFile(file, partial, descriptor),
      );
    } catch (error) {
      throw recordingErrors.cannotWrite(file, error);
    }
  }

  append(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    for (let written = 0; written < bytes.length;) written += writeSync(this.#descriptor, bytes, written);
  }

  /** Moves the recording to its final path, and returns that. */
  keep(): string {
    closeSync(this.#descriptor);
    renameSync(this.file, this.#wanted);
    return this.#wanted;
  }

  /** Keeps the incomplete recording at its current path, and returns that. */
  leave(): string {
    closeSync(this.#descriptor);
    return this.file;
  }

  remove(): void {
    closeSync(this.#descriptor);
    rmSync(this.file, { force: true });
  }
}

/** Creates a file under the first free name, so that files of other runs stay. */
function createFree<T>(wanted: string, made: (file: string, descriptor: number) => T): T {
  for (let number = 1; ; number++) {
    const file = number === 1 ? wanted : `${wanted}-${number}`;
    try {
      return made(file, openSync(file, 'wx'));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

export interface RunRecordingOptions {
  readonly names: EpisodeNames;
  /** The description of the model. */
  readonly model: string;
  /** The cancellation of the run. */
  readonly cancellation: CancellationToken;
  readonly emit: (event: RunEvent) => void;
}

/** The recording of a run. */
export interface RunRecording {
  take(call: FinishedCall): void;
  episodeEnded(episode: EpisodeName): void;
  close(): void;
}

/**
 * Opens the recording of a run, or returns undefined if none was requested. Rejects with `recording/exists` or
 * `recording/cannot-write`.
 */
export async function openRunRecording(
  request: Pick<RunRequest, 'record' | 'config'>,
  options: RunRecordingOptions,
): Promise<RunRecording | undefined> {
  const { record, config } = request;
  if (record === undefined) return undefined;
  const { names, cancellation, emit } = options;
  const file = await RecordingFile.open(record);
  const warn = (problem: CodedError): void =>
    emit({ type: 'problem', severity: 'warning', report: toReport(problem, problem.code) });
  const recorder = new RecordingWriter({
    header: {
      format: recordingFormat,
      version: recordingVersion,
      createdAt: new Date(systemClock.now()).toISOString(),
      config: path.basename(config),
      model: options.model,
    },
    sink: file,
    names,
    secrets: keysIn(request),
    isStopping: () => cancellation.isCancelled,
    warn,
  });
  return {
    take: (call) => recorder.take(call),
    episodeEnded: (episode) => recorder.episodeEnded(episode),
    close: () => {
      try {
        emit({ type: 'log', level: 'info', message: finish(file, recorder, cancellation) });
      } catch (error) {
        warn(recordingErrors.goesNoFurther(file.file, error));
      }
    },
  };
}

/** Returns the API keys of all servers in the request. */
function keysIn(request: object): readonly string[] {
  return Object.entries(request).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'string') return name === 'apiKey' ? [value] : [];
    return typeof value === 'object' && value !== null ? keysIn(value) : [];
  });
}

/** Completes a recording. Only that of a completed run replaces an earlier one. */
function finish(file: RecordingFile, recorder: RecordingWriter, { isCancelled }: CancellationToken): string {
  const { calls } = recorder;
  if (calls === 0) {
    file.remove();
    return 'Nothing was recorded: the run made no LLM calls.';
  }
  const count = counted(calls, 'LLM call');
  if (isCancelled || !recorder.isWhole) {
    return `Recorded ${count} of a run that did not complete: ${file.leave()}`;
  }
  return `Recorded ${count}: ${file.keep()}`;
}
