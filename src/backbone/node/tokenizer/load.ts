import path from 'node:path';
import { CodedError } from '../../../base/core/errors.ts';
import type { FileReader } from '../../../base/core/ports.ts';
import { createChatTemplate, type TemplateSource } from '../../../tracking/core/tokenizer/chatTemplate.ts';
import {
  checkTokenizerJson,
  createHuggingFaceTokenizer,
  record,
  specialTokens,
  type TokenizerConfig,
} from '../../../tracking/core/tokenizer/huggingFace.ts';
import type { ModelTextSource } from '../../core/context-tracker/modelTextSource.ts';
import { builtInConfig } from './builtIn.ts';
import { tokenizerErrors } from './modelCaches.ts';

export interface LoadOptions {
  /** The name of the model in messages and the trace. */
  readonly name: string;
  readonly files: Pick<FileReader, 'readText'>;
  readonly now: () => Date;
}

/**
 * Reads and checks all but the vocabulary, which `open` reads: a third of a second for 150 000 tokens. Rejects with
 * `tokenizer/not-found`, `tokenizer/broken` or `tokenizer/broken-template`.
 */
export async function loadModelText(
  file: string,
  { name, files, now }: LoadOptions,
): Promise<ModelTextSource> {
  const text = await read(file, files);
  if (text === undefined) throw tokenizerErrors.notFound(file);
  const folder = path.dirname(file);
  const configFile = path.join(folder, 'tokenizer_config.json');
  const config = record(parseJson((await read(configFile, files)) ?? '{}', configFile));
  const json = orBroken(file, () => checkTokenizerJson(parseJson(text, file), config));
  const found = await findTemplate(folder, config, files);
  const template = createChatTemplate(found?.source ?? builtInConfig().chat_template, {
    name,
    file: found?.file ?? null,
    specialTokens: specialTokens(config),
    now,
  });
  const note = { name, exact: true, file };
  return {
    note,
    ...(!found && { problem: tokenizerErrors.noTemplate(file) }),
    open: () =>
      Promise.resolve().then(() => {
        const tokenizer = orBroken(file, () => createHuggingFaceTokenizer(json, config));
        return { note, template, tokenizer };
      }),
  };
}

function orBroken<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CodedError ? error : tokenizerErrors.broken(file, messageOf(error), error);
  }
}

/** Finds the chat template in the order of transformers: a separate file wins over the config. */
async function findTemplate(
  folder: string,
  config: TokenizerConfig,
  files: LoadOptions['files'],
): Promise<{ source: TemplateSource; file: string } | undefined> {
  const jinja = path.join(folder, 'chat_template.jinja');
  const text = await read(jinja, files);
  if (text !== undefined) return { source: text, file: jinja };
  const json = path.join(folder, 'chat_template.json');
  const places = [
    { file: json, value: record(parseJson((await read(json, files)) ?? '{}', json))['chat_template'] },
    { file: path.join(folder, 'tokenizer_config.json'), value: config['chat_template'] },
  ];
  for (const { file, value } of places) {
    const source = templateSource(value);
    if (source !== undefined) return { source, file };
  }
  return undefined;
}

/** Returns the templates of a config: one text, or a list of `{name, template}`. */
function templateSource(value: unknown): TemplateSource | undefined {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  const named = value.flatMap((entry) => {
    const { name, template } = record(entry);
    return typeof name === 'string' && typeof template === 'string' ? [[name, template] as const] : [];
  });
  return named.length === 0 ? undefined : new Map(named);
}

async function read(file: string, files: LoadOptions['files']): Promise<string | undefined> {
  try {
    return await files.readText(file);
  } catch (error) {
    throw tokenizerErrors.broken(file, messageOf(error), error);
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw tokenizerErrors.broken(file, `it is not JSON (${messageOf(error)})`, error);
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
