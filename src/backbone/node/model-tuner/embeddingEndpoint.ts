import * as z from 'zod/mini';
import type { EmbeddingEndpoint } from '../../core/task-reader/readerTools.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { explainTransport, writeUrl } from './modelEndpointFailures.ts';
import { post, postTarget, readWhole } from './modelTransport.ts';

const answer = z.object({
  data: z.array(z.object({ embedding: z.array(z.number()) })).check(z.minLength(1)),
});

/** Asks an OpenAI-compatible `/embeddings` once. Rejects with what went wrong, in a sentence without the key. */
export async function askEmbedding(
  { baseUrl, model, apiKey }: EmbeddingEndpoint,
  text: string,
  cancellation: CancellationToken,
): Promise<readonly number[]> {
  const where = writeUrl(baseUrl);
  const url = URL.parse(`${baseUrl.replace(/\/+$/, '')}/embeddings`);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error(`${where} is no http or https URL.`);
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
  if (status !== 200) throw new Error(`${where} answered ${String(status)}: ${excerpt}`);
  const vector = answer.safeParse(jsonOf(said)).data?.data[0]?.embedding;
  if (vector === undefined)
    throw new Error(`${where} answered with something else than embeddings: ${excerpt}`);
  return vector;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // told of as something else than embeddings
  }
}
