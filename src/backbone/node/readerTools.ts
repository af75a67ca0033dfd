import path from 'node:path';
import * as z from 'zod/mini';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile, open, stat } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { splitKeys } from '../core/helper-llm/createHelper.ts';
import type { ReaderTools, EmbeddingEndpoint } from '../core/task-reader/taskReader.ts';
import type { RunRequest } from '../core/protocol/run.ts';
import { systemClock } from '../../base/node/clock.ts';
import { Connection } from '../../traces/node/store/connection.ts';
import type { PartReader } from '../../base/core/ports.ts';
import type { EnvTransport } from '../core/env-service/client.ts';
import { writeUrl } from '../../base/core/httpTexts.ts';
import { explainTransport } from '../../base/node/httpErrors.ts';
import { post } from './model-tuner/outsideCalls.ts';
import { postTarget, readWhole } from '../../base/node/http.ts';
import type { CancellationToken } from '../../base/core/cancellation.ts';
import { parseJson } from '../../base/core/parseJson.ts';

const answer = z.object({
  data: z.array(z.object({ embedding: z.array(z.number()) })).check(z.minLength(1)),
});

/** Requests one embedding from an OpenAI-compatible server. Rejects with a sentence that does not contain the key. */
async function askEmbedding(
  { baseUrl, model, apiKey }: EmbeddingEndpoint,
  text: string,
  cancellation: CancellationToken,
): Promise<readonly number[]> {
  const where = writeUrl(baseUrl);
  const url = URL.parse(`${baseUrl.replace(/\/+$/, '')}/embeddings`);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error(`${where} is not an http or https URL.`);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
  const body = JSON.stringify({ input: text, model, encoding_format: 'float' });
  let status: number | undefined;
  let said: string;
  try {
    const response = await post({ target: postTarget(url, headers), body }, cancellation);
    status = response.statusCode;
    said = await readWhole(response);
  } catch (error) {
    throw new Error(`${where} cannot be reached: ${explainTransport(error)}.`, { cause: error });
  }
  const excerpt = said.replaceAll(apiKey, '***').slice(0, 200);
  if (status !== 200) throw new Error(`${where} responded with status ${String(status)}: ${excerpt}`);
  const vector = answer.safeParse(parseJson(said)).data?.data[0]?.embedding;
  if (vector === undefined) throw new Error(`The response of ${where} has no embeddings: ${excerpt}`);
  return vector;
}

export const envTransport: EnvTransport = {
  post: async (url, body, cancellation) => {
    const headers = { 'content-type': 'application/json' };
    try {
      const response = await post({ target: postTarget(url, headers), body }, cancellation);
      return { status: response.statusCode ?? 0, body: await readWhole(response) };
    } catch (cause) {
      throw new Error(explainTransport(cause), { cause });
    }
  },
};

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export const localParts: PartReader = {
  size: async (file) => {
    const found = await stat(file);
    if (!found.isFile()) throw new Error('it is not a file');
    return found.size;
  },
  readPart: async (file, start, end) => {
    const handle = await open(file);
    try {
      const bytes = new Uint8Array(Math.max(0, end - start));
      let length = 0;
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length, start + length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return bytes.subarray(0, length);
    } finally {
      await handle.close();
    }
  },
  pieces: (file) => createReadStream(file, 'utf8') as AsyncIterable<string>,
  decode: (bytes) => utf8.decode(bytes),
};

/** Access to this machine for readers that generate tasks. */
export function createReaderTools(
  { cwd }: Pick<RunRequest, 'cwd'>,
  seed: number,
  environment: Readonly<Record<string, string | undefined>>,
): ReaderTools {
  return {
    cwd,
    paths: path,
    clock: systemClock,
    seed,
    digest: (algorithm, content) => createHash(algorithm).update(content).digest('hex'),
    readBytes: (file) => readFile(file),
    writeText: (file, text) => writeBelow(file, text, 'w'),
    appendText: (file, text) => writeBelow(file, text, 'a'),
    readSpans: (file, name) => Promise.resolve().then(() => readSpans(file, name)),
    readPdf,
    embed: askEmbedding,
    embeddingKey: splitKeys(environment['DASHSCOPE_API_KEY'])[0],
    newUuid: () => randomUUID(),
  };
}

/** Writes or appends to a file, and creates its folder. */
async function writeBelow(file: string, text: string, flag: 'w' | 'a'): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text, { flag });
}

/** Returns the text of each page of a PDF. Rejects if it cannot be parsed. The library is loaded for the first one. */
export async function readPdf(content: Uint8Array): Promise<readonly string[]> {
  const { extractText, getDocumentProxy } = await import('unpdf');
  // A copy, because pdf.js takes over the bytes.
  const document = await getDocumentProxy(new Uint8Array(content), { verbosity: 0 });
  return (await extractText(document, { mergePages: false })).text;
}

function readSpans(file: string, name: string): readonly unknown[] {
  const database = new Connection(file, { readOnly: true });
  try {
    // The reader's SQL takes its values by name.
    const rows = database.all('SELECT attributes FROM span_table WHERE name = :name', { name });
    return rows.map((row) => {
      const value = (row as { attributes: unknown }).attributes;
      // As Python's json.loads, accept bytes.
      return value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
    });
  } finally {
    database.close();
  }
}
