/** Servers that tell of their tokens as vLLM and SGLang do, in the versions named. */
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readReplyTokens } from '../../../../src/backbone/core/context-tracker/tracedCall.ts';
import { Assembler } from '../../../../src/backbone/core/model-tuner/assemble.ts';
import type { ChatCompletion, ChatRequest } from '../../../../src/backbone/core/model-tuner/model.ts';
import { withServerTokens } from '../../../../src/backbone/core/model-tuner/serverTokens.ts';
import { neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { createEndpointModel } from '../../../../src/backbone/node/model-tuner/endpointModel.ts';
import { fuzz } from '../../fuzz.ts';
import { completionOf } from '../model-tuner/tunerBench.ts';
import { beginStream, openAiServer, sendJson, type Received } from './openAiServer.ts';

const request: ChatRequest = { model: 'any', messages: [{ role: 'user', content: 'hello' }], logprobs: true };
const call = { episode: 0, call: 0, agentName: 'a', targetTag: 't' };

/** The reply `hé` and its end. */
const tokens = [
  { id: 71, text: 'h', logprob: -0.5 },
  { id: 978, text: 'é', logprob: -0.25 },
  { id: 2, text: '<|im_end|>', logprob: -0.125 },
];
const ids = tokens.map(({ id }) => id);
const prompt = [1, 15, 16];

const bytesOf = (text: string): number[] => [...Buffer.from(text)];
const spelled = (id: number): string => `token_id:${id}`;

/** What vLLM tells, asked for spelled tokens or not. */
function vllmLogprobs(body: Received['body'], only = tokens): object {
  if (body['logprobs'] !== true) return { logprobs: null };
  const spells = body['return_tokens_as_token_ids'] === true;
  const content = only.map(({ id, text, logprob }) => ({
    token: spells ? spelled(id) : text,
    logprob,
    bytes: bytesOf(text),
    top_logprobs: [],
  }));
  return { logprobs: { content } };
}

const sglangLogprobs = {
  logprobs: {
    content: tokens.map(({ text, logprob }) => ({
      token: text,
      logprob,
      bytes: bytesOf(text),
      top_logprobs: [],
    })),
  },
};

type Serve = (response: ServerResponse, received: Received) => void;

function whole(fields: object, choice: object): ChatCompletion {
  const completion = completionOf('hé');
  const choices = completion.choices.map((one) => ({ ...one, ...choice }));
  return { ...completion, ...fields, choices };
}

/** Since 0.10.2. */
const vllm: Serve = (response, { body }) => {
  const asked = body['return_token_ids'] === true;
  if (body['stream'] !== true) {
    const choice = { ...vllmLogprobs(body), token_ids: asked ? ids : null };
    sendJson(response, 200, whole({ prompt_token_ids: asked ? prompt : null }, choice));
    return;
  }
  beginStream(response);
  const send = (fields: object, choice: object): void => {
    const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields };
    response.write(
      `data: ${JSON.stringify({ ...head, choices: [{ index: 0, finish_reason: null, ...choice }] })}\n\n`,
    );
  };
  send(
    { prompt_token_ids: asked ? prompt : null },
    { delta: { role: 'assistant', content: '' }, logprobs: null },
  );
  for (const [at, token] of tokens.entries()) {
    const isLast = at === tokens.length - 1;
    send(
      {},
      {
        delta: { content: isLast ? '' : token.text },
        ...vllmLogprobs(body, [token]),
        ...(asked && { token_ids: [token.id] }),
        ...(isLast && { finish_reason: 'stop' }),
      },
    );
  }
  response.end('data: [DONE]\n\n');
};

/** 0.6.3 to 0.10.1 overlook `return_token_ids`. */
const olderVllm: Serve = (response, received) => {
  vllm(response, { ...received, body: { ...received.body, return_token_ids: false } });
};

/** Before 0.6.3 what is not known is refused, all of it in one message. */
const strictVllm: Serve = (response, received) => {
  const unknown = Object.keys(received.body).filter((name) => name.startsWith('return_'));
  if (unknown.length === 0) {
    vllm(response, received);
    return;
  }
  const problems = unknown.map(
    (name) =>
      `{'type': 'extra_forbidden', 'loc': ('body', '${name}'), 'msg': 'Extra inputs are not permitted', 'input': True}`,
  );
  sendJson(response, 400, {
    object: 'error',
    message: `[${problems.join(', ')}]`,
    type: 'BadRequestError',
    param: null,
    code: 400,
  });
};

