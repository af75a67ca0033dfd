import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ChatRequest, ModelReply } from '../../../../src/backbone/core/model-tuner/model.ts';
import { createEndpointModel } from '../../../../src/backbone/node/model-tuner/endpointModel.ts';
import { neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { omit } from '../../../../src/base/core/omit.ts';
import { completionOf } from '../model-tuner/tunerBench.ts';
import { openAiServer, sendJson } from './openAiServer.ts';

/** A request with the sampling options that a config sets. */
const request: ChatRequest = {
  model: 'any',
  messages: [{ role: 'user', content: 'hello' }],
  max_tokens: 100,
  temperature: 0.9,
  top_p: 0.95,
  seed: 7,
  logprobs: true,
};
const call = { episode: 0, call: 0, agentName: 'a', targetTag: 't' };

type Body = Readonly<Record<string, unknown>>;
/** The status and body of a refusal, undefined for a good request. */
type Refusal = (body: Body) => readonly [status: number, body: unknown] | undefined;

const openAiError = (message: string, param: string | null, code: string | null) => ({
  error: { message, type: 'invalid_request_error', param, code },
});

/** Refuses one field after the other, as OpenAI does for o3 and GPT-5. */
const openAi: Refusal = (body) => {
  const unknown = Object.keys(body).find((name) => name.startsWith('return_'));
  if (unknown !== undefined) {
    return [400, openAiError(`Unrecognized request argument supplied: ${unknown}`, null, null)];
  }
  if ('max_tokens' in body) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return [400, openAiError(message, 'max_tokens', 'unsupported_parameter')];
  }
  if ('temperature' in body && body['temperature'] !== 1) {
    const message =
      "Unsupported value: 'temperature' does not support 0.9 with this model. Only the default (1) value is supported.";
    return [400, openAiError(message, 'temperature', 'unsupported_value')];
  }
  if ('top_p' in body) {
    const message = "Unsupported parameter: 'top_p' is not supported with this model.";
    return [400, openAiError(message, 'top_p', 'unsupported_parameter')];
  }
  if ('logprobs' in body) {
    return [403, openAiError('You are not allowed to request logprobs from this model', null, null)];
  }
  return undefined;
};

/** Refuses all fields at once that its schema does not have. */
const mistral: Refusal = (body) => {
  const known = ['model', 'messages', 'stream', 'max_tokens', 'temperature', 'top_p', 'random_seed'];
  const detail = Object.keys(body)
    .filter((name) => !known.includes(name))
    .map((name) => ({ type: 'extra_forbidden', loc: ['body', name], msg: 'Extra inputs are not permitted' }));
  if (detail.length === 0) return undefined;
  return [
    422,
    { object: 'error', message: { detail }, type: 'invalid_request_error', param: null, code: null },
  ];
};

const gemini: Refusal = (body) => {
  const unknown = Object.keys(body).filter((name) => /seed|^logprobs|^return_/.test(name));
  if (unknown.length === 0) return undefined;
  const message = `Invalid JSON payload received. ${unknown.map((name) => `Unknown name "${name}": Cannot find field.`).join('\n')}`;
  return [400, [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }]];
};

const claude: Refusal = (body) =>
  'temperature' in body && 'top_p' in body
    ? [400, openAiError('`temperature` and `top_p` cannot both be specified for this model.', null, null)]
    : undefined;

const kimi: Refusal = (body) =>
  (body['temperature'] ?? 1) !== 1
    ? [400, openAiError('invalid temperature: only 1 is allowed for this model', null, null)]
    : undefined;

async function benchOf(refusal: Refusal, details = true) {
  const server = await openAiServer((response: ServerResponse, { body }) => {
    const refused = refusal(body);
    if (refused === undefined) sendJson(response, 200, completionOf('hi'));
    else sendJson(response, ...refused);
  });
  const logged: string[] = [];
  const logger = { log: (level: string, message: string) => logged.push(`${level}: ${message}`) };
  const model = createEndpointModel({ baseUrl: server.baseUrl, model: 'm', logger, details });
  const ask = (more: Partial<ChatRequest> = {}): Promise<ModelReply> =>
    model.respond({ ...request, ...more }, neverCancelled, call);
  const sent = (): Body => omit(server.received.at(-1)?.body ?? {}, 'model', 'messages');
  return { ask, sent, logged, server };
}

