import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError, messageOf } from '../../../base/core/errors.ts';
import {
  exportPieces,
  findSecrets,
  type ExportChoice,
  type ExportNote,
  type FoundSecrets,
} from '../../core/export/exportTrace.ts';
import type { Filter } from '../../core/protocol/traceFilter.ts';
import { fileError } from '../../core/errors.ts';
import { openTraceReader } from '../store/openReader.ts';
import { parseFilter, problemText } from '../../core/filterText.ts';

const exportErrors = {
  overItself: (file: string) =>
    fileError(file, {
      code: 'export/over-itself',
      message: 'A trace cannot be exported over itself.',
      hint: 'Choose another name.',
    }),

  badFilter: (filter: string, what: string) =>
    new CodedError({
      code: 'export/bad-filter',
      message: `"${filter}" is not a valid episode filter. ${what}`,
      hint: 'Use the syntax of the viewer’s filter, for example: group=3, episode=12, reward<0 agent:solver.',
    }),

  cancelled: (file: string) =>
    fileError(file, {
      code: 'export/cancelled',
      message: 'The export was canceled. No file was written.',
    }),

  cannotWrite: (file: string, cause: unknown) =>
    fileError(file, {
      code: 'export/cannot-write',
      message: `The export cannot be written: ${messageOf(cause)}.`,
      hint: 'Choose a folder that is writable and has free space.',
      cause,
    }),
};

export interface JobOptions {
  readonly cancellation: CancellationToken;
  /** Receives the progress from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

export type ExportOptions = ExportChoice & JobOptions;

const chunk = 2 ** 18;

/**
 * Writes a trace in another format. The target file is complete, or unchanged: the export is written next to it and
 * then renamed. Yields to other tasks between pieces, so it can be canceled. A damaged trace is exported as far as it
 * can be read. Resolves to what was written; rejects with a CodedError.
 *
 * @param trace an .ajtrace file
 */
export async function exportTrace(
  trace: string,
  target: string,
  options: ExportOptions,
): Promise<ExportNote> {
  const { cancellation, onProgress } = options;
  const file = path.resolve(target);
  if (file === path.resolve(trace)) throw exportErrors.overItself(file);
  const reader = openTraceReader(trace);
  const part = `${file}.${process.pid}.part`;
  try {
    const descriptor = openSync(part, 'wx');
    let note: ExportNote;
    try {
      let waiting = '';
      note = await turns(exportPieces(reader, options, onProgress), (piece) => {
        if (cancellation.isCancelled) throw exportErrors.cancelled(file);
        waiting += piece;
        if (waiting.length < chunk) return false;
        writeFileSync(descriptor, waiting);
        waiting = '';
        return true;
      });
      writeFileSync(descriptor, waiting);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(part, file);
    return note;
  } catch (error) {
    throw error instanceof CodedError ? error : exportErrors.cannotWrite(file, error);
  } finally {
    if (existsSync(part)) rmSync(part, { force: true });
    reader.close();
  }
}

/** Finds the secrets that an export would remove. Writes nothing. Rejects with a CodedError. */
export async function secretsOf(
  trace: string,
  filter: Filter | undefined,
  { cancellation, onProgress }: JobOptions,
): Promise<readonly FoundSecrets[]> {
  const reader = openTraceReader(trace);
  try {
    return await turns(findSecrets(reader, filter, onProgress), () => {
      if (cancellation.isCancelled) throw exportErrors.cancelled(trace);
      return true;
    });
  } finally {
    reader.close();
  }
}

/** @param take processes a piece, and returns true if other tasks may run now */
async function turns<T, R>(pieces: Generator<T, R>, take: (piece: T) => boolean): Promise<R> {
  for (;;) {
    const { value, done } = pieces.next();
    if (done === true) return value;
    if (take(value)) await new Promise(setImmediate);
  }
}

/** Parses the text of an episode filter; undefined: all episodes. Throws `export/bad-filter`. */
export function filterOf(text: string | undefined): Filter | undefined {
  const parsed = parseFilter(text ?? '');
  if ('problem' in parsed) throw exportErrors.badFilter(text ?? '', problemText(parsed.problem));
  return parsed.filter ?? undefined;
}
