import { describe, expect, it } from 'vitest';
import { ModelFailureError } from '../../../../src/backbone/core/model-tuner/model.ts';
import { CancellationSource } from '../../../../src/base/core/cancellation.ts';
import {
  ask,
  chatRequest,
  chunkOf,
  completionOf,
  gate,
  hello,
  saying,
  streamOf,
  tunerBench,
  type Answer,
} from './tunerBench.ts';

const streaming = { ...hello, stream: true };

describe('a stream', () => {
  it('passes each chunk on when it comes', async () => {
    const second = gate();
    const bench = tunerBench(() => ({
      kind: 'stream',
      chunks: (async function* () {
        yield [chunkOf({ role: 'assistant', content: 'a' })];
        await second.opened;
        yield [chunkOf({ content: 'b' }, 'stop')];
      })(),
    }));
    const reply = await bench.gateway.handle(chatRequest(bench, streaming));
    expect(reply.headers['content-type']).toMatch(/^text\/event-stream/);
    const events = (reply.body as AsyncIterable<string>)[Symbol.asyncIterator]();
    expect((await events.next()).value).toBe(
      `data: ${JSON.stringify(chunkOf({ role: 'assistant', content: 'a' }))}\n\n`,
    );
    expect(bench.calls).toEqual([]);
    second.open();
    await events.next();
    expect((await events.next()).value).toBe('data: [DONE]\n\n');
    expect(bench.calls).toMatchObject([
      { status: 200, completion: { choices: [{ message: { content: 'ab' }, finish_reason: 'stop' }] } },
    ]);
    expect((await events.next()).done).toBe(true);
  });

  it('is made of a whole answer', async () => {
    const bench = tunerBench(() => saying('two words'));
    const { text } = await ask(bench, { ...streaming, stream_options: { include_usage: true } });
    const events = text.trimEnd().split('\n\n');
    expect(events.at(-1)).toBe('data: [DONE]');
    expect(JSON.parse((events.at(-2) ?? '').slice('data: '.length))).toMatchObject({
      choices: [],
      usage: { total_tokens: 5 },
    });
    expect(bench.calls[0]?.completion).toEqual(completionOf('two words'));
  });

  it('that breaks ends with an error event, and is recorded as far as it came', async () => {
    const failure = {
      status: 502,
      error: { message: 'gone', type: 'server_error', param: null, code: 'endpoint_cut_off' },
    };
    const bench = tunerBench(() => ({
      kind: 'stream',
      chunks: streamOf([chunkOf({ content: 'a' })], () => Promise.reject(new ModelFailureError(failure))),
    }));
    const { status, text } = await ask(bench, streaming);
    expect(status).toBe(200);
    expect(text.endsWith(`event: error\ndata: ${JSON.stringify({ error: failure.error })}\n\n`)).toBe(true);
    expect(text).not.toContain('[DONE]');
    expect(bench.calls).toMatchObject([
      { status: 502, failure, completion: { choices: [{ message: { content: 'a' } }] } },
    ]);
    expect(bench.episode.llmCalls).toBe(0);
  });
});

describe('cancellation', () => {
  /** Answers when it is told to stop, as a model must. */
  const patient: Answer = (_request, cancellation) =>
    new Promise((_, reject) => cancellation.onCancelled(() => reject(new Error('stopped'))));

  it('by the client reaches the model', async () => {
    const bench = tunerBench(patient);
    const client = new CancellationSource();
    const reply = ask(bench, hello, { cancellation: client.token });
    client.cancel();
    expect(await reply).toMatchObject({ status: 499, json: { error: { code: 'cancelled' } } });
    expect(bench.calls).toMatchObject([{ status: 499, completion: undefined }]);
    expect(bench.episode.llmCalls).toBe(0);
  });

  it('by the end of the episode as well', async () => {
    const bench = tunerBench(patient);
    const reply = ask(bench);
    bench.episode.close();
    expect((await reply).status).toBe(499);
  });

  it('of a stream that nobody has begun to read is recorded at once', async () => {
    const bench = tunerBench(() => saying('a b c'));
    const client = new CancellationSource();
    await bench.gateway.handle(chatRequest(bench, streaming, { cancellation: client.token }));
    client.cancel();
    expect(bench.calls).toMatchObject([{ status: 499, completion: undefined }]);
  });

  it('in mid-stream ends it, with what had come', async () => {
    const bench = tunerBench(() => saying('a b c'));
    const reply = await bench.gateway.handle(chatRequest(bench, streaming));
    const events = (reply.body as AsyncIterable<string>)[Symbol.asyncIterator]();
    await events.next();
    await events.next();
    bench.episode.close();
    expect((await events.next()).value).toContain('event: error');
    expect((await events.next()).done).toBe(true);
    expect(bench.calls).toMatchObject([
      { status: 499, completion: { choices: [{ message: { content: 'a' }, finish_reason: null }] } },
    ]);
  });

  it('after the last word comes too late: the call is answered', async () => {
    const bench = tunerBench(() => ({
      kind: 'stream',
      chunks: streamOf([chunkOf({ content: 'a' }, 'stop')], () => new Promise(() => undefined)),
    }));
    const client = new CancellationSource();
    const request = chatRequest(bench, streaming, { cancellation: client.token });
    const reply = await bench.gateway.handle(request);
    await (reply.body as AsyncIterable<string>)[Symbol.asyncIterator]().next();
    client.cancel();
    expect(bench.calls).toMatchObject([{ status: 200 }]);
    expect(bench.episode.llmCalls).toBe(1);
  });
});
