import path from 'node:path';
import { CodedError } from '../../base/errors.ts';

export function noAnswer(): CodedError {
  return new CodedError({
    code: 'runs/no-answer',
    message: 'Reading the runs took too long and was given up.',
    hint: 'Refresh the view to try again.',
  });
}

/** @param name as the view shows the run */
export function stillRunning(name: string): CodedError {
  return new CodedError({
    code: 'runs/still-running',
    message: `The run ${name} is still going.`,
    hint: 'Stop it, or wait until it ends.',
  });
}

export function folderShared(trace: string): CodedError {
  return new CodedError({
    code: 'runs/folder-shared',
    message: 'The folder of this trace holds more than its run, so it is not renamed.',
    location: { file: trace },
    hint: 'Rename the trace itself in the Explorer.',
  });
}

export function configGone(config: string, trace: string): CodedError {
  return new CodedError({
    code: 'runs/config-gone',
    message: 'The config of this run is no longer there.',
    location: { file: config },
    hint: `A copy of it, as it was, may be in ${path.dirname(trace)}.`,
  });
}

export function cannotRename(folder: string, cause: unknown): CodedError {
  return new CodedError(
    {
      code: 'runs/cannot-rename',
      message: `The folder of the run cannot be renamed: ${reasonOf(cause)}`,
      location: { file: folder },
      hint: 'Close what uses files in it, and see that you may write there.',
    },
    { cause },
  );
}

export function cannotDelete(file: string, cause: unknown): CodedError {
  return new CodedError(
    {
      code: 'runs/cannot-delete',
      message: `The run cannot be deleted: ${reasonOf(cause)}`,
      location: { file },
      hint: 'Close what uses its files, and see that you may write there.',
    },
    { cause },
  );
}

/** As a sentence. */
export function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.endsWith('.') ? text : `${text}.`;
}
