import { isRecord } from '../../../../base/core/isRecord.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';
import { pythonStrip } from '../../../../base/core/pythonText.ts';
import { type Location, messageOf } from '../../../../base/core/errors.ts';
import type { PathRules } from '../../../../base/core/ports.ts';
import { type TaskSource, throwIfCancelled } from '../taskReader.ts';
import { generationErrors } from './errors.ts';
import { section, type GenerationSettings } from './settings.ts';

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
    throw generationErrors.badDocument(file, messageOf(error), location);
  }
}

/** Upstream's name for it: the content, the languages and how it is cut. */
export function cacheOf(
  file: string,
  sha256: string,
  { languages, chunkSize, splitBy }: Pick<GenerationSettings, 'languages' | 'chunkSize' | 'splitBy'>,
  paths: PathRules,
): string {
  const stem = paths.basename(file).replace(/(?<=.)\.[^.]+$/, '');
  const language = languages.length === 0 ? '' : `_${[...languages].sort().join('_')}`;
  const chunk = chunkSize === 0 ? '' : `_chunk${chunkSize}_${splitBy}`;
  return paths.resolve(paths.dirname(file), `${stem}.${sha256.slice(0, 16)}${language}${chunk}.cache.json`);
}

/** Undefined for what is no cache of upstream's, or an empty one. Upstream parses the document again too. */
function contentOf(text: string): string | undefined {
  const value = parseJson(text);
  const content = isRecord(value) ? value['content'] : undefined;
  return typeof content === 'string' && content !== '' ? content : undefined;
}

function plainText(text: string): string {
  const plain = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  if (plain.includes('\0')) throw new Error('it is not a text file');
  return plain;
}

const endings = /([.!?。！？]+)/;
/**
 * Cuts a document as upstream does. Lengths are characters, as Python counts them.
 *
 * @param size at most so many characters, where a sentence or paragraph is not longer by itself; 0 or less: one chunk
 * @param splitBy `sentence`, `paragraph` or `character`; anything else is `sentence`
 */
export function chunksOf(text: string, size: number, splitBy: string): readonly string[] {
  if (size <= 0) return [text];
  if (splitBy === 'character') return slices(text, size);
  if (splitBy === 'paragraph') return packed(paragraphs(text), size, '\n\n');
  return packed(sentences(text), size, ' ');
}

/** Each with the marks that end it. */
function sentences(text: string): readonly string[] {
  const parts = text.split(endings);
  return parts.flatMap((part, at) => {
    const sentence = at % 2 === 0 ? pythonStrip(part) + (parts[at + 1] ?? '') : '';
    return sentence === '' ? [] : [sentence];
  });
}

function paragraphs(text: string): readonly string[] {
  return text
    .split('\n\n')
    .map(pythonStrip)
    .filter((paragraph) => paragraph !== '');
}

/** The joints do not count. */
function packed(parts: readonly string[], size: number, joint: string): readonly string[] {
  const chunks: string[] = [];
  let current: string[] = [];
  let length = 0;
  for (const part of parts) {
    const own = Array.from(part).length;
    if (length + own > size && current.length > 0) {
      chunks.push(current.join(joint));
      current = [];
      length = 0;
    }
    current.push(part);
    length += own;
  }
  return current.length > 0 ? [...chunks, current.join(joint)] : chunks;
}

function slices(text: string, size: number): readonly string[] {
  const characters = Array.from(text);
  const chunks: string[] = [];
  for (let at = 0; at < characters.length; at += size) {
    const chunk = characters.slice(at, at + size).join('');
    if (pythonStrip(chunk) !== '') chunks.push(chunk);
  }
  return chunks;
}
