import { describe, expect, it } from 'vitest';
import type { ChatRequest, ModelReply } from '../../../../src/backbone/core/model-tuner/model.ts';
import { EndpointFields } from '../../../../src/backbone/node/model-tuner/endpointFields.ts';
import { completionOf } from '../model-tuner/tunerBench.ts';

const request: ChatRequest = {
  model: 'any',
  messages: [{ role: 'user', content: 'hello' }],
  logprobs: true,
  top_logprobs: 2,
};
const answer: ModelReply = { kind: 'completion', completion: completionOf('hi') };

/** A server behind it, and what it was asked of tokens. */
function bench(reply: (fields: readonly string[]) => ModelReply) {
  const logged: string[] = [];
  const asked: string[][] = [];
  const extras = new EndpointFields({
    logger: { log: (level, message) => logged.push(`${level}: ${message}`) },
  });
  const ask = (): Promise<ModelReply> =>
    extras.ask(request, (sent) => {
      const fields = Object.keys(sent).filter((field) => /logprobs|^return_/.test(field));
      asked.push(fields);
      return Promise.resolve(reply(fields));
    });
  return { ask, asked, logged };
}

function refusal(status: number, message: string, param: string | null = null): ModelReply {
  return { kind: 'error', status, error: { message, type: 'invalid_request_error', param, code: null } };
}

const all = ['logprobs', 'top_logprobs', 'return_token_ids', 'return_meta_info'];

describe('a server that does not know what it is asked of its tokens', () => {
  it.each<[string, number, string[], string[]]>([
    ['ids', 400, ['return_token_ids'], ['logprobs', 'top_logprobs', 'return_meta_info']],
    ['log probabilities', 403, ['logprobs'], ['return_token_ids']],
    ['either', 422, ['return_token_ids', 'logprobs'], []],
  ])('is asked again without %s, and from then on', async (_, status, refused, left) => {
    const { ask, asked, logged } = bench((fields) => {
      const met = refused.find((field) => fields.includes(field));
      return met === undefined ? answer : refusal(status, `Unknown parameter: '${met}'.`, met);
    });
    expect(await ask()).toBe(answer);
    expect(asked).toHaveLength(1 + refused.length);
    expect(await ask()).toBe(answer);
    expect(asked.slice(1 + refused.length)).toEqual([left]);
    expect(logged.map((line) => /^info: .* does not support (\w+):/.exec(line)?.[1])).toEqual(refused);
  });

  it('is told of once by requests that were under way together', async () => {
    const { ask, logged } = bench((fields) =>
      fields.includes('return_token_ids') ? refusal(400, 'return_token_ids: what?') : answer,
    );
    await Promise.all([ask(), ask(), ask()]);
    expect(logged).toHaveLength(1);
  });

  it('is not found in one that refuses the request without these, too', async () => {
    const { ask, asked, logged } = bench(() => refusal(400, 'logprobs, return_token_ids: all is wrong'));
    expect(await ask()).toMatchObject({ kind: 'error', status: 400 });
    expect(await ask()).toMatchObject({ kind: 'error', status: 400 });
    expect(asked).toEqual([all, [], all, []]);
    expect(logged).toEqual([]);
  });

  it.each([
    [500, 'logprobs failed'],
    [400, 'top_logprobs must be at most 5'],
  ])('is not found in one that says %i, %s', async (status, message) => {
    const { ask, asked } = bench(() => refusal(status, message));
    await ask();
    expect(asked).toEqual([all]);
  });
});

describe('a server that streams no log probabilities', () => {
  const tools = [{ type: 'function' as const, function: { name: 'add' } }];
  const streamed = { ...request, stream: true, stream_options: { include_usage: true } };
  // The message that llama.cpp sends.
  const inStreams = refusal(400, 'logprobs is not supported with tools + stream');

  function server(refuses: (sent: ChatRequest) => ModelReply | undefined) {
    const logged: string[] = [];
    const sent: ChatRequest[] = [];
    const fields = new EndpointFields({ logger: { log: (_level, message) => logged.push(message) } });
    const ask = (asked: ChatRequest): Promise<ModelReply> =>
      fields.ask(asked, (one) => {
        sent.push(one);
        return Promise.resolve(refuses(one) ?? answer);
      });
    const shapes = (): string[] =>
      sent
        .splice(0)
        .map((one) => ['stream', 'stream_options', 'logprobs'].filter((key) => key in one).join());
    return { ask, shapes, logged };
  }

  it('with tools is asked for whole replies to these, and streams the others', async () => {
    const { ask, shapes, logged } = server(({ stream, tools: given, logprobs }) =>
      stream === true && given && logprobs === true ? inStreams : undefined,
    );
    expect(await ask({ ...streamed, tools })).toBe(answer);
    expect(shapes()).toEqual(['stream,stream_options,logprobs', 'logprobs']);
    await ask({ ...streamed, tools });
    await ask({ ...request, stream: false, tools });
    await ask(streamed);
    expect(shapes()).toEqual(['logprobs', 'stream,logprobs', 'stream,stream_options,logprobs']);
    expect(logged).toEqual([expect.stringContaining('logprobs for streams with tools')]);
  });

  it('and none otherwise is asked for streams without these', async () => {
    const { ask, shapes, logged } = server(({ logprobs }) => (logprobs === true ? inStreams : undefined));
    await ask(streamed);
    await ask(streamed);
    const bare = 'stream,stream_options';
    expect(shapes()).toEqual([`${bare},logprobs`, 'logprobs', bare, bare]);
    expect(logged).toEqual([expect.stringContaining('log probabilities are missing')]);
  });
});
