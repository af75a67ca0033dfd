/** Determines which files on disk belong to a run, and which names its folder may have. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { notesSuffix } from '../../core/notes.ts';
import { contains, type Root } from './runTree.ts';

/** The copy of the config that every run saves in its folder, which identifies such a folder. */
export const configCopy = 'yaml_backup.yaml';

/** The file with the state of a training, in its folder. The traces of its steps are in a folder below. */
export const trainingMark = 'training.json';
const trainingTraces = 'steps';

const extension = '.ajtrace';

/** Returns the folder that is a training if it has the {@link trainingMark}. Undefined: no training has the trace there. */
export function possibleTraining(trace: string): string | undefined {
  const folder = path.dirname(trace);
  // Steps that were trained again are one folder deeper.
  const parents = [folder, path.dirname(folder)];
  const steps = parents.find((one) => path.basename(one) === trainingTraces);
  return steps && path.dirname(steps);
}

export function isTrace(file: string): boolean {
  return file.endsWith(extension);
}

/** A whole folder, or only files if the folder contains more than the run. Paths are absolute. */
export type RunFiles =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'files'; readonly files: readonly string[] };

/** @param names the names in the trace's folder */
export function filesOfRun(trace: string, names: readonly string[], roots: readonly Root[]): RunFiles {
  const folder = path.dirname(trace);
  const alone = names.filter(isTrace).length === 1;
  const holdsWorkspace = roots.some((root) => contains(folder, root.path));
  if (names.includes(configCopy) && alone && !holdsWorkspace) return { kind: 'folder', folder };
  const own = [path.basename(trace), ...companionsOf(path.basename(trace))];
  return {
    kind: 'files',
    files: own.filter((name) => names.includes(name)).map((name) => path.join(folder, name)),
  };
}

/**
 * Returns the files that SQLite keeps next to an open database, or leaves after its process was killed, and the notes of
 * the user.
 */
function companionsOf(trace: string): string[] {
  return ['-wal', '-shm', '-journal', notesSuffix].map((suffix) => trace + suffix);
}

/** Names that Windows reserves for devices, with any extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
/** Characters that Windows does not allow in names. Separators have a separate message. */
const forbidden = /[<>:"|?*\p{Cc}]/u;
/** The maximum length in bytes of UTF-8 on common file systems. */
const longestName = 255;

/** Returns why a name is invalid on any system, as a sentence. `siblings` are the other names in the folder. */
export function problemOfName(name: string, siblings: readonly string[]): string | undefined {
  if (name.trim() === '') return l10n.t('A run needs a name.');
  if (/[/\\]/.test(name)) return l10n.t('A name cannot contain / or \\.');
  if (name === '.' || name === '..') return l10n.t('"{0}" is not a valid folder name.', name);
  if (name !== name.trim()) return l10n.t('A name cannot begin or end with a space.');
  if (name.endsWith('.')) return l10n.t('A name cannot end with a period.');
  const bad = forbidden.exec(name);
  if (bad && /\p{Cc}/u.test(bad[0])) return l10n.t('A name cannot contain control characters.');
  if (bad) return l10n.t('A name cannot contain {0}.', bad[0]);
  if (devices.test(name)) return l10n.t('Windows reserves the name {0} for a device.', name);
  if (new TextEncoder().encode(name).length > longestName) {
    return l10n.t('A name can have at most {0} bytes.', longestName);
  }
  const taken = siblings.find((sibling) => sibling.toLowerCase() === name.toLowerCase());
  return taken === undefined ? undefined : l10n.t('The folder already contains "{0}".', taken);
}
