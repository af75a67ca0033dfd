import type { ContextGuard } from '../../../../src/backbone/core/model-tuner/call.ts';
import {
  createGateway,
  type FinishedCall,
  type Gateway,
  type GatewayOptions,
} from '../../../../src/backbone/core/model-tuner/gateway.ts';
import type { HttpReply, HttpRequest } from '../../../../src/backbone/core/model-tuner/apis/api.ts';
import type {
  CallIdentity,
  ChatCompletion,
  ChatCompletionChunk,
  ChatModel,
  ChatRequest,
  ModelError,
  ModelReply,
} from '../../../../src/backbone/core/model-tuner/model.ts';
import { neverCancelled, type CancellationToken } from '../../../../src/base/core/cancellation.ts';
import { FakeClock } from '../../fakeClock.ts';

export type Answer = (
  request: ChatRequest,
  cancellation: CancellationToken,
  call: CallIdentity,
) => ModelReply | Promise<ModelReply>;

export const sampling = { temperature: 0.9, topP: 0.95, maxTokens: 4080 };

export const uuid = '0123456789abcdef'.repeat(2);

/** A gateway with one open episode, and everything it said to its observer, logger and model. */
export interface Bench {
  readonly gateway: Gateway;
  readonly episode: ReturnType<Gateway['openEpisode']>;
  readonly apiKey: string;
  readonly clock: FakeClock;
  readonly calls: FinishedCall[];
  /** Settles with the first call that is recorded. */
  readonly firstCall: Promise<FinishedCall>;
  readonly logged: string[];
  readonly asked: ChatRequest[];
  readonly debugAsked: ChatRequest[];
}

export function tunerBench(
  answer: Answer,
  guard?: ContextGuard,
  options: Partial<GatewayOptions> = {},
): Bench {
  const calls: FinishedCall[] = [];
  const logged: string[] = [];
  const asked: ChatRequest[] = [];
  const debugAsked: ChatRequest[] = [];
  const clock = new FakeClock();
  const first = deferred<FinishedCall>();
  const model: ChatModel = {
    description: 'scripted',
    respond: async (request, cancellation, call) => {
      asked.push(request);
      return answer(request, cancellation, call);
    },
  };
  const gateway = createGateway({
    model,
    debugModel: (name) => {
      if (name === 'nowhere') return Promise.reject(new Error('it is nowhere.'));
      const respond: ChatModel['respond'] = async (request) => {
        debugAsked.push(request);
        return Promise.resolve(saying(`${name} speaking`));
      };
      return Promise.resolve({ description: name, respond });
    },
    sampling,
    seed: 42,
    observer: {
      onCall: (call) => {
        calls.push(call);
        first.resolve(call);
      },
    },
    logger: { log: (level, message) => logged.push(`${level}: ${message}`) },
    clock,
    ...options,
  });
  const episode = gateway.openEpisode({
    episodeUuid: uuid,
    episode: 5,
    seed: 5,
    address: 'in-process',
    ...(guard && { guard }),
  });
  const apiKey = episode.apiKeyFor({ agentName: 'solver', targetTag: 'main' });
  return { gateway, episode, apiKey, clock, calls, firstCall: first.promise, logged, asked, debugAsked };
}

export const hello = { model: 'any', messages: [{ role: 'user', content: 'hello' }] };

export function chatRequest(bench: Bench, body: unknown, changes: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { host: '127.0.0.1:4000', authorization: `Bearer ${bench.apiKey}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    cancellation: neverCancelled,
    ...changes,
  };
}

async function bodyOf(reply: HttpReply): Promise<string> {
  if (typeof reply.body === 'string') return reply.body;
  let text = '';
  for await (const part of reply.body) text += part;
  return text;
}

/** What a client sees of a request's answer. */
export async function ask(bench: Bench, body: unknown = hello, changes: Partial<HttpRequest> = {}) {
  const reply = await bench.gateway.handle(chatRequest(bench, body, changes));
  const text = await bodyOf(reply);
  return { status: reply.status, headers: reply.headers, text, json: parse(text) as { error: ModelError } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function completionOf(
  content: string | null,
  changes: Partial<ChatCompletion['choices'][number]> = {},
): ChatCompletion {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 7,
    model: 'm',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
        ...changes,
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  };
}

export function saying(content: string): ModelReply {
  return { kind: 'completion', completion: completionOf(content) };
}

export function chunkOf(
  delta: ChatCompletionChunk['choices'][number]['delta'],
  finish: ChatCompletionChunk['choices'][number]['finish_reason'] = null,
): ChatCompletionChunk {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 7,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}

export async function* streamOf(
  chunks: readonly ChatCompletionChunk[],
  end?: () => Promise<void>,
): AsyncGenerator<readonly ChatCompletionChunk[]> {
  for (const chunk of chunks) yield [chunk];
  await end?.();
}

/** A promise that waits until it is told to go on. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = deferred<undefined>();
  return { opened: promise, open: () => resolve(undefined) };
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
