import path from 'node:path';
import { CodedError } from '../../base/errors.ts';
import type { FileReader } from '../../base/ports.ts';
import { embeddedNote } from '../../tracking/tokenizer/embeddedNote.ts';
import { cachedFolders, isModelId, tokenizerFile, type CachePlaces } from './places.ts';
import { tokenizerErrors } from './errors.ts';
import type { FoundText } from './load.ts';

export interface OpenOptions extends CachePlaces {
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
 * The text side of the model that is trained: its own tokenizer where there is one on this machine, else the embedded
 * one. Nothing is fetched. What takes time is left to `open`, so that a run need not wait for it.
 *
 * @throws CodedError `tokenizer/…` when `setting` names nothing, or what cannot be read
 */
export async function findModelText(options: OpenOptions): Promise<FoundText> {
  const { setting, cwd, files } = options;
  if (setting !== undefined && setting !== '') {
    const file = await tokenizerFile(path.resolve(cwd, setting), files);
    return load(file, path.basename(path.dirname(file)), options);
  }
  return (await findOfModel(options)) ?? embedded(options);
}

function embedded({ now }: OpenOptions, problem?: CodedError): FoundText {
  return {
    note: embeddedNote,
    ...(problem && { problem }),
    open: async () => {
      const { loadEmbeddedText } = await import('./embedded.ts');
      return loadEmbeddedText(now);
    },
  };
}

/** What is broken here, the user did not name: it is told, and the embedded tokenizer stands in. */
async function findOfModel(options: OpenOptions): Promise<FoundText | undefined> {
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
    return embedded(options, error);
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

/** The libraries that read it are loaded only where there is one. */
async function load(file: string, name: string, { files, now }: OpenOptions): Promise<FoundText> {
  const { loadModelText } = await import('./load.ts');
  return loadModelText(file, { name, files, now: now ?? (() => new Date()) });
}
