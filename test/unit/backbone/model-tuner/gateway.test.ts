import { describe, expect, it } from 'vitest';
import { encodeApiKey } from '../../../../src/backbone/core/model-tuner/apiKey.ts';
import { CodedError } from '../../../../src/base/core/errors.ts';
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
  uuid,
  type Answer,
} from './tunerBench.ts';

const quiet: Answer = () => saying('hi');

describe('routes', () => {
  it('says that it is well, without a key', async () => {
    const bench = tunerBench(quiet);
    const reply = await ask(bench, '', { method: 'GET', path: '/health', headers: { host: 'localhost:1' } });
    expect([reply.status, reply.text]).toEqual([200, '{"status":"ok"}']);
  });

  it.each(['/v1/chat/completions', '/chat/completions', '/v1/chat/completions?api-version=1'])(
    'answers at %s',
    async (path) => {
      expect(await ask(tunerBench(quiet), hello, { path })).toMatchObject({
        status: 200,
        json: { choices: [{ message: { content: 'hi' } }] },
      });
    },
  );

  it('lists one model', async () => {
    expect(await ask(tunerBench(quiet), '', { method: 'GET', path: '/v1/models' })).toMatchObject({
      status: 200,
      json: { object: 'list', data: [{ id: 'reserved_field', object: 'model' }] },
    });
  });

  it.each([
    ['POST', '/v1/completions', 404, 'unknown_url'],
    ['GET', '/v1/constructor', 404, 'unknown_url'],
    ['GET', '/v1/v1/models', 404, 'unknown_url'],
    ['GET', '/v1/chat/completions', 405, 'method_not_allowed'],
    ['DELETE', '/v1/models', 405, 'method_not_allowed'],
  ])('refuses %s %s', async (method, path, status, code) => {
    const reply = await ask(tunerBench(quiet), hello, { method, path });
    expect(reply).toMatchObject({ status, json: { error: { code } } });
    if (status === 405) expect(reply.headers).toHaveProperty('allow');
  });
});

describe('who may call', () => {
  const other = (changes: object): string =>
    `Bearer ${encodeApiKey({ agentName: 'a', targetTag: 't', episodeUuid: uuid, episodeAddress: '', ...changes })}`;

  it.each([
    ['no key', undefined, 'missing_api_key'],
    ['another scheme', 'Basic abc', 'missing_api_key'],
    ['a foreign key', 'Bearer sk-proj-1', 'invalid_api_key'],
    ['a garbled key', 'Bearer sk-ajet-%%%', 'invalid_api_key'],
    ['an unknown episode', other({ episodeUuid: 'ff' }), 'unknown_episode'],
  ])('refuses %s', async (_, authorization, code) => {
    const headers = { host: '127.0.0.1', ...(authorization !== undefined && { authorization }) };
    const bench = tunerBench(quiet);
    expect(await ask(bench, hello, { headers })).toMatchObject({
      status: 401,
      json: { error: { code, type: 'authentication_error' } },
    });
    expect(bench.calls).toEqual([]);
  });

  it('refuses the keys of an episode that is over', async () => {
    const bench = tunerBench(quiet);
    bench.episode.close();
    expect(await ask(bench)).toMatchObject({ status: 401, json: { error: { code: 'closed_episode' } } });
  });

  it.each([
    ['evil.example', undefined, 'foreign_host'],
    ['127.0.0.1.evil.example:80', undefined, 'foreign_host'],
    ['', undefined, 'foreign_host'],
    ['localhost:80', 'https://evil.example', 'foreign_origin'],
    ['localhost:80', 'null', 'foreign_origin'],
    ['localhost:80', 'https://localhost.evil.example', 'foreign_origin'],
  ])('refuses host %j with origin %j', async (host, origin, code) => {
    const bench = tunerBench(quiet);
    const headers = { ...chatRequest(bench, '').headers, host, ...(origin !== undefined && { origin }) };
    expect(await ask(bench, hello, { headers })).toMatchObject({ status: 403, json: { error: { code } } });
    expect(bench.asked).toEqual([]);
  });

  it.each(['127.0.0.1:8000', 'localhost', '[::1]:9', '127.1.2.3'])('takes host %s', async (host) => {
    const bench = tunerBench(quiet);
    const headers = { ...chatRequest(bench, '').headers, host, origin: 'http://localhost:3000' };
    expect((await ask(bench, hello, { headers })).status).toBe(200);
  });
});

