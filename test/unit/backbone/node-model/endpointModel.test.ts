import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  ModelFailureError,
  type ChatCompletionChunk,
  type ChatRequest,
  type ModelFailure,
  type ModelReply,
} from '../../../../src/backbone/core/model-tuner/model.ts';
import { CancellationSource, neverCancelled } from '../../../../src/base/core/cancellation.ts';
import type { Logger } from '../../../../src/base/core/ports.ts';
import {
  createEndpointModel,
  type EndpointOptions,
} from '../../../../src/backbone/node/model-tuner/endpointModel.ts';
import { chunkOf, completionOf, gate } from '../model-tuner/tunerBench.ts';
import { beginStream, openAiServer, sendJson, type OpenAiServer } from './openAiServer.ts';

const request: ChatRequest = { model: 'any', messages: [{ role: 'user', content: 'hello' }] };
const streaming: ChatRequest = { ...request, stream: true };
const call = { episode: 0, call: 0, agentName: 'a', targetTag: 't' };
const apiKey = 'sk-very-secret-0123';
const quiet: Logger = { log: () => undefined };

function ask(
  server: { readonly baseUrl: string },
  asked = request,
  options: Partial<EndpointOptions> = {},
  cancellation = neverCancelled,
): Promise<ModelReply> {
  const model = createEndpointModel({ baseUrl: server.baseUrl, model: 'qwen', logger: quiet, ...options });
  return model.respond(asked, cancellation, call);
}

async function failureOf(reply: ModelReply | Promise<ModelReply>): Promise<ModelFailure> {
  const settled = await reply;
  if (settled.kind !== 'error') throw new Error(`expected an error, not a ${settled.kind}`);
  return settled;
}

async function read(reply: ModelReply): Promise<{ chunks: ChatCompletionChunk[]; failure?: ModelFailure }> {
  if (reply.kind !== 'stream') throw new Error(`expected a stream, not a ${reply.kind}`);
  const chunks: ChatCompletionChunk[] = [];
  try {
    for await (const batch of reply.chunks) chunks.push(...batch);
    return { chunks };
  } catch (error) {
    if (!(error instanceof ModelFailureError)) throw error;
    return { chunks, failure: error.failure };
  }
}

/** A port where nothing listens. */
async function deadServer(): Promise<{ baseUrl: string }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { baseUrl: `http://127.0.0.1:${port}/v1` };
}

const eventOf = (chunk: unknown): string => `data: ${JSON.stringify(chunk)}\n\n`;

describe('a request to an endpoint', () => {
  it('is the one it was given, with the model of the endpoint and the ids of tokens asked for', async () => {
    const server = await openAiServer((response) => sendJson(response, 200, completionOf('hi')));
    const asked = { ...request, seed: 3, top_k: 5, tools: [] };
    expect(await ask(server, asked)).toEqual({ kind: 'completion', completion: completionOf('hi') });
    expect(server.received).toMatchObject([
      { path: '/v1/chat/completions', body: { ...asked, model: 'qwen', return_token_ids: true } },
    ]);
  });

  it('carries the key and the type of its body, and nothing else of ours', async () => {
    const server = await openAiServer((response) => sendJson(response, 200, completionOf('hi')));
    await ask(server, request, { apiKey });
    await ask(server, request);
    expect(server.received[0]?.headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
    });
    expect(Object.keys(server.received[1]?.headers ?? {}).sort()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'host',
    ]);
  });

  it.each([
    ['/v1/', '/v1/chat/completions'],
    ['', '/chat/completions'],
    ['/openai?api-version=2', '/openai/chat/completions?api-version=2'],
  ])('goes below base URL path %j', async (path, wanted) => {
    const server = await openAiServer((response) => sendJson(response, 200, completionOf('hi')));
    await ask({ baseUrl: new URL(server.baseUrl).origin + path });
    expect(server.received[0]?.path).toBe(wanted);
  });

  it.each(['localhost:8000/v1', 'ftp://host/v1', 'v1'])('cannot go to %s', (baseUrl) => {
    expect(() => createEndpointModel({ baseUrl, model: 'm', logger: quiet })).toThrow(
      expect.objectContaining({ code: 'model/bad-endpoint-url' }),
    );
  });

  it('may be one of many at a time', async () => {
    const all = gate();
    let waiting = 0;
    const server = await openAiServer((response) => {
      waiting += 1;
      if (waiting === 10) all.open();
      void all.opened.then(() => sendJson(response, 200, completionOf('hi')));
    });
    const replies = await Promise.all(Array.from({ length: 10 }, () => ask(server)));
    expect(replies.every((reply) => reply.kind === 'completion')).toBe(true);
  });

  it('describes where it goes without the secrets of the URL', () => {
    const baseUrl = 'https://me:pw@host/v1?key=1';
    const model = createEndpointModel({ baseUrl, model: 'qwen', logger: quiet });
    expect(model.description).toBe('qwen at https://host/v1');
  });
});

