import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { recordingErrors } from '../../core/model-tuner/recording/errors.ts';
import { partialName } from '../../core/model-tuner/recording/readRecording.ts';
import type { RecordingSink } from '../../core/model-tuner/recording/recordingWriter.ts';
import type { RunRequest } from '../../core/protocol/run.ts';
import { localFiles } from '../../../base/node/files.ts';
import { makeParents } from '../runFolder.ts';

/**
 * A recording while it is made: beside the place where it will be, so that an earlier one there stays whole until this
 * one is. Every line is in the file before `append` returns, however the process ends.
 */
export class RecordingFile implements RecordingSink {
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

  /** Puts the recording in its place. Returns where it is. */
  keep(): string {
    closeSync(this.#descriptor);
    renameSync(this.file, this.#wanted);
    return this.#wanted;
  }

  /** Leaves it where it is, beside its place. */
  leave(): string {
    closeSync(this.#descriptor);
    return this.file;
  }

  remove(): void {
    closeSync(this.#descriptor);
    rmSync(this.file, { force: true });
  }
}

/** Under the first name that is free: what another run left, or is about to write, stays. */
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