describe('what the model is asked', () => {
  it('has the messages, and the sampling of training with a seed of its own for each call', async () => {
    const bench = tunerBench(quiet);
    await ask(bench, { ...hello, temperature: 0, max_tokens: 5, seed: 1, top_k: 3 });
    await ask(bench, { ...hello, temperature: 0, max_tokens: 6, seed: 1 });
    expect(bench.asked[0]).toMatchObject({ temperature: 0.9, top_p: 0.95, max_tokens: 4080 });
    expect(bench.asked[0]).not.toHaveProperty('top_k');
    expect(bench.asked[0]?.seed).not.toBe(bench.asked[1]?.seed);
    const again = tunerBench(quiet);
    await ask(again);
    expect(again.asked[0]?.seed).toBe(bench.asked[0]?.seed);
  });

  it('is warned about once per option', async () => {
    const bench = tunerBench(quiet);
    await ask(bench, { ...hello, temperature: 0, max_tokens: 5 });
    await ask(bench, { ...hello, temperature: 0.5, top_p: 1 });
    expect(bench.logged).toEqual([
      'warn: Agent "solver" asked for temperature 0; 0.9 is used, as in training (ajet.rollout.temperature).',
      'warn: Agent "solver" asked for max_tokens 5; 4080 is used, as in training (ajet.rollout.max_response_length_in_one_turn).',
      'warn: Agent "solver" asked for top_p 1; 0.95 is used, as in training (ajet.rollout.top_p).',
    ]);
  });

  it('is named by episode, call and agent', async () => {
    const seen: unknown[] = [];
    const bench = tunerBench((_request, _cancellation, call) => {
      seen.push(call);
      return saying('hi');
    });
    await ask(bench);
    await ask(bench);
    expect(seen).toEqual([
      { episode: 5, call: 0, agentName: 'solver', targetTag: 'main' },
      { episode: 5, call: 1, agentName: 'solver', targetTag: 'main' },
    ]);
  });

  it('is nothing when the request is refused', async () => {
    const bench = tunerBench(quiet);
    expect((await ask(bench, { messages: [] })).status).toBe(400);
    expect((await ask(bench, 'no json')).status).toBe(400);
    await ask(bench);
    expect(bench.calls.map((call) => call.call)).toEqual([0]);
  });
});

describe('an answered call', () => {
  it('is recorded with what was asked and answered, and counted', async () => {
    const bench = tunerBench(() => {
      bench.clock.advance(1500);
      return saying('hi');
    });
    bench.clock.advance(9000);
    await ask(bench);
    expect(bench.calls).toEqual([
      {
        episode: 5,
        call: 0,
        agentName: 'solver',
        targetTag: 'main',
        episodeUuid: uuid,
        debugModel: null,
        canned: null,
        request: bench.asked[0],
        startedAt: 9000,
        seconds: 1.5,
        askedAfter: 0,
        firstAfter: null,
        status: 200,
        completion: completionOf('hi'),
        failure: undefined,
      },
    ]);
    expect(bench.episode.llmCalls).toBe(1);
  });

  it('waits for no other of its episode', async () => {
    const both = gate();
    let waiting = 0;
    const bench = tunerBench(async () => {
      waiting += 1;
      if (waiting === 2) both.open();
      await both.opened;
      return saying('hi');
    });
    await Promise.all([ask(bench), ask(bench)]);
    expect(bench.episode.llmCalls).toBe(2);
  });

  it('survives an observer that throws', async () => {
    const bench = tunerBench(quiet);
    bench.calls.push = () => {
      throw new Error('disk full');
    };
    expect((await ask(bench)).status).toBe(200);
    expect(bench.logged).toEqual(['error: Call 0 of episode 5 was not recorded: disk full']);
  });

  it.each([false, true])(
    'tells how long it took to its first part (asked for a stream: %s)',
    async (stream) => {
      const bench = tunerBench(() => ({ kind: 'stream', chunks: slowly() }));
      async function* slowly(): AsyncGenerator<readonly ReturnType<typeof chunkOf>[]> {
        bench.clock.advance(300);
        yield await Promise.resolve([chunkOf({ role: 'assistant', content: 'a' })]);
        bench.clock.advance(500);
        yield [chunkOf({ content: 'b' }, 'stop')];
      }
      await ask(bench, { ...hello, stream });
      expect(bench.calls).toMatchObject([{ askedAfter: 0, firstAfter: 0.3, seconds: 0.8 }]);
    },
  );

  it.each([false, true])('that comes whole has no first part (asked for a stream: %s)', async (stream) => {
    const guard = (): Promise<{ unsafe: null; overflows: false }> => {
      bench.clock.advance(200);
      return Promise.resolve({ unsafe: null, overflows: false });
    };
    const bench = tunerBench(() => saying('ab'), guard);
    await ask(bench, { ...hello, stream });
    expect(bench.calls).toMatchObject([{ askedAfter: 0.2, firstAfter: null }]);
  });

  it('may come as a stream where a whole answer was asked for', async () => {
    const bench = tunerBench(() => ({
      kind: 'stream',
      chunks: streamOf([chunkOf({ role: 'assistant', content: 'a' }), chunkOf({ content: 'b' }, 'stop')]),
    }));
    expect(await ask(bench)).toMatchObject({
      status: 200,
      json: { choices: [{ message: { content: 'ab' } }] },
    });
    expect(bench.episode.llmCalls).toBe(1);
  });
});

