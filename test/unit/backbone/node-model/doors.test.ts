import { getEventListeners } from 'node:events';
import OpenAI, { APIError, APIUserAbortError } from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ModelFailureError, type ModelReply } from '../../../../src/backbone/core/model-tuner/model.ts';
import { createModelFetch, startModelServer } from '../../../../src/backbone/node/model-tuner/modelServer.ts';
import {
  chunkOf,
  completionOf,
  gate,
  saying,
  tunerBench,
  type Answer,
  type Bench,
} from '../model-tuner/tunerBench.ts';

interface Door {
  readonly bench: Bench;
  readonly client: OpenAI;
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
}

type OpenDoor = (answer: Answer, bodyLimit?: number) => Promise<Door>;

const throughSocket: OpenDoor = async (answer, bodyLimit) => {
  const bench = tunerBench(answer);
  const server = await startModelServer(bench.gateway.handle, bodyLimit === undefined ? {} : { bodyLimit });
  onTestFinished(() => server.close());
  const client = new OpenAI({ baseURL: server.baseUrl, apiKey: bench.apiKey, maxRetries: 0 });
  return { bench, client, baseUrl: server.baseUrl, fetch };
};

const inProcess: OpenDoor = (answer, bodyLimit) => {
  const bench = tunerBench(answer);
  const baseUrl = 'http://127.0.0.1:4000/v1';
  const own = createModelFetch(bench.gateway.handle, bodyLimit === undefined ? {} : { bodyLimit });
  const client = new OpenAI({ baseURL: baseUrl, apiKey: bench.apiKey, maxRetries: 0, fetch: own });
  return Promise.resolve({ bench, client, baseUrl, fetch: own });
};

const messages = [{ role: 'user' as const, content: 'hello' }];
const ask = { model: 'any', messages };

