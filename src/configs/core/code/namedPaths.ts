import { distance } from 'fastest-levenshtein';
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
  /** The path as written, with the most similar name in its folder, where it is missing. */
  readonly similar?: string | undefined;
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
  const isOfWorkspace =
    begins === 'here' ||
    (await Promise.all(folders.map((folder) => isThere(paths.resolve(folder, begins.folder))))).includes(
      true,
    );
  if (!isOfWorkspace) return unknown;
  return { ...unknown, exists: false, similar: await similarPath(text, folders, configEnvironment) };
}

/** Searches the folder of a missing path for a name that differs in a few letters, or in its ending. */
async function similarPath(
  text: string,
  folders: readonly string[],
  { files, paths }: ConfigEnvironment,
): Promise<string | undefined> {
  const name = paths.basename(text);
  const stem = name.replace(/\.\w+$/, '');
  const likeness = (other: string): number =>
    other.replace(/\.\w+$/, '') === stem ? 0 : distance(other, name);
  for (const folder of folders) {
    const parent = paths.dirname(paths.resolve(folder, text));
    const names = await files.list(parent).catch(() => []);
    const [best] = [...names].sort((a, b) => likeness(a) - likeness(b));
    if (best === undefined || likeness(best) > Math.max(1, name.length / 4)) continue;
    return text.slice(0, text.length - name.length) + best;
  }
  return undefined;
}

const unknown: NamedPath = { exists: undefined, file: undefined, rows: undefined };

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
