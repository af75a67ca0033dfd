import { type Location, messageOf } from '../../../../base/core/errors.ts';
import type { TaskSource } from '../taskReader.ts';
import { throwIfCancelled } from '../throwIfCancelled.ts';
import { chunksOf } from './chunks.ts';
import { generationErrors } from './errors.ts';
import { section, type GenerationSettings } from './settings.ts';

/** A chunk of a document. */
export interface Document {
  readonly docId: string;
  readonly content: string;
  /** The file's name. */
  readonly source: string;
}

/**
 * Returns the chunks of the config's documents, or undefined if it names none. It reads upstream's parse cache next to a
 * document, which has the text of training. It writes no such cache, because its text differs from that of upstream's
 * `unstructured` partitioner. Rejects with `task-reader/document-…`.
 */
export async function readDocuments(
  settings: GenerationSettings,
  source: TaskSource,
): Promise<readonly Document[] | undefined> {
  if (settings.documents.length === 0) return undefined;
  const location = source.config.locate(`${section}.document_reader.document_path`);
  const documents: Document[] = [];
  for (const path of settings.documents) {
    throwIfCancelled(source.cancellation);
    const file = await source.resolveFile(path);
    if (!(await source.files.exists(file))) throw generationErrors.noDocument(file, location);
    const text = await textOf(file, settings, source, location);
    const name = source.tools.paths.basename(file);
    const chunks = chunksOf(text, settings.chunkSize, settings.splitBy);
    source.log('info', `${name}: ${chunks.length} chunks.`);
    for (const content of chunks) documents.push({ docId: source.tools.newUuid(), content, source: name });
  }
  if (documents.length === 0) {
    throw generationErrors.badDocument(settings.documents.join(', '), 'it contains no text', location);
  }
  return documents;
}

async function textOf(
  file: string,
  settings: GenerationSettings,
  { files, tools }: TaskSource,
  location: Location,
): Promise<string> {
  try {
    const bytes = await tools.readBytes(file);
    const cached = await files.readText(cacheOf(file, tools.digest('sha256', bytes), settings, tools.paths));
    const content = cached === undefined ? undefined : contentOf(cached);
    if (content !== undefined) return content;
    if (/\.pdf$/i.test(file)) return (await tools.readPdf(bytes)).join('\n\n');
    return plainText((await files.readText(file)) ?? '');
  } catch (error) {
    const reason = messageOf(error);
    throw generationErrors.badDocument(file, reason, location);
  }
}

/** Upstream's name for it: the content, the languages and how it is cut. */
export function cacheOf(
  file: string,
  sha256: string,
  { languages, chunkSize, splitBy }: Pick<GenerationSettings, 'languages' | 'chunkSize' | 'splitBy'>,
  paths: {
    dirname(path: string): string;
    basename(path: string): string;
    resolve(...parts: string[]): string;
  },
): string {
  const stem = paths.basename(file).replace(/(?<=.)\.[^.]+$/, '');
  const language = languages.length === 0 ? '' : `_${[...languages].sort().join('_')}`;
  const chunk = chunkSize === 0 ? '' : `_chunk${chunkSize}_${splitBy}`;
  return paths.resolve(paths.dirname(file), `${stem}.${sha256.slice(0, 16)}${language}${chunk}.cache.json`);
}

/** Undefined for what is no cache of upstream's, or an empty one. */
function contentOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const content = typeof value === 'object' && value !== null && 'content' in value ? value.content : '';
    return typeof content === 'string' && content !== '' ? content : undefined;
  } catch {
    return undefined; // upstream parses the document again too
  }
}

function plainText(text: string): string {
  const plain = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  if (plain.includes('\0')) throw new Error('it is not a text file');
  return plain;
}
