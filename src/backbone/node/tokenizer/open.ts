import inspector from 'node:inspector';
import path from 'node:path';
import { CodedError } from '../../../base/core/errors.ts';
import type { FileReader } from '../../../base/core/ports.ts';
import type { CacheEnvironment } from '../../../base/node/cacheFolder.ts';
import { cachedFolders, isModelId, tokenizerFile, tokenizerErrors } from './modelCaches.ts';
import type { ModelTextSource } from '../../core/context-tracker/modelTextSource.ts';

export interface OpenOptions extends CacheEnvironment {
  /** `ajet.model.path`: a folder or the id of a model. */
  readonly modelPath: string | undefined;
  /** A `tokenizer.json` or the folder of one; it wins. */
  readonly setting: string | undefined;
  /** Relative paths start here, `modelPath` then also in the folder of `configFile`. */
  readonly cwd: string;
  readonly configFile: string;
  readonly files: Pick<FileReader, 'readText' | 'exists'>;
  readonly now?: () => Date;
}

/**
 * Returns the tokenizer and template of the trained model from this machine, else the built-in ones. It fetches
 * nothing. Rejects with `tokenizer/…` when `setting` names nothing, or what cannot be read.
 */
export async function findModelText(options: OpenOptions): Promise<ModelTextSource> {
  const { setting, cwd, files } = options;
  if (setting !== undefined && setting !== '') {
    const file = await tokenizerFile(path.resolve(cwd, setting), files);
    return load(file, path.basename(path.dirname(file)), options);
  }
  return (await findOfModel(options)) ?? builtIn(options);
}

function builtIn(
  { modelPath = '', now = () => new Date() }: OpenOptions,
  problem?: CodedError,
): ModelTextSource {
  const exact = problem === undefined && isQwenInstruct(modelPath);
  const note = { name: exact ? modelPath : 'built-in', exact, file: null };
  return {
    note,
    // It opens in a quarter of a second, also while the user steps, so the first stop of a debugger does not wait for it.
    // Another tokenizer takes half a minute then.
    opensOnDemand: inspector.url() !== undefined,
    ...(problem && { problem }),
    open: async () => {
      const { loadBuiltInText } = await import('./builtIn.ts');
      return loadBuiltInText(note, now);
    },
  };
}

/**
 * Returns true if a path names a model with the built-in tokenizer and its chat template. That is an id of the
 * organization Qwen, or a folder with the name of such a model. Its other models differ. The base models of Qwen2.5
 * have another end token and default system message. Coder, Math, VL and 1M have another template, and Qwen3 has more
 * tokens.
 */
function isQwenInstruct(modelPath: string): boolean {
  const id = modelPath.replaceAll('___', '.'); // ModelScope writes a dot in a name as three underscores.
  const name = path.posix.basename(id.replaceAll('\\', '/'));
  const isOfOthers = isModelId(id) && id !== name && id !== `Qwen/${name}`;
  return !isOfOthers && /^Qwen2\.5-(?:0\.5|1\.5|3|7|14|32|72)B-Instruct$/.test(name);
}

/** A broken tokenizer that the user did not choose is a problem, not an error: the built-in tokenizer replaces it. */
async function findOfModel(options: OpenOptions): Promise<ModelTextSource | undefined> {
  const { modelPath } = options;
  if (modelPath === undefined || modelPath === '') return undefined;
  try {
    const folder = await findFolder(modelPath, options);
    if (folder === undefined) return undefined;
    const file = path.join(folder, 'tokenizer.json');
    if (!(await options.files.exists(file))) throw tokenizerErrors.noTokenizerJson(folder);
    return await load(file, isModelId(modelPath) ? modelPath : path.basename(folder), options);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return builtIn(options, error);
  }
}

async function findFolder(modelPath: string, options: OpenOptions): Promise<string | undefined> {
  const { cwd, configFile, files } = options;
  const local = [path.resolve(cwd, modelPath), path.resolve(path.dirname(configFile), modelPath)];
  for (const folder of local) if (await files.exists(folder)) return folder;
  if (!isModelId(modelPath)) return undefined;
  for (const folder of await cachedFolders(modelPath, options, files)) {
    if (await files.exists(path.join(folder, 'tokenizer.json'))) return folder;
  }
  return undefined;
}

/** Loads a tokenizer. Its libraries are imported only if there is one. */
async function load(file: string, name: string, { files, now }: OpenOptions): Promise<ModelTextSource> {
  const { loadModelText } = await import('./load.ts');
  return loadModelText(file, { name, files, now: now ?? (() => new Date()) });
}
