import type { IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import {
  ModelFailureError,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatModel,
  type ChatRequest,
  type ModelReply,
} from '../../core/model-tuner/model.ts';
import { withServerTokens } from '../../core/model-tuner/serverTokens.ts';
import type { Logger } from '../../../base/core/ports.ts';
import { EndpointFailures, endpointHeaders, endpointUrl, type Endpoint } from './modelEndpointFailures.ts';
import { listModels } from './modelList.ts';
import { EndpointFields } from './endpointFields.ts';
import { post } from './outsideCalls.ts';
import { writeUrl } from '../../../base/core/httpTexts.ts';
import { postTarget, readText, readWhole, releaseConnection } from '../../../base/node/http.ts';
import { parseJson } from '../../../base/core/parseJson.ts';
import { isRecord } from '../../../base/core/isRecord.ts';

/** An event of a stream: a chunk, or an error, which some servers send during a stream. */
type StreamEvent =
  | { readonly kind: 'chunk'; readonly chunk: ChatCompletionChunk }
  | { readonly kind: 'error'; readonly body: string }
  | { readonly kind: 'garbage'; readonly text: string }
  | { readonly kind: 'done' };

class EventReader {
  #ready: StreamEvent[] = [];
  readonly #parser = createParser({ onEvent: ({ event, data }) => this.#ready.push(readEvent(event, data)) });

  /** Returns the events that this part of the text completes. */
  read(text: string): readonly StreamEvent[] {
    this.#ready = [];
    this.#parser.feed(text);
    return this.#ready;
  }
}

function readEvent(name: string | undefined, data: string): StreamEvent {
  if (data === '[DONE]') return { kind: 'done' };
  const value = parseJson(data);
  if (typeof value !== 'object' || value === null) {
    return name === 'error' && value === undefined
      ? { kind: 'error', body: data }
      : { kind: 'garbage', text: data };
  }
  const hasError = 'error' in value && value.error !== null && value.error !== undefined;
  if (name === 'error' || hasError) return { kind: 'error', body: data };
  return { kind: 'chunk', chunk: value as ChatCompletionChunk };
}

export interface EndpointOptions extends Endpoint {
  readonly logger: Logger;
  /** Requests details of tokens. Default: true. */
  readonly details?: boolean;
}

/**
 * A model on an OpenAI-compatible server. Responses and error statuses stay unchanged, and streams are passed on at
 * once. There is no time-out. If the server can, it returns the token ids that training needs, which are then
 * normalized. Options that the server refuses are translated or left out.
 *
 * Throws `model/bad-endpoint-url`.
 */
export function createEndpointModel(options: EndpointOptions): ChatModel {
  const failures = new EndpointFailures(options);
  const fields = new EndpointFields(options);
  const headers = { 'content-type': 'application/json', ...endpointHeaders(options.apiKey) };
  const target = postTarget(endpointUrl(options.baseUrl, 'chat/completions'), headers, true);
  let listed: Promise<readonly string[]> | undefined;
  const models = (): Promise<readonly string[]> => (listed ??= modelsOf(options));
  return {
    description: `${options.model} at ${writeUrl(options.baseUrl)}`,
    respond: (request, cancellation) => {
      const send = async (asked: ChatRequest): Promise<ModelReply> => {
        let response: IncomingMessage;
        try {
          response = await post({ target, body: JSON.stringify(asked) }, cancellation);
        } catch (error) {
          return { kind: 'error', ...failures.unreachable(error) };
        }
        return readReply(response, failures, models);
      };
      return fields.ask({ ...request, model: options.model }, send);
    },
  };
}

/** Returns the models that a server lists; none if it does not. */
async function modelsOf(endpoint: Endpoint): Promise<readonly string[]> {
  const list = await listModels(endpoint);
  return list.kind === 'models' ? list.models : [];
}

async function readReply(
  response: IncomingMessage,
  failures: EndpointFailures,
  models: () => Promise<readonly string[]>,
): Promise<ModelReply> {
  const status = response.statusCode ?? 0;
  try {
    if (status < 200 || status > 299) {
      const body = await readWhole(response);
      const listed = status === 404 ? await models() : [];
      return { kind: 'error', ...failures.refused(status, response.headers, body, listed) };
    }
    if (/^text\/event-stream\b/i.test(response.headers['content-type'] ?? '')) {
      return { kind: 'stream', chunks: readChunks(response, failures) };
    }
    const text = await readWhole(response);
    const completion = parseCompletion(text);
    return completion === undefined
      ? { kind: 'error', ...failures.noCompletion(text) }
      : { kind: 'completion', completion: withServerTokens(completion) };
  } catch (error) {
    return { kind: 'error', ...failures.cutOff(error) };
  }
}

/** Reads the chunks of a stream. A server that does not send `[DONE]` must at least send a finish reason. */
async function* readChunks(
  response: IncomingMessage,
  failures: EndpointFailures,
): AsyncGenerator<readonly ChatCompletionChunk[]> {
  const reader = new EventReader();
  let isFinished = false;
  let isDone = false;
  try {
    for await (const text of readText(response)) {
      const { chunks, end } = untilEnd(reader.read(text));
      isFinished ||= chunks.some(saysWhyItEnded);
      isDone = end?.kind === 'done';
      if (chunks.length > 0) yield chunks.map(withServerTokens);
      if (end?.kind === 'done') return;
      if (end?.kind === 'error') throw new ModelFailureError(failures.refused(502, {}, end.body));
      if (end?.kind === 'garbage') throw new ModelFailureError(failures.noCompletion(end.text));
    }
  } catch (error) {
    throw error instanceof ModelFailureError ? error : new ModelFailureError(failures.cutOff(error));
  } finally {
    if (isDone) releaseConnection(response);
    else response.destroy();
  }
  if (!isFinished) throw new ModelFailureError(failures.cutOff(undefined));
}

type StreamEnd = Exclude<StreamEvent, { kind: 'chunk' }>;

/** Returns the chunks, and the event that ends them if there is one. */
function untilEnd(events: readonly StreamEvent[]): {
  readonly chunks: readonly ChatCompletionChunk[];
  readonly end: StreamEnd | undefined;
} {
  const chunks: ChatCompletionChunk[] = [];
  for (const event of events) {
    if (event.kind !== 'chunk') return { chunks, end: event };
    chunks.push(event.chunk);
  }
  return { chunks, end: undefined };
}

function saysWhyItEnded(chunk: ChatCompletionChunk): boolean {
  const { choices } = chunk as { choices?: unknown };
  return (
    Array.isArray(choices) &&
    choices.some((choice: ChatCompletionChunk['choices'][number]) => typeof choice.finish_reason === 'string')
  );
}

function parseCompletion(text: string): ChatCompletion | undefined {
  const value = parseJson(text);
  return isRecord(value) && Array.isArray(value['choices'])
    ? (value as unknown as ChatCompletion)
    : undefined;
}
