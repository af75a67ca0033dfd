import { describe, expect, it } from 'vitest';
import type { HelperLlm } from '../../../../src/backbone/core/helper-llm/helperLlm.ts';
import type { ChatModel, ChatRequest } from '../../../../src/backbone/core/model-tuner/model.ts';
import { CancellationSource, neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { CodedError } from '../../../../src/base/core/errors.ts';
import { openHelperLlm, type HelperContext } from '../../../../src/backbone/node/model-tuner/helperLlm.ts';
import { CallBudget } from '../../../../src/backbone/core/model-tuner/callBudget.ts';
import { createBuiltInModel } from '../../../../src/backbone/core/model-tuner/built-in/builtInModel.ts';
import { FakeClock } from '../../fakeClock.ts';
import { completionOf } from '../model-tuner/tunerBench.ts';
import { beginStream, openAiServer, sendJson } from './openAiServer.ts';

const question = [{ role: 'user', content: 'Which?' }] as const;

function context(changes: Partial<HelperContext> = {}) {
  const seen = { log: [] as string[], warnings: [] as string[] };
  const clock = new FakeClock();
  const made: HelperContext = {
    seed: 1,
    clock,
    logger: { log: (_, message) => seen.log.push(message) },
    environment: {},
    openLocal: () => createBuiltInModel({ seed: 1 }),
    budget: new CallBudget({}),
    warn: (problem) => seen.warnings.push(problem.code),
    ...changes,
  };
  return { context: made, clock, seen };
}

async function codeOf(answer: Promise<unknown>): Promise<string> {
  try {
    await answer;
  } catch (error) {
    if (error instanceof CodedError) return error.code;
    throw error;
  }
  return 'no error';
}

/** Asks, and lets five seconds pass whenever the helper waits. */
async function askPatiently(helper: HelperLlm, clock: FakeClock): Promise<string> {
  const state = { settled: false };
  const answer = helper.ask(question, neverCancelled, { model: 'm' }).finally(() => (state.settled = true));
  answer.catch(() => undefined);
  const step = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  while (!state.settled) {
    clock.advance(5_000);
    await step();
  }
  return answer;
}

describe('the helper LLM', () => {
  it("asks as upstream asks, the config's model or the user's", async () => {
    const server = await openAiServer((response) => sendJson(response, 200, completionOf('This.')));
    const { context: made } = context({
      environment: {
        DASHSCOPE_API_KEY: 'a',
        DASHSCOPE_API_KEY_BACKUP: 'b',
        DASHSCOPE_BASE_URL: server.baseUrl,
      },
    });
    const options = { model: 'qwen-long', maxTokens: 512, sampling: { temperature: 0.3 }, answer: {} };
    expect(await openHelperLlm(undefined, made).ask(question, neverCancelled, options)).toBe('This.');
    const chosen = openHelperLlm(
      { kind: 'endpoint', baseUrl: server.baseUrl, model: 'big', apiKey: 'k' },
      made,
    );
    expect(await chosen.ask(question, neverCancelled, options)).toBe('This.');
    expect(chosen.description).toBe(`big at ${server.baseUrl}`);
    expect(server.received.map(({ body, headers }) => [headers.authorization, body])).toEqual([
      [
        'Bearer a',
        { model: 'qwen-long', messages: question, n: 1, max_completion_tokens: 512, temperature: 0.3 },
      ],
      ['Bearer k', { model: 'big', messages: question, n: 1, max_completion_tokens: 512, temperature: 0.3 }],
    ]);
  });

  it('asks four times: twice with a primary key, once with a backup key, once with any', async () => {
    const server = await openAiServer((response) => sendJson(response, 503, { error: { message: 'busy' } }));
    const {
      context: made,
      clock,
      seen,
    } = context({
      environment: {
        DASHSCOPE_API_KEY: 'p1|p2',
        DASHSCOPE_API_KEY_BACKUP: 'b1|b2',
        DASHSCOPE_BASE_URL: server.baseUrl,
      },
    });
    const answer = askPatiently(openHelperLlm(undefined, made), clock);
    expect(await codeOf(answer)).toBe('helper-llm/no-answer');
    const keys = server.received.map(({ headers }) => headers.authorization?.slice('Bearer '.length));
    expect(keys).toEqual([
      expect.stringMatching(/^p/),
      expect.stringMatching(/^p/),
      expect.stringMatching(/^b/),
      expect.stringMatching(/^[pb]/),
    ]);
    expect(seen.log).toHaveLength(3);
    expect(seen.log.join()).not.toMatch(/p1|p2|b1|b2/);
  });

  it('takes the answer of a later attempt, also one that streams', async () => {
    const server = await openAiServer((response) => {
      if (server.received.length < 3) sendJson(response, 429, { error: { message: 'slow down' } });
      else {
        beginStream(response);
        const chunk = {
          id: 'c',
          choices: [{ index: 0, delta: { content: 'Late.' }, finish_reason: 'stop' }],
        };
        response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
      }
    });
    const { context: made, clock } = context();
    const helper = openHelperLlm({ kind: 'endpoint', baseUrl: server.baseUrl, apiKey: 'k' }, made);
    expect(await askPatiently(helper, clock)).toBe('Late.');
  });

  it('does not send again what was refused for what it is', async () => {
    const server = await openAiServer((response) =>
      sendJson(response, 404, { error: { message: 'no such' } }),
    );
    const { context: made } = context();
    const helper = openHelperLlm({ kind: 'endpoint', baseUrl: server.baseUrl, model: 'none' }, made);
    expect(await codeOf(helper.ask(question, neverCancelled))).toBe('helper-llm/no-answer');
    expect(server.received.filter(({ path }) => path === '/v1/chat/completions')).toHaveLength(1);
  });

  it('is not waited for after cancellation, neither for an answer nor between attempts', async () => {
    const cancellation = new CancellationSource();
    const server = await openAiServer((response) => {
      if (server.received.length === 1) sendJson(response, 500, {});
      else cancellation.cancel();
    });
    const { context: made, clock } = context();
    const helper = openHelperLlm({ kind: 'endpoint', baseUrl: server.baseUrl, model: 'm' }, made);
    const pausing = new CancellationSource();
    const answer = codeOf(helper.ask(question, pausing.token));
    while (server.received.length < 1) await new Promise((resolve) => setImmediate(resolve));
    pausing.cancel();
    expect(await answer).toBe('helper-llm/cancelled');
    clock.advance(5_000);
    expect(await codeOf(helper.ask(question, cancellation.token))).toBe('helper-llm/cancelled');
    expect(server.received).toHaveLength(2);
  });

  it('says what to set where nothing is configured, and what no model is named for', async () => {
    const { context: made, seen } = context();
    expect(await codeOf(openHelperLlm(undefined, made).ask(question, neverCancelled))).toBe(
      'helper-llm/not-configured',
    );
    const nameless = openHelperLlm({ kind: 'endpoint', baseUrl: 'http://127.0.0.1:1/v1' }, made);
    expect(await codeOf(nameless.ask(question, neverCancelled))).toBe('helper-llm/no-model');
    const server = await openAiServer((response) => sendJson(response, 200, completionOf('This.')));
    const half = openHelperLlm(undefined, {
      ...made,
      environment: { DASHSCOPE_API_KEY: 'a', DASHSCOPE_BASE_URL: server.baseUrl },
    });
    await half.ask(question, neverCancelled, { model: 'm' });
    await half.ask(question, neverCancelled, { model: 'm' });
    expect(seen.warnings).toEqual(['helper-llm/no-backup-key']);
  });

  it("may be a model of this run's own, held to a schema and asked once", async () => {
    const requests: ChatRequest[] = [];
    let opened = 0;
    const model: ChatModel = {
      description: 'own',
      respond: (request) => {
        requests.push(request);
        const error = { message: 'no idea', type: 'server_error', param: null, code: null };
        return Promise.resolve({ kind: 'error', status: 500, error });
      },
    };
    const { context: made } = context({ openLocal: () => ((opened += 1), model) });
    const helper = openHelperLlm({ kind: 'script', file: '/w/h.ts' }, made);
    const answer = { type: 'object' };
    expect(await codeOf(helper.ask(question, neverCancelled, { answer }))).toBe('helper-llm/no-answer');
    expect(await codeOf(helper.ask(question, neverCancelled))).toBe('helper-llm/no-answer');
    expect(opened).toBe(1);
    expect(requests.map(({ response_format }) => response_format)).toEqual([
      { type: 'json_schema', json_schema: { name: 'answer', schema: answer } },
      undefined,
    ]);
  });

  it('answers by schema with the embedded model', async () => {
    const { context: made } = context();
    const schema = {
      type: 'object',
      properties: { result: { enum: ['GOOD', 'BAD'] } },
      required: ['result'],
    };
    const helper = openHelperLlm({ kind: 'embedded' }, made);
    const answer = JSON.parse(await helper.ask(question, neverCancelled, { answer: schema })) as unknown;
    expect(answer).toEqual({ result: expect.stringMatching(/^(GOOD|BAD)$/) as string });
  });
});