describe('a stream from an endpoint', () => {
  it('is passed on as it comes, characters cut in two included', async () => {
    const next = gate();
    const server = await openAiServer((response) => {
      beginStream(response);
      const bytes = Buffer.from(eventOf(chunkOf({ content: 'é😀' })));
      const middle = bytes.indexOf(Buffer.from('😀')) + 2;
      response.write(': a comment\n\n');
      response.write(bytes.subarray(0, middle), () => response.write(bytes.subarray(middle)));
      void next.opened.then(() =>
        response.end(`${eventOf(chunkOf({ content: 'b' }, 'stop'))}data: [DONE]\n\n${eventOf({ late: 1 })}`),
      );
    });
    const reply = await ask(server, streaming);
    if (reply.kind !== 'stream') throw new Error('expected a stream');
    const chunks = reply.chunks[Symbol.asyncIterator]();
    expect((await chunks.next()).value).toEqual([chunkOf({ content: 'é😀' })]);
    next.open();
    expect((await chunks.next()).value).toEqual([chunkOf({ content: 'b' }, 'stop')]);
    expect((await chunks.next()).done).toBe(true);
  });

  it('may be a whole answer, where the server does not stream', async () => {
    const server = await openAiServer((response) => sendJson(response, 200, completionOf('hi')));
    expect((await ask(server, streaming)).kind).toBe('completion');
  });

  it('may end without [DONE] once it has said why', async () => {
    const server = await openAiServer((response) => {
      beginStream(response);
      response.end(eventOf(chunkOf({ content: 'a' }, 'length')));
    });
    expect(await read(await ask(server, streaming))).toEqual({
      chunks: [chunkOf({ content: 'a' }, 'length')],
    });
  });

  it.each<[string, string, string | null]>([
    ['ends too early', '', 'endpoint_cut_off'],
    ['turns into something else', 'data: <html>\n\n', 'endpoint_bad_answer'],
    ['sends an error as data', eventOf({ error: { message: 'no memory', code: 'oom' } }), 'oom'],
    ['sends an error as an event', 'event: error\ndata: {"message":"no memory"}\n\n', null],
  ])('fails when it %s', async (_, last, code) => {
    const server = await openAiServer((response) => {
      beginStream(response);
      response.end(eventOf(chunkOf({ content: 'a' })) + last);
    });
    const { chunks, failure } = await read(await ask(server, streaming));
    expect(chunks).toEqual([chunkOf({ content: 'a' })]);
    expect(failure).toMatchObject({ status: 502, error: { code } });
  });

  it('fails when its connection breaks', async () => {
    const server = await openAiServer((response, _received, socket) => {
      beginStream(response);
      response.write(eventOf(chunkOf({ content: 'a' })), () => socket.destroy());
    });
    expect(await read(await ask(server, streaming))).toMatchObject({
      failure: { status: 502, error: { code: 'endpoint_cut_off' }, report: { code: 'model/cut-off' } },
    });
  });
});

