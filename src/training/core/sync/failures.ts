import { CodedError } from '../../../base/core/errors.ts';
import { sizeText } from '../../../base/core/format.ts';

export const syncErrors = {
  /** @param why the reason from the jail */
  refusedPath: (path: string, why: string) =>
    new CodedError({
      code: 'sync/path-refused',
      message: `The path ${shown(path)} is not allowed: ${why}.`,
      hint: 'No file was written. Rename the file, or exclude it in .agentjetignore.',
    }),
  badManifest: (why: string) =>
    new CodedError({
      code: 'sync/bad-manifest',
      message: `Invalid list of files: ${why}.`,
      hint: 'Sync again. If the error persists, use the same version of AgentJet on both sides.',
    }),
  badPack: (why: string) =>
    new CodedError({
      code: 'sync/bad-pack',
      message: `Invalid upload: ${why}.`,
      hint: 'Sync again. If the error persists, use the same version of AgentJet on both sides.',
    }),
  contentDiffers: (what: string) =>
    new CodedError({
      code: 'sync/content-differs',
      message: `${what} differs from the announced content.`,
      hint: 'Sync again. The file changed during the upload, or the connection damaged it.',
    }),
  noContent: (sha256: string) =>
    new CodedError({
      code: 'sync/no-content',
      message: `The host does not have the content ${sha256.slice(0, 12)}….`,
      hint: 'Sync again. Missing files are then sent.',
    }),
  noSnapshot: (snapshot: string) =>
    new CodedError({
      code: 'sync/no-snapshot',
      message: `The host does not have the snapshot ${snapshot.slice(0, 12)}….`,
      hint: 'Sync again, then start the run.',
    }),
  notEmpty: (folder: string) =>
    new CodedError({
      code: 'sync/not-empty',
      message: `The folder ${folder} is not empty.`,
      hint: 'Choose a folder that does not exist yet.',
      location: { file: folder },
    }),
  cancelled: () => new CodedError({ code: 'sync/cancelled', message: 'The sync was canceled.' }),
  /** @param room bytes left for contents */
  noRoom: (bytes: number, room: number) =>
    new CodedError({
      code: 'host/disk-full',
      message: `The disk of the host does not have enough space for ${sizeText(bytes)}. At most ${sizeText(Math.max(0, room))} can be sent.`,
      hint: 'Remove ended runs with their checkpoints, or use another data folder for the host.',
    }),
  diskFull: (cause: unknown) =>
    new CodedError({
      code: 'host/disk-full',
      message: 'The disk of the host is full.',
      hint: 'Remove ended runs with their checkpoints, or use another data folder for the host.',
      cause,
    }),
  noFile: (path: string) =>
    new CodedError({
      code: 'host/no-file',
      message: `The run's folder has no file ${shown(path)}.`,
      hint: 'List the files again. Training removes old checkpoints.',
    }),
  tooManyFiles: (most: number) =>
    new CodedError({
      code: 'host/too-many-files',
      message: `The run's folder has more than ${most} files.`,
      hint: 'Name a subfolder.',
    }),
  noJobFolder: (run: string) =>
    new CodedError({
      code: 'host/no-job-folder',
      message: `The run ${run} has no job folder.`,
      hint: 'Wait until the run has started. A run that failed before it started has none.',
    }),
  tooLarge: (
    tree: { readonly files: number; readonly bytes: number },
    limit: { readonly files: number; readonly bytes: number },
    biggest: readonly string[],
  ) => {
    // A size just above the limit must not look equal to it.
    const closeTo = (bytes: number): string => sizeText(bytes, 2);
    return new CodedError({
      code: 'sync/too-large',
      message:
        `The folder is too large to send: ${tree.files} files, ${closeTo(tree.bytes)}. The limit is ${limit.files} files, ` +
        `${closeTo(limit.bytes)}. Largest folders: ${biggest.join(', ')}.`,
      hint:
        tree.files > limit.files
          ? 'Exclude files that the run does not need in .agentjetignore.'
          : 'Exclude files that the run does not need in .agentjetignore, or raise the limit: in the editor with the ' +
            'setting `agentjet.training.uploadLimit`, on a command line with `--limit 4G`.',
    });
  },
  noSuchRoot: (root: string, cause: unknown) =>
    new CodedError({
      code: 'sync/no-folder',
      message: `Cannot read the folder ${root}.`,
      hint: 'Choose the folder that contains the code of the run.',
      location: { file: root },
      cause,
    }),
  changedWhileSent: (file: string) =>
    new CodedError({
      code: 'sync/changed-while-sent',
      message: `${file} changed during the upload.`,
      hint: 'Sync again.',
      location: { file },
    }),
  unreadable: (file: string, cause: unknown) =>
    new CodedError({
      code: 'sync/unreadable',
      message: `Cannot read ${file}.`,
      hint: 'Change its permissions, or exclude it in .agentjetignore.',
      location: { file },
      cause,
    }),
  noCheckpointFiles: (path: string) =>
    new CodedError({
      code: 'sync/no-checkpoint',
      message: `The host has no files of the checkpoint ${shown(path)}.`,
      hint: 'List the checkpoints again. Training removes old ones.',
    }),
  targetTaken: (target: string) =>
    new CodedError({
      code: 'sync/target-taken',
      message: `${target} already exists.`,
      hint: 'Choose another folder, or remove this one.',
      location: { file: target },
    }),
};

function shown(path: string): string {
  const text = JSON.stringify(path);
  return text.length > 120 ? `${text.slice(0, 117)}…"` : text;
}
