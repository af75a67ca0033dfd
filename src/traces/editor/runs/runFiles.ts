/** What of the disk belongs to a run, and what its folder may be called. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { contains, type Root } from './runTree.ts';

/** The copy of the config that every run leaves in the folder it made: the mark of such a folder. */
export const configCopy = 'yaml_backup.yaml';

const extension = '.ajtrace';

export function isTrace(file: string): boolean {
  return file.endsWith(extension);
}

/** A whole folder, or, where that holds more than the run, files only. Absolute paths. */
export type RunFiles =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'files'; readonly files: readonly string[] };

/**
 * @param trace absolute
 * @param names what lies in the trace's folder
 */
export function filesOfRun(trace: string, names: readonly string[], roots: readonly Root[]): RunFiles {
  const folder = path.dirname(trace);
  const alone = names.filter(isTrace).length === 1;
  const holdsWorkspace = roots.some((root) => contains(folder, root.path));
  if (names.includes(configCopy) && alone && !holdsWorkspace) return { kind: 'folder', folder };
  const own = [path.basename(trace), ...journalsOf(path.basename(trace))];
  return {
    kind: 'files',
    files: own.filter((name) => names.includes(name)).map((name) => path.join(folder, name)),
  };
}

/** Files that a database keeps beside itself while it is open, or after its process was killed. */
function journalsOf(trace: string): string[] {
  return ['-wal', '-shm', '-journal'].map((suffix) => trace + suffix);
}

/** Names that Windows keeps for devices, whatever their extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
/** What Windows allows in no name; the separators have a message of their own. */
const forbidden = /[<>:"|?*\p{Cc}]/u;
/** Bytes of UTF-8, on common file systems. */
const longestName = 255;

/**
 * Why a folder cannot be called so, as a sentence; undefined when it can. Names that would not survive a move to another
 * system are refused on every system.
 *
 * @param siblings what lies beside the folder, the folder itself excluded
 */
export function problemOfName(name: string, siblings: readonly string[]): string | undefined {
  if (name.trim() === '') return l10n.t('A run needs a name.');
  if (/[/\\]/.test(name)) return l10n.t('A name has no / and no \\.');
  if (name === '.' || name === '..') return l10n.t('"{0}" is no name of a folder.', name);
  if (name !== name.trim()) return l10n.t('A name does not begin or end with a space.');
  if (name.endsWith('.')) return l10n.t('A name does not end with a full stop.');
  const bad = forbidden.exec(name);
  if (bad && /\p{Cc}/u.test(bad[0])) return l10n.t('A name has no control characters.');
  if (bad) return l10n.t('A name has no {0}.', bad[0]);
  if (devices.test(name)) return l10n.t('Windows keeps the name {0} for a device.', name);
  if (new TextEncoder().encode(name).length > longestName) {
    return l10n.t('A name has at most {0} bytes.', longestName);
  }
  const taken = siblings.find((sibling) => sibling.toLowerCase() === name.toLowerCase());
  return taken === undefined ? undefined : l10n.t('There is already a "{0}" beside it.', taken);
}