/** June to August 2026. */
const sglang: Serve = (response, { body }) => {
  if (body['stream'] === true && body['return_meta_info'] === true) {
    refuseInStreams(response, 'return_meta_info');
  } else if (body['stream'] === true) {
    const content = {
      index: 0,
      delta: { role: 'assistant', content: 'hé' },
      ...sglangLogprobs,
      finish_reason: 'stop',
    };
    beginStream(response);
    response.end(
      `data: ${JSON.stringify({ id: 'c', model: 'm', created: 1, choices: [content] })}\n\ndata: [DONE]\n\n`,
    );
  } else {
    const meta_info = {
      id: 'r',
      output_token_logprobs: tokens.map(({ logprob, id }) => [logprob, id, null]),
      input_token_logprobs: prompt.map((id) => [null, id, null]),
    };
    sendJson(
      response,
      200,
      whole({}, { ...sglangLogprobs, ...(body['return_meta_info'] === true && { meta_info }) }),
    );
  }
};

/** Since August 2026. */
const newerSglang: Serve = (response, received) => {
  const { body } = received;
  const asked = body['return_token_ids'] === true;
  if (body['stream'] === true && asked) refuseInStreams(response, 'return_token_ids');
  else if (body['stream'] === true) sglang(response, received);
  else
    sendJson(
      response,
      200,
      whole({}, { ...sglangLogprobs, ...(asked && { prompt_token_ids: prompt, token_ids: ids }) }),
    );
};

function refuseInStreams(response: ServerResponse, name: string): void {
  const message = `${name} is not supported with streaming. Please set stream=false when using ${name}=true.`;
  sendJson(response, 400, { object: 'error', message, type: 'BadRequest', param: null, code: 400 });
}

async function benchOf(serve: Serve) {
  const server = await openAiServer(serve);
  const logged: string[] = [];
  const logger = { log: (_level: string, message: string) => logged.push(message) };
  const model = createEndpointModel({ baseUrl: server.baseUrl, model: 'qwen', logger });
  const ask = async (more: Partial<ChatRequest> = {}): Promise<ChatCompletion> => {
    const reply = await model.respond({ ...request, ...more }, neverCancelled, call);
    if (reply.kind === 'completion') return reply.completion;
    if (reply.kind === 'error') throw new Error(reply.error.message);
    const assembler = new Assembler();
    for await (const batch of reply.chunks) for (const chunk of batch) assembler.add(chunk);
    const completion = assembler.completion();
    if (completion === undefined) throw new Error('an empty stream');
    return completion;
  };
  const askedFor = (at: number): string[] =>
    Object.keys(server.received.at(at)?.body ?? {}).filter((name) => /logprobs|^return_/.test(name));
  return { ask, askedFor, logged, server };
}

function repliesOf({ choices }: ChatCompletion): unknown {
  const [choice] = choices;
  return choice && readReplyTokens(choice)?.map(({ id, logprob }) => [id, logprob]);
}

const told = tokens.map(({ id, logprob }) => [id, logprob]);
const texts = tokens.map(({ text }) => text);

describe.each<[string, Serve, boolean]>([
  ['vLLM', vllm, true],
  ['an older vLLM', olderVllm, true],
  ['SGLang', sglang, false],
  ['a newer SGLang', newerSglang, false],
])('%s', (_, serve, streams) => {
  it('tells ids and log probabilities of a whole answer, in one form', async () => {
    const { ask, server } = await benchOf(serve);
    const completion = await ask();
    expect(repliesOf(completion)).toEqual(told);
    expect(completion.choices[0]).toMatchObject({ token_ids: ids });
    expect(completion.choices[0]?.logprobs?.content?.map(({ token }) => token)).toEqual(texts);
    expect(completion.choices[0]).not.toHaveProperty('meta_info');
    expect(server.received).toHaveLength(1);
  });

  it(`tells ${streams ? 'the same' : 'log probabilities'} of a stream`, async () => {
    const { ask } = await benchOf(serve);
    const streamed = await ask({ stream: true });
    expect(repliesOf(streamed)).toEqual(streams ? told : tokens.map(({ logprob }) => [null, logprob]));
    expect(streamed.choices[0]?.logprobs?.content?.map(({ token }) => token)).toEqual(texts);
    expect(streamed.choices[0]?.message.content).toBe('hé');
  });
});

