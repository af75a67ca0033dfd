import path from 'node:path';
import type { FileReader } from '../../../base/core/ports.ts';
import { tokenizerErrors } from './errors.ts';

export interface CacheEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** `org/name`, or `name` alone: nothing that leads out of a folder. */
export function isModelId(text: string): boolean {
  return /^(?:[\w-][\w.-]*\/)?[\w-][\w.-]*$/.test(text);
}

/** Where fetched tokenizers are kept, `org/name` below it. */
export function ownCache(places: CacheEnvironment): string {
  const local = places.platform === 'win32' ? places.env['LOCALAPPDATA'] : undefined;
  return path.join(notEmpty(local) ?? userCache(places), 'agentjet', 'tokenizers');
}

/** Folders where a model of this id may lie, likeliest first; they need not be there. */
export async function cachedFolders(
  model: string,
  places: CacheEnvironment,
  files: Pick<FileReader, 'readText'>,
): Promise<readonly string[]> {
  const snapshot = await huggingFaceSnapshot(model, places, files);
  return [
    ...(snapshot === undefined ? [] : [snapshot]),
    ...modelScopeFolders(model, places),
    path.join(ownCache(places), ...model.split('/')),
  ];
}

/** As huggingface_hub lays it out: the branch names a revision, and that a folder. */
async function huggingFaceSnapshot(
  model: string,
  places: CacheEnvironment,
  files: Pick<FileReader, 'readText'>,
): Promise<string | undefined> {
  const folder = path.join(huggingFaceCache(places), `models--${model.replaceAll('/', '--')}`);
  const revision = (await files.readText(path.join(folder, 'refs', 'main')))?.trim();
  return revision === undefined || !/^\w+$/.test(revision)
    ? undefined
    : path.join(folder, 'snapshots', revision);
}

/** Where models and data sets of the hub are kept. */
export function huggingFaceCache(places: CacheEnvironment): string {
  const { env } = places;
  const own = notEmpty(env['HF_HUB_CACHE']) ?? notEmpty(env['HUGGINGFACE_HUB_CACHE']);
  return own ?? path.join(huggingFaceHome(places), 'hub');
}

export function huggingFaceHome(places: CacheEnvironment): string {
  return notEmpty(places.env['HF_HOME']) ?? path.join(userCache(places), 'huggingface');
}

/** ModelScope has changed its layout twice, and writes a dot in a name as three underscores. */
function modelScopeFolders(model: string, places: CacheEnvironment): readonly string[] {
  const parts = model.split('/').map((part) => part.replaceAll('.', '___'));
  const root = notEmpty(places.env['MODELSCOPE_CACHE']) ?? path.join(places.home, '.cache', 'modelscope');
  return [['hub', 'models'], ['hub'], ['models'], []].map((between) => path.join(root, ...between, ...parts));
}

function userCache({ env, home }: CacheEnvironment): string {
  return notEmpty(env['XDG_CACHE_HOME']) ?? path.join(home, '.cache');
}

export function notEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/**
 * What a setting names: a file, or the one in a folder.
 *
 * @throws CodedError `tokenizer/not-found`
 */
export async function tokenizerFile(place: string, files: Pick<FileReader, 'exists'>): Promise<string> {
  const inside = path.join(place, 'tokenizer.json');
  if (await files.exists(inside)) return inside;
  const isFile = path.extname(place) === '.json' && (await files.exists(place));
  if (!isFile) throw tokenizerErrors.notFound(place);
  return place;
}
