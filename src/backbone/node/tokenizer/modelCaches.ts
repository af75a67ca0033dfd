import path from 'node:path';
import type { FileReader } from '../../../base/core/ports.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { agentjetCache, notEmpty, userCache, type CacheEnvironment } from '../../../base/node/cacheFolder.ts';

/** Returns true for `org/name` or `name`, without parts that lead out of a folder. */
export function isModelId(text: string): boolean {
  return /^(?:[\w-][\w.-]*\/)?[\w-][\w.-]*$/.test(text);
}

/** Returns the folder of fetched tokenizers, with `org/name` below it. */
export function ownCache(places: CacheEnvironment): string {
  return path.join(agentjetCache(places), 'tokenizers');
}

/** Returns folders that can have a model of this id, the most likely first. They need not exist. */
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

/** Returns the folder of a model in the cache of huggingface_hub: a branch names a revision, and that a folder. */
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

/** Returns the folder of models and data sets of the hub. */
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

/** Returns the file that a setting names, or the one in its folder. Rejects with `tokenizer/not-found`. */
export async function tokenizerFile(place: string, files: Pick<FileReader, 'exists'>): Promise<string> {
  const inside = path.join(place, 'tokenizer.json');
  if (await files.exists(inside)) return inside;
  const isFile = path.extname(place) === '.json' && (await files.exists(place));
  if (!isFile) throw tokenizerErrors.notFound(place);
  return place;
}

export const tokenizerErrors = {
  notFound: (file: string) =>
    new CodedError({
      code: 'tokenizer/not-found',
      message: 'The tokenizer does not exist.',
      location: { file },
      hint: 'Select a tokenizer.json or its folder, or remove the option to use the tokenizer of ajet.model.path.',
    }),

  broken: (file: string, reason: string, cause?: unknown) =>
    new CodedError({
      code: 'tokenizer/broken',
      message: `The tokenizer cannot be read: ${reason}.`,
      location: { file },
      hint: 'Fetch it again ("AgentJet: Fetch Tokenizer"), or choose another ("AgentJet: Choose Tokenizer").',
      cause,
    }),

  noTokenizerJson: (folder: string) =>
    new CodedError({
      code: 'tokenizer/no-tokenizer-json',
      message: 'The folder of the model has no tokenizer.json, so the built-in tokenizer is used.',
      location: { file: folder },
      hint: 'Save a fast tokenizer in the folder, or choose another tokenizer ("AgentJet: Choose Tokenizer").',
    }),

  noTemplate: (file: string) =>
    new CodedError({
      code: 'tokenizer/no-template',
      message:
        'The folder of this tokenizer has no chat template, so the template of Qwen2.5 (ChatML) is used.',
      location: { file },
      hint: "Put the model's chat_template.jinja or tokenizer_config.json into the folder.",
    }),

  badModelId: (model: string) =>
    new CodedError({
      code: 'tokenizer/bad-model-id',
      message: `"${model}" is not the id of a model on a hub.`,
      hint: 'Use an id of the hub, for example Qwen/Qwen2.5-7B-Instruct.',
    }),

  badEndpoint: (endpoint: string) =>
    new CodedError({
      code: 'tokenizer/bad-endpoint',
      message: `"${endpoint}" is not an http or https address.`,
      hint: 'Correct or unset the environment variable HF_ENDPOINT.',
    }),

  fetchTooLarge: (url: string, limit: number) =>
    new CodedError({
      code: 'tokenizer/fetch-too-large',
      message: `${url} is larger than ${Math.floor(limit / 2 ** 20)} MB, which is too large for a tokenizer.`,
      hint: 'Check that the id is that of a language model.',
    }),
};
