import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { CodedError } from '../../../base/core/errors.ts';

export function noAnswer(): CodedError {
  return new CodedError({
    code: 'runs/no-answer',
    message: l10n.t('Reading the runs took too long and was stopped.'),
    hint: l10n.t('Refresh the view to try again.'),
  });
}

/** @param name the run's name in the view */
export function stillRunning(name: string): CodedError {
  return new CodedError({
    code: 'runs/still-running',
    message: l10n.t('The run {0} is still active.', name),
    hint: l10n.t('Stop it, or wait until it ends.'),
  });
}

export function folderShared(trace: string): CodedError {
  return new CodedError({
    code: 'runs/folder-shared',
    message: l10n.t('The folder of this trace contains other files, so it cannot be renamed.'),
    location: { file: trace },
    hint: l10n.t('Rename the trace itself in the Explorer.'),
  });
}

export function configGone(config: string, trace: string): CodedError {
  return new CodedError({
    code: 'runs/config-gone',
    message: l10n.t('The config of this run does not exist any more.'),
    location: { file: config },
    hint: l10n.t('A copy from the time of the run may be in {0}.', path.dirname(trace)),
  });
}

export function cannotRename(folder: string, cause: unknown): CodedError {
  return new CodedError({
    code: 'runs/cannot-rename',
    message: l10n.t('The folder of the run cannot be renamed: {0}', reasonOf(cause)),
    location: { file: folder },
    hint: l10n.t('Close programs that use files in it, and check that you can write to it.'),
    cause,
  });
}

export function cannotDelete(file: string, cause: unknown): CodedError {
  return new CodedError({
    code: 'runs/cannot-delete',
    message: l10n.t('The run cannot be deleted: {0}', reasonOf(cause)),
    location: { file },
    hint: l10n.t('Close programs that use its files, and check that you can write to its folder.'),
    cause,
  });
}

/** Returns the message of an error as a sentence. */
export function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.endsWith('.') ? text : `${text}.`;
}