describe.each([
  ['the socket', throughSocket],
  ['the client in this process', inProcess],
])('the openai client through %s', (_, open) => {
  it('gets an answer', async () => {
    const { client, bench } = await open(() => saying('hi'));
    const completion = await client.chat.completions.create(ask);
    expect(completion).toMatchObject(completionOf('hi'));
    expect(bench.episode.llmCalls).toBe(1);
  });

  it('gets a stream of a whole answer, with usage', async () => {
    const { client } = await open(() => saying('two words'));
    const stream = await client.chat.completions.create({
      ...ask,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('two words');
    expect(chunks.at(-1)?.usage?.total_tokens).toBe(5);
  });

  it("puts together, with the client's own helper, what was cut: choices, tools, log probabilities", async () => {
    const entry = (token: string) => ({ token, logprob: -0.5, bytes: null, top_logprobs: [] });
    const whole = completionOf('Hi all', {
      logprobs: { content: [entry('Hi'), entry(' all')], refusal: null },
    });
    const calling = completionOf(null, {
      index: 1,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        tool_calls: [
          { id: 'c0', type: 'function', function: { name: 'f', arguments: '{"x": "ä 😀"}' } },
          { id: 'c1', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
    });
    const completion = { ...whole, choices: [...whole.choices, ...calling.choices] };
    const { client, bench } = await open(() => ({ kind: 'completion', completion }));
    const asked = { ...ask, n: 2, logprobs: true };
    const final = await client.chat.completions.stream(asked).finalChatCompletion();
    expect(final.choices[0]).toMatchObject({ message: { content: 'Hi all' }, finish_reason: 'stop' });
    expect(final.choices[0]?.logprobs?.content).toEqual(whole.choices[0]?.logprobs?.content);
    expect(final.choices[1]?.message.tool_calls).toMatchObject([
      { id: 'c0', function: { name: 'f', arguments: '{"x": "ä 😀"}' } },
      { id: 'c1', function: { name: 'g', arguments: '{}' } },
    ]);
    expect(bench.calls[0]?.completion?.choices).toEqual(completion.choices);
  });

  it('has its tools and response format understood, and the tools passed on', async () => {
    const { client, bench } = await open(() => saying('{"a":1}'));
    const options = {
      tools: [{ type: 'function' as const, function: { name: 'f', parameters: { type: 'object' } } }],
      tool_choice: 'auto' as const,
      response_format: {
        type: 'json_schema' as const,
        json_schema: { name: 's', schema: { type: 'object' }, strict: true },
      },
    };
    await client.chat.completions.create({ ...ask, ...options });
    expect(bench.asked[0]).toMatchObject({ tools: options.tools });
    expect(bench.asked[0]).not.toHaveProperty('response_format');
  });

  it('sees each chunk before the next is made', async () => {
    const next = gate();
    const { client } = await open(() => ({
      kind: 'stream',
      chunks: (async function* () {
        yield [chunkOf({ role: 'assistant', content: 'a' })];
        await next.opened;
        yield [chunkOf({ content: 'b' }, 'stop')];
      })(),
    }));
    const stream = await client.chat.completions.create({ ...ask, stream: true });
    const seen: string[] = [];
    for await (const chunk of stream) {
      seen.push(chunk.choices[0]?.delta.content ?? '');
      next.open();
    }
    expect(seen).toEqual(['a', 'b']);
  });

  it.each([400, 401, 429, 500, 502])('gets an error with status %i', async (status) => {
    const error = { message: 'no', type: 't', param: null, code: 'c' };
    const reply: ModelReply = { kind: 'error', status, error, headers: { 'retry-after': '7' } };
    const { client } = await open(() => reply);
    const thrown = await client.chat.completions.create(ask).catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(APIError);
    expect(thrown).toMatchObject({ status, code: 'c', type: 't' });
    expect((thrown as APIError).headers?.get('retry-after')).toBe('7');
  });

  it('gets an error in mid-stream', async () => {
    const error = { message: 'gone', type: 'server_error', param: null, code: 'endpoint_cut_off' };
    const { client } = await open(() => ({
      kind: 'stream',
      chunks: (async function* () {
        yield [chunkOf({ content: 'a' })];
        await Promise.reject(new ModelFailureError({ status: 502, error }));
      })(),
    }));
    const stream = await client.chat.completions.create({ ...ask, stream: true });
    const seen: string[] = [];
    const read = async (): Promise<void> => {
      for await (const chunk of stream) seen.push(chunk.choices[0]?.delta.content ?? '');
    };
    await expect(read()).rejects.toMatchObject({ code: 'endpoint_cut_off' });
    expect(seen).toEqual(['a']);
  });

  it('cancels the model with its own signal', async () => {
    const begun = gate();
    const told = gate();
    const { client, bench } = await open(
      (_request, cancellation) =>
        new Promise((_resolve, reject) => {
          cancellation.onCancelled(() => {
            told.open();
            reject(new Error('stopped'));
          });
          begun.open();
        }),
    );
    const abort = new AbortController();
    const answer = client.chat.completions.create(ask, { signal: abort.signal });
    await begun.opened;
    abort.abort();
    await expect(answer).rejects.toBeInstanceOf(APIUserAbortError);
    await told.opened;
    expect(await bench.firstCall).toMatchObject({ status: 499 });
  });

  it('cancels the model by leaving a stream', async () => {
    const told = gate();
    const { client, bench } = await open((_request, cancellation) => {
      const stopped = new Promise<void>((resolve) => {
        cancellation.onCancelled(() => {
          told.open();
          resolve();
        });
      });
      const chunks = (async function* () {
        yield [chunkOf({ content: 'a' })];
        await stopped;
      })();
      return { kind: 'stream', chunks };
    });
    const stream = await client.chat.completions.create({ ...ask, stream: true });
    for await (const chunk of stream) {
      expect(chunk.choices[0]?.delta.content).toBe('a');
      break;
    }
    await told.opened;
    expect(await bench.firstCall).toMatchObject({
      status: 499,
      completion: { choices: [{ message: { content: 'a' } }] },
    });
  });

  it('makes many calls of one episode at a time', async () => {
    const all = gate();
    let waiting = 0;
    const { client, bench } = await open(async (_request, _cancellation, { call }) => {
      waiting += 1;
      if (waiting === 20) all.open();
      await all.opened;
      return saying(String(call));
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.chat.completions.create(ask)));
    const contents = answers.map((answer) => Number(answer.choices[0]?.message.content));
    expect(contents.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at));
    expect(bench.episode.llmCalls).toBe(20);
  });

  it('sends and gets large bodies', { timeout: 30_000 }, async () => {
    const { client, bench } = await open((request) => saying(String(request.messages[0]?.content?.length)));
    const content = 'é😀'.repeat(8_500_000); // 51 MB in UTF-8
    const answer = await client.chat.completions.create({ ...ask, messages: [{ role: 'user', content }] });
    expect(answer.choices[0]?.message.content).toBe(String(content.length));
    expect(bench.asked[0]?.messages[0]?.content === content).toBe(true);
  });

  it('is refused a body beyond the limit', async () => {
    const { client, bench } = await open(() => saying('hi'), 1000);
    const long = { ...ask, messages: [{ role: 'user' as const, content: 'x'.repeat(3_000_000) }] };
    await expect(client.chat.completions.create(long)).rejects.toMatchObject({
      status: 413,
      code: 'request_too_large',
    });
    expect(bench.asked).toEqual([]);
  });

  it('is told what is wrong with its request and its key', async () => {
    const { client, bench } = await open(() => saying('hi'));
    await expect(client.chat.completions.create({ ...ask, n: 0 })).rejects.toMatchObject({
      status: 400,
      param: 'n',
    });
    bench.episode.close();
    await expect(client.chat.completions.create(ask)).rejects.toMatchObject({
      status: 401,
      code: 'closed_episode',
    });
  });

  it('finds the model and the health by other means too', async () => {
    const door = await open(() => saying('hi'));
    expect((await door.client.models.list()).data.map((model) => model.id)).toEqual(['reserved_field']);
    const health = await door.fetch(new URL('../health', `${door.baseUrl}/`));
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
    const request = new Request(`${door.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${door.bench.apiKey}` },
      body: JSON.stringify(ask),
    });
    const response = await door.fetch(request);
    expect(response).toBeInstanceOf(Response);
    expect(await response.json()).toMatchObject(completionOf('hi'));
  });
});

describe('the fetch of this process', () => {
  it('leaves nothing on a signal that outlives its request', async () => {
    const { signal } = new AbortController();
    const bench = tunerBench(() => saying('a b'));
    const own = createModelFetch(bench.gateway.handle);
    const headers = { authorization: `Bearer ${bench.apiKey}` };
    for (const stream of [false, true]) {
      const request = { method: 'POST', headers, body: JSON.stringify({ ...ask, stream }), signal };
      const response = await own('http://localhost/v1/chat/completions', request);
      await response.text();
    }
    expect(bench.episode.llmCalls).toBe(2);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects at once when its signal has already been aborted', async () => {
    const bench = tunerBench(() => saying('hi'));
    const own = createModelFetch(bench.gateway.handle);
    const reason = new Error('never mind');
    const request = own('http://127.0.0.1/health', { signal: AbortSignal.abort(reason) });
    await expect(request).rejects.toBe(reason);
  });

  it('fails the body of a stream when its signal is aborted', async () => {
    const bench = tunerBench((_request, cancellation) => ({
      kind: 'stream',
      chunks: (async function* () {
        yield [chunkOf({ content: 'a' })];
        await new Promise<void>((resolve) => cancellation.onCancelled(() => resolve()));
      })(),
    }));
    const abort = new AbortController();
    const response = await createModelFetch(bench.gateway.handle)('http://localhost/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${bench.apiKey}` },
      body: JSON.stringify({ ...ask, stream: true }),
      signal: abort.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    const next = reader?.read();
    abort.abort();
    await expect(next).rejects.toMatchObject({ name: 'AbortError' });
    expect(bench.calls).toMatchObject([{ status: 499 }]);
  });
});