describe('an endpoint that refuses', () => {
  const given = { message: 'the server says so', type: 'some_error', param: 'p', code: 'c', more: 1 };

  it.each([
    [401, 'model/unauthorized'],
    [403, 'model/unauthorized'],
    [404, 'model/not-found'],
    [429, 'model/rate-limited'],
    [400, 'model/refused'],
    [500, 'model/server-error'],
    [503, 'model/server-error'],
  ])('with %i is kept as it is, and explained as %s', async (status, code) => {
    const server = await openAiServer((response) => sendJson(response, status, { error: given }));
    const failure = await failureOf(ask(server, request, { apiKey }));
    expect(failure).toMatchObject({ status, error: given, report: { code } });
    expect(failure.report?.message).toContain('the server says so');
    expect(failure.report?.hint).not.toBe('');
  });

  it('keeps retry-after, and says it', async () => {
    const server = await openAiServer((response) =>
      sendJson(response, 429, { error: given }, { 'retry-after': '20', 'x-other': '1' }),
    );
    const failure = await failureOf(ask(server));
    expect(failure.headers).toEqual({ 'retry-after': '20' });
    expect(failure.report?.hint).toContain('20');
  });

  it.each<[unknown, string]>([
    [{ error: 'plain' }, 'plain'],
    [{ message: 'at the top' }, 'at the top'],
    [{ detail: 'in detail' }, 'in detail'],
    ['<h1>Bad Gateway</h1>', '<h1>Bad Gateway</h1>'],
    ['', 'an empty body'],
    [{ error: { code: 'only' } }, '{"error":{"code":"only"}}'],
  ])('with body %j gives an error in OpenAI’s shape', async (body, message) => {
    const server = await openAiServer((response) => sendJson(response, 502, body));
    const { error } = await failureOf(ask(server));
    expect(error.message).toBe(message);
    expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
  });

  it('tells a missing key from a wrong one', async () => {
    const server = await openAiServer((response) => sendJson(response, 401, { error: given }));
    expect((await failureOf(ask(server))).report?.message).toContain('requires an API key');
    expect((await failureOf(ask(server, request, { apiKey }))).report?.message).toContain(
      'rejected the API key',
    );
  });

  it('has its hint about /v1 where the base URL lacks it', async () => {
    const server = await openAiServer((response) => sendJson(response, 404, 'Not Found'));
    const bare = { baseUrl: new URL(server.baseUrl).origin };
    expect((await failureOf(ask(bare))).report?.hint).toContain('have to end in /v1');
    expect((await failureOf(ask(server))).report?.hint).not.toContain('have to end');
  });

  it('names the models of the server where it does not have the model', async () => {
    const server = await openAiServer((response, { path }) => {
      if (path === '/v1/models') sendJson(response, 200, { data: [{ id: 'qwen' }, { id: 'llama' }] });
      else sendJson(response, 404, { error: given });
    });
    expect((await failureOf(ask(server))).report?.hint).toContain('qwen, llama');
  });

  it('never gets the key into a message', async () => {
    const echo = { error: { message: `Incorrect API key: ${apiKey}`, code: apiKey } };
    const server = await openAiServer((response) => sendJson(response, 401, echo));
    const failure = await failureOf(ask(server, request, { apiKey }));
    expect(JSON.stringify(failure) + String(failure.report?.message)).not.toContain(apiKey);
    expect(failure.error.message).toBe('Incorrect API key: ***');
  });

  it('by redirecting is reported with the way it points', async () => {
    const server = await openAiServer((response) =>
      sendJson(response, 308, '', { location: 'https://host/v1/chat/completions?token=1' }),
    );
    const failure = await failureOf(ask(server));
    expect(failure).toMatchObject({ status: 502, error: { code: 'endpoint_redirected' } });
    expect(failure.error.message).toContain('https://host/v1/chat/completions (');
  });
});

