import type { FileReader, PathRules } from '../../../base/core/ports.ts';
import type { ConfigProblem } from '../finding.ts';
import { locationOf, type Value } from '../value.ts';

/** One entry of `hydra.searchpath`; `folder` is undefined when it is not on this machine. */
export interface SearchFolder {
  readonly written: string;
  readonly folder: string | undefined;
}

export interface SearchContext {
  /** The folder that training starts in. Relative entries are searched here first, as upstream does. */
  readonly cwd: string;
  /** The absolute path of the config. Relative entries are searched next to it if `cwd` does not have them. */
  readonly file: string;
  readonly files: FileReader;
  readonly paths: PathRules;
  /** Folders that Python imports packages from, which `pkg://` entries are also searched in. */
  readonly packages?: readonly string[] | undefined;
}

/** Places that Hydra can search and this program cannot. */
const elsewhere = 'structured://';
/** Folders of Python packages. */
const inPackage = /^pkg:\/\/([\w.]+)$/;

/**
 * The search path of a config, in its order: what `hydra.searchpath` gives, its interpolations resolved. `file://`
 * entries, plain paths and `pkg://` entries can be followed here.
 */
export async function readSearchPath(
  list: Value,
  context: SearchContext,
): Promise<{ folders: SearchFolder[]; problems: ConfigProblem[] }> {
  const problems: ConfigProblem[] = [];
  if (list.kind === 'scalar' && list.value === null) return { folders: [], problems };
  if (list.kind !== 'sequence') {
    problems.push(problemAt(list, 'error', '`hydra.searchpath` must be a list of strings.'));
    return { folders: [], problems };
  }
  const folders: SearchFolder[] = [];
  for (const item of list.items) {
    const written = item.kind === 'scalar' && typeof item.value === 'string' ? item.value : undefined;
    const dotted = written === undefined ? undefined : inPackage.exec(written)?.[1];
    const path = dotted?.replaceAll('.', '/') ?? (written === undefined ? undefined : filePath(written));
    if (written !== undefined && path !== undefined) {
      folders.push({ written, folder: await existing(path, context) });
    } else if (written !== undefined && written.startsWith(elsewhere)) {
      const message = 'This entry of `hydra.searchpath` is not a folder, so it is ignored.';
      problems.push(problemAt(item, 'warning', message));
    } else {
      problems.push(problemAt(item, 'error', 'This entry of `hydra.searchpath` is not a folder.'));
    }
  }
  return { folders, problems };
}

/** `file://ajet/x` is relative, `file:///srv/x` absolute; no scheme means the same. */
function filePath(written: string): string | undefined {
  const [, scheme, path] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(written) ?? [];
  if (path === undefined || path === '' || (scheme !== undefined && scheme !== 'file')) return undefined;
  // `file:/x` and the like: Hydra knows schemes by `://` alone.
  if (scheme === undefined && /^[a-z][a-z0-9+.-]+:/i.test(path)) return undefined;
  return path.replace(/^\/(?=[A-Za-z]:[\\/])/, '');
}

async function existing(
  path: string,
  { cwd, file, files, paths, packages = [] }: SearchContext,
): Promise<string | undefined> {
  for (const base of [cwd, paths.dirname(file), ...packages]) {
    const folder = paths.resolve(base, path);
    if (await files.exists(folder)) return folder;
  }
  return undefined;
}

function problemAt(value: Value, severity: ConfigProblem['severity'], message: string): ConfigProblem {
  const location = locationOf(value);
  return {
    code: 'config/search-path',
    severity,
    message,
    hint: 'List folders as `file://path/to/folder`.',
    ...(location && { location }),
  };
}
