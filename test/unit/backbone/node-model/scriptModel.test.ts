import { describe, expect, it } from 'vitest';
import type {
  ChatModel,
  ChatRequest,
  ModelFailure,
  ModelReply,
} from '../../../../src/backbone/core/model-tuner/model.ts';
import { CancellationSource, neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { CodedError } from '../../../../src/base/core/errors.ts';
import {
  loadScriptModel,
  type ScriptModelOptions,
} from '../../../../src/backbone/node/model-tuner/scriptModel.ts';
import { completionOf } from '../model-tuner/tunerBench.ts';

const request: ChatRequest = { model: 'any', seed: 9, messages: [{ role: 'user', content: 'hello' }] };
const call = { episode: 2, call: 0, agentName: 'a', targetTag: 't' };

function load(module: unknown, changes: Partial<ScriptModelOptions> = {}): Promise<ChatModel> {
  return loadScriptModel({
    file: '/w/script.ts',
    load: () => Promise.resolve(module),
    files: { exists: () => Promise.resolve(true), readText: () => Promise.resolve(undefined) },
    userFrame: (error) => (error instanceof RangeError ? { file: '/w/helper.ts', line: 7 } : undefined),
    clock: { now: () => 5000 },
    ...changes,
  });
}

function loadJson(text: string): Promise<ChatModel> {
  const files = { exists: () => Promise.resolve(true), readText: () => Promise.resolve(text) };
  return load(undefined, { file: '/w/replies.json', files });
}

async function answerOf(returned: unknown, asked = request): Promise<ModelReply> {
  return (await load({ default: () => returned })).respond(asked, neverCancelled, call);
}

async function failureOf(reply: ModelReply | Promise<ModelReply>): Promise<ModelFailure> {
  const settled = await reply;
  if (settled.kind !== 'error') throw new Error(`expected an error, not a ${settled.kind}`);
  return settled;
}

describe('what a script returns', () => {
  it.each(['', 'four', 'ä😀'])('may be a text: %j', async (text) => {
    expect(await answerOf(text)).toEqual({
      kind: 'completion',
      completion: {
        id: 'chatcmpl-script-2-0',
        object: 'chat.completion',
        created: 5,
        model: 'any',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: text, refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
      },
    });
  });

  it('may be the fields of a message, with what a tool call lacks filled in', async () => {
    const tool_calls = [{ function: { name: 'f', arguments: '{}' } }];
    expect(await answerOf({ tool_calls, reasoning_content: 'hm', extra: 1 })).toMatchObject({
      completion: {
        choices: [
          {
            finish_reason: 'tool_calls',
            message: {
              role: 'assistant',
              content: null,
              reasoning_content: 'hm',
              extra: 1,
              tool_calls: [
                { id: 'call_2-0-0-0', type: 'function', function: { name: 'f', arguments: '{}' } },
              ],
            },
          },
        ],
      },
    });
  });

  it('may be a whole completion', async () => {
    const completion = completionOf('hi', { finish_reason: 'length' });
    expect(await answerOf(completion)).toEqual({ kind: 'completion', completion });
  });

  it('may be the choices of a completion', async () => {
    const choices = [{ message: { content: 'a' } }, { message: { content: 'b' }, finish_reason: 'length' }];
    expect(await answerOf({ choices })).toMatchObject({
      completion: {
        id: 'chatcmpl-script-2-0',
        choices: [
          { index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' },
          { index: 1, message: { role: 'assistant', content: 'b' }, finish_reason: 'length' },
        ],
      },
    });
  });

  it('may be a promise', async () => {
    expect(await answerOf(Promise.resolve('later'))).toMatchObject({
      completion: { choices: [{ message: { content: 'later' } }] },
    });
  });

  it('answers each of the choices that were asked for', async () => {
    const reply = await answerOf('same', { ...request, n: 3 });
    expect(reply).toMatchObject({ completion: { choices: [{ index: 0 }, { index: 1 }, { index: 2 }] } });
  });

  it.each<[unknown, string]>([
    [undefined, 'it is undefined'],
    [null, 'it is null'],
    [4, 'it is a number'],
    [['a'], 'it is an array'],
    [{ content: 'x', size: 1n }, 'it is not JSON'],
    [{}, 'it has neither choices nor any of content'],
    [{ content: 3 }, "'content' must be a string, not 3"],
    [{ choices: [] }, "'choices' must not be empty"],
    [{ choices: [{}] }, "'choices[0].message' is missing"],
    [
      { tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] },
      "'tool_calls[0].function.arguments' must be a string, not an object",
    ],
  ])('cannot be %o', async (returned, message) => {
    const failure = await failureOf(answerOf(returned));
    expect(failure).toMatchObject({
      status: 500,
      error: { code: 'script_failed' },
      report: { code: 'model/script-failed', location: { file: '/w/script.ts' } },
    });
    expect(failure.error.message).toContain(message);
  });
});

describe('a script', () => {
  it('is told which call it answers', async () => {
    const seen: unknown[] = [];
    const model = await load({
      respond: (...given: unknown[]) => {
        seen.push(...given);
        return 'x';
      },
    });
    await model.respond(request, neverCancelled, { ...call, call: 4 });
    expect(seen).toEqual([request, { ...call, call: 4, seed: 9 }]);
  });

  it('may change its request, which nobody else sees', async () => {
    const model = await load({
      default: (asked: ChatRequest) => {
        asked.messages.length = 0;
        return 'x';
      },
    });
    await model.respond(request, neverCancelled, call);
    expect(request.messages).toHaveLength(1);
  });

  it.each([
    ['its default export', { default: () => 'x' }],
    ['an export named respond', { respond: () => 'x' }],
    ['what a CommonJS file exports', { default: { respond: () => 'x' } }],
  ])('is %s', async (_, module) => {
    const reply = await (await load(module)).respond(request, neverCancelled, call);
    expect(reply.kind).toBe('completion');
  });

  it('that throws is a 500 which says where', async () => {
    const model = await load({
      default: () => {
        throw new RangeError('too deep');
      },
    });
    const failure = await failureOf(model.respond(request, neverCancelled, call));
    expect(failure.error.message).toBe('/w/helper.ts:7: The script threw: too deep Set a breakpoint there.');
    expect(failure.report?.location).toEqual({ file: '/w/helper.ts', line: 7 });
  });

  it('that throws something strange is a 500 too', async () => {
    const thenable = { then: (_: unknown, reject: (reason: unknown) => void) => reject('just text') };
    const model = await load({ default: () => thenable });
    const failure = await failureOf(model.respond(request, neverCancelled, call));
    expect(failure.error.message).toContain('just text');
  });

  it('that never answers is given up on cancellation', async () => {
    const model = await load({ default: () => new Promise(() => undefined) });
    const source = new CancellationSource();
    const reply = model.respond(request, source.token, call);
    source.cancel();
    expect(await failureOf(reply)).toMatchObject({ status: 499 });
  });

  it('that is not there is an error before the run', async () => {
    const files = { exists: () => Promise.resolve(false), readText: () => Promise.resolve(undefined) };
    await expect(load({}, { files })).rejects.toMatchObject({ code: 'model/script-not-found' });
  });

  it('that exports no function is an error before the run', async () => {
    await expect(load({ default: 'text', answer: () => 'x' })).rejects.toMatchObject({
      code: 'model/script-no-function',
      location: { file: '/w/script.ts' },
    });
  });

  it('that cannot be loaded is an error before the run, at the place it is due to', async () => {
    const broken = { load: () => Promise.reject(new RangeError('at the top')) };
    await expect(load(undefined, broken)).rejects.toMatchObject({
      code: 'model/script-not-loaded',
      location: { file: '/w/helper.ts', line: 7 },
    });
    const coded = new CodedError({ code: 'loader/syntax', message: 'no' });
    await expect(load(undefined, { load: () => Promise.reject(coded) })).rejects.toBe(coded);
  });
});

describe('a file of replies', () => {
  it('answers each episode from its first', async () => {
    const model = await loadJson('["one", {"content": "two"}]');
    const at = async (episode: number, number: number): Promise<unknown> => {
      const reply = await model.respond(request, neverCancelled, { ...call, episode, call: number });
      return reply.kind === 'completion' ? reply.completion.choices[0]?.message.content : reply;
    };
    expect([await at(0, 0), await at(1, 0), await at(0, 1), await at(1, 1)]).toEqual([
      'one',
      'one',
      'two',
      'two',
    ]);
  });

  it('says so when it runs out', async () => {
    const model = await loadJson('["one"]');
    const failure = await failureOf(model.respond(request, neverCancelled, { ...call, call: 1 }));
    expect(failure).toMatchObject({ status: 500, report: { code: 'model/script-no-more-replies' } });
    expect(failure.error.message).toContain('1 replies');
  });

  it.each(['["one"', '{}', ''])('is refused before the run when it holds %j', async (text) => {
    await expect(loadJson(text)).rejects.toMatchObject({
      code: 'model/script-bad-json',
      location: { file: '/w/replies.json' },
    });
  });
});