const streaming = { ...hello, stream: true };

describe('what an answer tells of its tokens', () => {
  const entry = { token: 'hi', bytes: [104, 105], logprob: -0.5, top_logprobs: [] };
  const told = { logprobs: { content: [entry], refusal: null }, token_ids: [9] };
  const completion = { ...completionOf('hi', told), prompt_token_ids: [1, 2] };
  const whole: Answer = () => ({ kind: 'completion', completion });
  const streamed: Answer = () => {
    const { choices, ...head } = chunkOf({ role: 'assistant', content: 'hi' }, 'stop');
    const chunk = { ...head, prompt_token_ids: [1, 2], choices: [{ ...choices[0], ...told }] };
    return { kind: 'stream', chunks: streamOf([chunk as unknown as ReturnType<typeof chunkOf>]) };
  };

  it.each([
    ['whole', whole, hello],
    ['whole, streamed on', whole, streaming],
    ['streamed', streamed, streaming],
  ])('is asked for and recorded, but kept from a client that did not ask (%s)', async (_, answer, body) => {
    const bench = tunerBench(answer);
    const { text } = await ask(bench, body);
    expect(text).toContain('"content":"hi"');
    expect(text).not.toMatch(/-0\.5|token_ids/);
    expect(bench.asked[0]?.logprobs).toBe(true);
    expect(bench.calls[0]?.completion?.choices).toMatchObject([told]);
  });

  it.each([
    ['whole', whole, hello],
    ['streamed', streamed, streaming],
  ])('is given to a client that asked (%s)', async (_, answer, body) => {
    const { text } = await ask(tunerBench(answer), { ...body, logprobs: true, return_token_ids: true });
    expect(text).toContain('"logprob":-0.5');
    expect(text).toContain('"token_ids":[9]');
    expect(text).toContain('"prompt_token_ids":[1,2]');
  });
});

describe('an episode that ends', () => {
  it('ends its calls at once, however long the model takes', async () => {
    const never = gate();
    const bench = tunerBench(async () => {
      await never.opened;
      return saying('too late');
    });
    const asking = ask(bench);
    await Promise.resolve();
    bench.episode.close();
    expect(bench.calls).toMatchObject([{ status: 499, completion: undefined }]);
    never.open();
    expect(await asking).toMatchObject({ status: 499 });
    expect(bench.calls).toHaveLength(1);
  });
});

describe('a failed call', () => {
  const refused = new CodedError({ code: 'model/rate-limited', message: 'Too fast.', hint: 'Wait.' });
  const tooFast: Answer = () => ({
    kind: 'error',
    status: 429,
    error: { message: 'Too fast', type: 'rate_limit_error', param: null, code: 'slow_down' },
    headers: { 'retry-after': '3' },
    report: refused,
  });

  it('keeps the status, the error and the headers, and counts as no answer', async () => {
    const bench = tunerBench(tooFast);
    const reply = await ask(bench);
    expect(reply).toMatchObject({ status: 429, json: { error: { code: 'slow_down' } } });
    expect(reply.json).not.toHaveProperty('report');
    expect(reply.headers['retry-after']).toBe('3');
    expect(bench.calls).toMatchObject([{ status: 429, completion: undefined, failure: { report: refused } }]);
    expect(bench.episode.llmCalls).toBe(0);
  });

  it('is what the episode failed with, until a call is answered', async () => {
    let works = false;
    const bench = tunerBench((...given) => (works ? saying('hi') : tooFast(...given)));
    expect(bench.episode.failure).toBeUndefined();
    await ask(bench);
    expect(bench.episode.failure).toBe(refused);
    works = true;
    await ask(bench);
    expect(bench.episode.failure).toBeUndefined();
  });

  it('is a 500 when the model throws', async () => {
    const bench = tunerBench(() => {
      throw new Error('out of ideas');
    });
    expect(await ask(bench)).toMatchObject({
      status: 500,
      json: { error: { code: 'model_failed', message: 'The model failed: out of ideas' } },
    });
  });

  it('is a status for a stream that has not begun, even if a stream was asked for', async () => {
    expect(await ask(tunerBench(tooFast), streaming)).toMatchObject({ status: 429 });
  });

  it.each([false, true])('is a stream with nothing in it (asked for one: %s)', async (stream) => {
    const bench = tunerBench(() => ({ kind: 'stream', chunks: streamOf([]) }));
    expect((await ask(bench, { ...hello, stream })).text).toContain('model_failed');
    expect(bench.calls).toMatchObject([{ status: 500, completion: undefined }]);
  });
});
