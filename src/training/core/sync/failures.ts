import { CodedError } from '../../../base/core/errors.ts';
import { sizeText } from '../../../base/core/format.ts';

/** @param why the reason from the jail */
export function refusedPath(path: string, why: string): CodedError {
  return new CodedError({
    code: 'sync/path-refused',
    message: `The path ${shown(path)} is refused: ${why}.`,
    hint: 'Nothing was written. Rename the file, or leave it out with a line in .agentjetignore.',
  });
}

export function badManifest(why: string): CodedError {
  return new CodedError({
    code: 'sync/bad-manifest',
    message: `The list of files is refused: ${why}.`,
    hint: 'Sync again; where that does not help, client and host are of versions that do not go together.',
  });
}

export function badPack(why: string): CodedError {
  return new CodedError({
    code: 'sync/bad-pack',
    message: `What was sent is no pack of contents: ${why}.`,
    hint: 'Sync again; where that does not help, client and host are of versions that do not go together.',
  });
}

export function contentDiffers(what: string): CodedError {
  return new CodedError({
    code: 'sync/content-differs',
    message: `${what} is not what was announced.`,
    hint: 'Sync again: the file was changed while it was sent, or the connection spoilt it.',
  });
}

export function noContent(sha256: string): CodedError {
  return new CodedError({
    code: 'sync/no-content',
    message: `The host does not have the content ${sha256.slice(0, 12)}….`,
    hint: 'Sync again: what the host lacks is sent.',
  });
}

export function noSnapshot(snapshot: string): CodedError {
  return new CodedError({
    code: 'sync/no-snapshot',
    message: `The host does not have the snapshot ${snapshot.slice(0, 12)}….`,
    hint: 'Sync again, then start the run.',
  });
}

export function notEmpty(folder: string): CodedError {
  return new CodedError({
    code: 'sync/not-empty',
    message: `The folder ${folder} is not empty.`,
    hint: 'Name one that is not there yet.',
    location: { file: folder },
  });
}

export function cancelled(): CodedError {
  return new CodedError({ code: 'sync/cancelled', message: 'The sync was cancelled.' });
}

/** @param room bytes left for contents */
export function noRoom(bytes: number, room: number): CodedError {
  return new CodedError({
    code: 'host/disk-full',
    message: `The disk of the host has no room for ${sizeText(bytes)}: ${sizeText(Math.max(0, room))} may still be sent.`,
    hint: 'Remove ended runs with their checkpoints, or give the host another data folder.',
  });
}

export function diskFull(cause: unknown): CodedError {
  return new CodedError(
    {
      code: 'host/disk-full',
      message: 'The disk of the host is full.',
      hint: 'Remove ended runs with their checkpoints, or give the host another data folder.',
    },
    { cause },
  );
}

export function noFile(path: string): CodedError {
  return new CodedError({
    code: 'host/no-file',
    message: `The run's folder has no file ${shown(path)}.`,
    hint: 'List the files again: training removes old checkpoints.',
  });
}

export function tooManyFiles(most: number): CodedError {
  return new CodedError({
    code: 'host/too-many-files',
    message: `The run's folder has more than ${most} files.`,
    hint: 'Name a folder in it.',
  });
}

export function noJobFolder(run: string): CodedError {
  return new CodedError({
    code: 'host/no-job-folder',
    message: `The run ${run} has no folder for its results.`,
    hint: 'Wait until the run has started; one that failed before that leaves none.',
  });
}

export function tooLarge(
  tree: { readonly files: number; readonly bytes: number },
  limit: { readonly files: number; readonly bytes: number },
  biggest: readonly string[],
): CodedError {
  // A size just above the limit must not look equal to it.
  const closeTo = (bytes: number): string => sizeText(bytes, 2);
  return new CodedError({
    code: 'sync/too-large',
    message:
      `${tree.files} files of ${closeTo(tree.bytes)} are more than the ${limit.files} files or ${closeTo(limit.bytes)} ` +
      `that are sent; the biggest folders: ${biggest.join(', ')}.`,
    hint:
      tree.files > limit.files
        ? 'Leave out what the run does not need with lines in .agentjetignore.'
        : 'Leave out what the run does not need with lines in .agentjetignore, or raise the limit: in the editor with the ' +
          'setting `agentjet.trainingUploadLimit`, on a command line with `--limit 4G`.',
  });
}

export function noSuchRoot(root: string, cause: unknown): CodedError {
  return new CodedError(
    {
      code: 'sync/no-folder',
      message: `The folder ${root} cannot be read.`,
      hint: 'Choose the folder that holds the code of the run.',
      location: { file: root },
    },
    { cause },
  );
}

export function changedWhileSent(file: string): CodedError {
  return new CodedError({
    code: 'sync/changed-while-sent',
    message: `${file} was changed while it was sent.`,
    hint: 'Sync again.',
    location: { file },
  });
}

export function unreadable(file: string, cause: unknown): CodedError {
  return new CodedError(
    {
      code: 'sync/unreadable',
      message: `${file} cannot be read.`,
      hint: 'Give yourself the right to read it, or leave it out with a line in .agentjetignore.',
      location: { file },
    },
    { cause },
  );
}

export function noCheckpointFiles(path: string): CodedError {
  return new CodedError({
    code: 'sync/no-checkpoint',
    message: `The host has no files of the checkpoint ${shown(path)}.`,
    hint: 'List the checkpoints again: training removes old ones.',
  });
}

export function targetTaken(target: string): CodedError {
  return new CodedError({
    code: 'sync/target-taken',
    message: `${target} is there already.`,
    hint: 'Choose another folder, or remove this one.',
    location: { file: target },
  });
}

function shown(path: string): string {
  const text = JSON.stringify(path);
  return text.length > 120 ? `${text.slice(0, 117)}…"` : text;
}