describe('an endpoint that gives no answer', () => {
  it('is unreachable when nothing listens, by name and without the key', async () => {
    const server = await deadServer();
    const failure = await failureOf(ask(server, request, { apiKey }));
    expect(failure).toMatchObject({
      status: 502,
      error: { code: 'endpoint_unreachable' },
      report: { code: 'model/unreachable' },
    });
    expect(failure.error.message).toContain(server.baseUrl);
    expect(failure.error.message).toContain('ECONNREFUSED');
    expect(failure.error.message).not.toContain(apiKey);
  });

  it('is unreachable when it speaks no TLS', async () => {
    const server = await openAiServer(() => undefined);
    const failure = await failureOf(ask({ baseUrl: server.baseUrl.replace('http:', 'https:') }));
    expect(failure.error).toMatchObject({ code: 'endpoint_unreachable' });
    expect(failure.error.message).toContain('TLS');
  });

  it('is unreachable when it hangs up', async () => {
    const server = await openAiServer((_response, _received, socket) => socket.destroy());
    expect((await failureOf(ask(server))).error.code).toBe('endpoint_unreachable');
  });

  it('is cut off when it hangs up in the middle of an answer', async () => {
    const server = await openAiServer((response, _received, socket) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write('{"id":', () => socket.destroy());
    });
    expect((await failureOf(ask(server))).error.code).toBe('endpoint_cut_off');
  });

  it.each(['<html>login</html>', '{"ok":true}', '', '{"choices":'])(
    'is misunderstood when it answers %j',
    async (body) => {
      const server = await openAiServer((response) => sendJson(response, 200, body));
      const failure = await failureOf(ask(server));
      expect(failure).toMatchObject({ status: 502, error: { code: 'endpoint_bad_answer' } });
    },
  );
});

describe('cancellation', () => {
  async function cancelled(
    answer: Parameters<typeof openAiServer>[0],
    asked: ChatRequest,
  ): Promise<{
    server: OpenAiServer;
    reply: Promise<ModelReply>;
    cancel: () => void;
    hungUp: Promise<void>;
  }> {
    const hungUp = gate();
    const server = await openAiServer((response, received, socket) => {
      socket.on('close', () => hungUp.open());
      answer(response, received, socket);
    });
    const source = new CancellationSource();
    const reply = ask(server, asked, {}, source.token);
    return { server, reply, cancel: () => source.cancel(), hungUp: hungUp.opened };
  }

  it('before the answer hangs up', async () => {
    const asked = gate();
    const { reply, cancel, hungUp } = await cancelled(() => asked.open(), request);
    await asked.opened;
    cancel();
    expect((await reply).kind).toBe('error');
    await hungUp;
  });

  it('in the middle of a stream hangs up', async () => {
    const { reply, cancel, hungUp } = await cancelled((response) => {
      beginStream(response);
      response.write(eventOf(chunkOf({ content: 'a' })));
    }, streaming);
    const stream = await reply;
    if (stream.kind !== 'stream') throw new Error('expected a stream');
    const chunks = stream.chunks[Symbol.asyncIterator]();
    await chunks.next();
    const next = chunks.next();
    cancel();
    await expect(next).rejects.toBeInstanceOf(ModelFailureError);
    await hungUp;
  });

  it('of a stream that is not read hangs up', async () => {
    const { reply, cancel, hungUp } = await cancelled((response) => beginStream(response), streaming);
    await reply;
    cancel();
    await hungUp;
  });

  it('that came before the request sends nothing', async () => {
    const source = new CancellationSource();
    source.cancel();
    const server = await openAiServer((response) => sendJson(response, 200, completionOf('hi')));
    expect((await ask(server, request, {}, source.token)).kind).toBe('error');
    expect(server.received).toEqual([]);
  });
});
