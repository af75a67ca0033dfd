import type { Composition } from '../compose.ts';
import type { ConfigEnvironment } from '../context.ts';
import type { Dialect } from '../dialect.ts';
import { hasInterpolation } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';
import { namingKeys, takesPath } from './namingKeys.ts';

export interface ReferenceRequest {
  readonly document: ConfigDocument;
  readonly dialect: Dialect;
  readonly composition: Composition;
  readonly configEnvironment: ConfigEnvironment;
}

export interface NamedPath {
  /** Undefined where it is not to be known whether it should be here. */
  readonly exists: boolean | undefined;
  /** Absolute, where it is here. */
  readonly file: string | undefined;
  /** Rows of a data set of one JSON object per line. */
  readonly rows: number | undefined;
}

const mostPaths = 500;

/**
 * Looks up the paths that keys hold, by their text: relative to the working folder, else to the folder of the config.
 *
 * @param isProject whether the workspace is the project that the config belongs to, judged by its code
 */
export async function namedPaths(
  request: ReferenceRequest,
  isProject: boolean,
): Promise<Map<string, NamedPath>> {
  const { document, dialect } = request;
  const asked = new Map<string, PathKind>();
  for (const { node, key } of namingKeys(document, dialect.keys())) {
    if (asked.size >= mostPaths) break;
    if (key === undefined || !takesPath(key) || node.kind !== 'scalar') continue;
    if (typeof node.value !== 'string' || node.value === '' || hasInterpolation(node)) continue;
    asked.set(
      node.value,
      key.info?.made === true ? 'made' : key.info?.holds === 'path' ? 'path-or-id' : 'path',
    );
  }
  const looked = [...asked].map(
    async ([text, kind]) => [text, await lookUp(text, kind, request, isProject)] as const,
  );
  return new Map(await Promise.all(looked));
}

/** `path-or-id`: a path, or the id of a model or data set in a hub. */
type PathKind = 'path' | 'path-or-id' | 'made';

async function lookUp(
  text: string,
  kind: PathKind,
  { configEnvironment }: ReferenceRequest,
  isProject: boolean,
): Promise<NamedPath> {
  const { cwd, file, files, paths, rows } = configEnvironment;
  if (/^(?:[a-z][\w+.-]+:\/\/|~)/i.test(text)) return unknown;
  const folders = [...new Set([cwd, paths.dirname(file)])];
  const isThere = (path: string): Promise<boolean> => files.exists(path).catch(() => false);
  for (const folder of folders) {
    const path = paths.resolve(folder, text);
    if (!(await isThere(path))) continue;
    const count = path.endsWith('.jsonl') ? await rows?.(path).catch(() => undefined) : undefined;
    return { exists: true, file: path, rows: count };
  }
  const begins = beginningOf(text, kind, configEnvironment, isProject);
  if (begins === 'nowhere') return unknown;
  if (begins === 'here') return missing;
  const found = await Promise.all(folders.map((folder) => isThere(paths.resolve(folder, begins.folder))));
  return found.includes(true) ? missing : unknown;
}

const unknown: NamedPath = { exists: undefined, file: undefined, rows: undefined };
const missing: NamedPath = { ...unknown, exists: false };

/**
 * Returns the part of a path that must exist here before its absence is a finding. Configs are written for the
 * training machine. A relative path belongs to this workspace if the workspace is the config's project, or has the
 * first folder of the path. An absolute path belongs to it if its parent folder exists.
 */
function beginningOf(
  text: string,
  kind: PathKind,
  { paths }: ConfigEnvironment,
  isProject: boolean,
): 'here' | 'nowhere' | { readonly folder: string } {
  const segments = text.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
  const [first = '', ...rest] = segments;
  if (kind === 'made' || first === '') return 'nowhere';
  if (paths.isAbsolute(text)) return segments.length > 2 ? { folder: paths.dirname(text) } : 'nowhere';
  // As upstream: with up to two slashes it may be an id.
  const mayBeId = kind === 'path-or-id' && !/^\.{1,2}[\\/]/.test(text) && text.split('/').length <= 3;
  if (mayBeId || first === '..') return 'nowhere';
  if (isProject) return 'here';
  return rest.length > 0 ? { folder: first } : 'nowhere';
}

/** One config of each folder of `hydra.searchpath` that is here, by what is written. */
export async function searchFolders({
  composition,
  dialect,
  configEnvironment,
}: ReferenceRequest): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { written, folder } of composition.folders ?? []) {
    if (folder === undefined) continue;
    const names = await configEnvironment.files.list(folder).catch(() => []);
    const configs = names.filter((name) => /\.ya?ml$/.test(name)).toSorted();
    const known = configs.find((name) => dialect.bundled.includes(name.replace(/\.ya?ml$/, '')));
    const name = known ?? configs[0];
    if (name !== undefined) found.set(written, configEnvironment.paths.resolve(folder, name));
  }
  return found;
}