describe('the ids of a prompt', () => {
  it.each<[string, Serve]>([
    ['vLLM', vllm],
    ['SGLang', sglang],
    ['a newer SGLang', newerSglang],
  ])('are those that %s tells', async (_, serve) => {
    const { ask } = await benchOf(serve);
    expect(await ask()).toMatchObject({ prompt_token_ids: prompt });
  });
});

describe('what a server refuses', () => {
  it('in streams is still asked for in whole answers', async () => {
    const { ask, askedFor, logged, server } = await benchOf(newerSglang);
    await ask({ stream: true });
    expect(server.received).toHaveLength(3);
    await ask({ stream: true });
    expect(askedFor(-1)).toEqual(['logprobs', 'return_tokens_as_token_ids']);
    expect(repliesOf(await ask())).toEqual(told);
    expect(logged).toEqual([
      expect.stringMatching(/does not support return_token_ids for streams:/),
      expect.stringMatching(/does not support return_meta_info for streams:/),
    ]);
  });

  it('all at once is left out at once', async () => {
    const { ask, askedFor, server } = await benchOf(strictVllm);
    expect(repliesOf(await ask())).toEqual(tokens.map(({ logprob }) => [null, logprob]));
    await ask({ stream: true });
    expect(server.received).toHaveLength(3);
    expect(askedFor(-1)).toEqual(['logprobs']);
  });

  it.each<[unknown]>([
    [
      {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'return_meta_info'],
            msg: 'Extra inputs are not permitted',
          },
        ],
      },
    ],
    [{ error: { message: 'The request has an unknown field.' } }],
    [{ error: { message: 'Unrecognized request argument supplied: return_meta_info', param: null } }],
  ])('as %j is left out from then on', async (refusal) => {
    const { ask, askedFor, server } = await benchOf((response, received) => {
      if (received.body['return_meta_info'] === true) sendJson(response, 422, refusal);
      else sendJson(response, 200, completionOf('hé'));
    });
    await ask();
    await ask();
    expect(server.received).toHaveLength(3);
    expect(askedFor(-1)).not.toContain('return_meta_info');
  });

  it('is not asked for where the texts of other likely tokens are wanted, which would be lost', async () => {
    const { ask, askedFor } = await benchOf(vllm);
    await ask({ top_logprobs: 2 });
    expect(askedFor(0)).toEqual(['logprobs', 'top_logprobs', 'return_token_ids', 'return_meta_info']);
  });
});

describe('a token spelled by its id', () => {
  const withToken = (token: string, bytes: unknown): ChatCompletion =>
    whole({}, { logprobs: { content: [{ token, bytes, logprob: -1, top_logprobs: [] }] } });

  it.each([
    ['of vLLM without a log probability', bytesOf('token_id:7'), null],
    ['that is a part of a character', [195], [195]],
    ['without bytes', null, null],
  ])('%s keeps its id and has no text', (_, bytes, kept) => {
    const [choice] = withServerTokens(withToken('token_id:7', bytes)).choices;
    expect(choice).toMatchObject({
      token_ids: [7],
      logprobs: { content: [{ token: 'token_id:7', bytes: kept }] },
    });
    expect(choice && readReplyTokens(choice)).toEqual([{ id: 7, bytes: kept ?? [], logprob: -1 }]);
  });
});

describe('whatever a server tells', () => {
  it('is read without an error, and left alone where it tells nothing in another form', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const entry = fc.oneof(
      value,
      fc.record({ token: fc.constantFrom('token_id:5', 'a', 3), bytes: value, logprob: value }),
    );
    const choice = fc.record(
      {
        index: value,
        token_ids: fc.oneof(value, fc.array(fc.nat())),
        logprobs: fc.oneof(value, fc.record({ content: fc.array(entry) })),
        meta_info: fc.oneof(
          value,
          fc.record({ output_token_logprobs: fc.array(fc.oneof(value, fc.tuple(value, value, value))) }),
        ),
        prompt_token_ids: value,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.record({ choices: fc.oneof(value, fc.array(fc.oneof(choice, value))) }), (answer) => {
        const given = JSON.stringify(answer);
        const once = withServerTokens(answer as unknown as ChatCompletion);
        expect(JSON.stringify(answer)).toBe(given);
        expect(JSON.stringify(once)).not.toContain('"meta_info":{"output');
        if (!/meta_info|prompt_token_ids|token_id:/.test(given)) expect(once).toBe(answer);
      }),
      fuzz(63, 5_000),
    );
  });
});