const details = {
  logprobs: true,
  return_token_ids: true,
  return_tokens_as_token_ids: true,
  return_meta_info: true,
};

describe('a server that refuses options', () => {
  it.each<[string, Refusal, Body, string[]]>([
    [
      'OpenAI',
      openAi,
      { max_completion_tokens: 100, seed: 7 },
      [
        'return_token_ids',
        'return_tokens_as_token_ids',
        'return_meta_info',
        'max_tokens',
        'temperature',
        'top_p',
        'logprobs',
      ],
    ],
    [
      'Mistral',
      mistral,
      { max_tokens: 100, temperature: 0.9, top_p: 0.95, random_seed: 7 },
      ['logprobs', 'return_token_ids', 'return_tokens_as_token_ids', 'return_meta_info', 'seed'],
    ],
    [
      'Gemini',
      gemini,
      { max_tokens: 100, temperature: 0.9, top_p: 0.95 },
      ['logprobs', 'return_token_ids', 'return_tokens_as_token_ids', 'return_meta_info', 'seed'],
    ],
    ['Claude', claude, { max_tokens: 100, temperature: 0.9, seed: 7, ...details }, ['top_p']],
    ['Kimi', kimi, { max_tokens: 100, top_p: 0.95, seed: 7, ...details }, ['temperature']],
  ])('gets those that %s knows, from the first answer on', async (_, refusal, left, named) => {
    const { ask, sent, logged, server } = await benchOf(refusal);
    expect(await ask()).toMatchObject({ kind: 'completion' });
    expect(sent()).toEqual(left);
    const before = server.received.length;
    expect(await ask()).toMatchObject({ kind: 'completion' });
    expect(server.received).toHaveLength(before + 1);
    expect(sent()).toEqual(left);
    expect(logged.map((line) => / does not support (\w+):/.exec(line)?.[1]).sort()).toEqual(named.sort());
  });

  it('gets a replaced option in its other name, and a warning says what is lost', async () => {
    const { ask, logged } = await benchOf(openAi);
    await ask();
    const about = (name: string): string | undefined =>
      logged.find((line) => line.includes(`support ${name}:`));
    expect(about('max_tokens')).toMatch(/^info: .*max_completion_tokens is sent instead/);
    expect(about('temperature')).toMatch(/^warn: /);
  });

  it('keeps the limit that the request has in the other name', async () => {
    const { ask, sent } = await benchOf(openAi);
    await ask({ max_completion_tokens: 50 });
    expect(sent()).toMatchObject({ max_completion_tokens: 50 });
    expect(sent()).not.toHaveProperty('max_tokens');
  });

  it('gets no limit if it knows neither name', async () => {
    const { ask, sent } = await benchOf((body) => {
      const limit = ['max_tokens', 'max_completion_tokens'].find((name) => name in body);
      return limit === undefined
        ? undefined
        : [400, openAiError(`property '${limit}' is unsupported`, null, null)];
    });
    expect(await ask()).toMatchObject({ kind: 'completion' });
    expect(Object.keys(sent())).not.toContain('max_completion_tokens');
  });

  it('is understood by the helper LLM, too', async () => {
    const { ask, sent } = await benchOf(openAi, false);
    expect(await ask({ logprobs: null, temperature: 0 })).toMatchObject({ kind: 'completion' });
    expect(sent()).toMatchObject({ max_completion_tokens: 100 });
  });

  it.each([
    ["'max_tokens' is too large: 5000. This model's maximum context length is 4096 tokens.", 'max_tokens'],
    ['temperature must be at most 2', null],
  ])('fails for a wrong value: %s', async (message, param) => {
    const { ask, server, logged } = await benchOf(() => [400, openAiError(message, param, 'invalid_value')]);
    expect(await ask()).toMatchObject({ kind: 'error', status: 400, error: { message } });
    expect(server.received).toHaveLength(1);
    expect(logged).toEqual([]);
  });
});
