import { describe, expect, it } from 'vitest';
import {
  readReplyTokens,
  tracedCall,
  trackerReply,
  trackerRequest,
} from '../../../src/backbone/core/context-tracker/tracedCall.ts';
import type { ChatCompletion } from '../../../src/backbone/core/model-tuner/model.ts';
import { completionOf } from './model-tuner/tunerBench.ts';
import { finishedCall, request } from './recording.ts';

type Choice = ChatCompletion['choices'][number];

/** A choice with fields as a server might send them, of whatever kind. */
function choice(fields: object): Choice {
  return { ...completionOf('hé').choices[0], ...fields } as Choice;
}

const logprobsOf = (...content: unknown[]): object => ({ logprobs: { content, refusal: null } });

describe('readReplyTokens', () => {
  it.each<[string, object, unknown]>([
    ['nothing', {}, null],
    ['no log probabilities', { logprobs: { content: null } }, null],
    [
      'texts with bytes',
      logprobsOf({ token: 'h', bytes: [104], logprob: -1 }, { token: '\\xc3', bytes: [195], logprob: -2 }),
      [
        { id: null, bytes: [104], logprob: -1 },
        { id: null, bytes: [195], logprob: -2 },
      ],
    ],
    [
      'texts without bytes',
      logprobsOf({ token: 'é', bytes: null, logprob: 0 }),
      [{ id: null, bytes: [195, 169], logprob: 0 }],
    ],
    [
      'ids in the place of texts',
      logprobsOf({ token: 'token_id:17', bytes: [104], logprob: -1 }, { token: 'token_id:18', logprob: -1 }),
      [
        { id: 17, bytes: [104], logprob: -1 },
        { id: 18, bytes: [], logprob: -1 },
      ],
    ],
    [
      'ids of entries, and an end token without text, as llama.cpp writes them',
      logprobsOf(
        { id: 57, token: 'h', bytes: [104], logprob: -1 },
        {
          id: 2,
          token: '',
          bytes: [],
          logprob: -0.5,
          top_logprobs: [{ id: 2, token: '', bytes: [], logprob: -0.5 }],
        },
      ),
      [
        { id: 57, bytes: [104], logprob: -1 },
        { id: 2, bytes: [], logprob: -0.5, alternatives: [{ id: 2, bytes: [], logprob: -0.5 }] },
      ],
    ],
    [
      'what else there might have been',
      logprobsOf({
        token: 'h',
        bytes: [104],
        logprob: -1,
        top_logprobs: [
          { token: 'H', bytes: [72], logprob: -0.5 },
          { token: 'token_id:17', bytes: null, logprob: -1 },
          { token: 'x', logprob: null },
          null,
        ],
      }),
      [
        {
          id: null,
          bytes: [104],
          logprob: -1,
          alternatives: [
            { id: null, bytes: [72], logprob: -0.5 },
            { id: 17, bytes: [], logprob: -1 },
          ],
        },
      ],
    ],
    [
      'ids beside texts',
      { ...logprobsOf({ token: 'h', bytes: [104], logprob: -1 }), token_ids: [17] },
      [{ id: 17, bytes: [104], logprob: -1 }],
    ],
    ['ids alone', { token_ids: [17, 18] }, [17, 18].map((id) => ({ id, bytes: [], logprob: null }))],
    [
      'ids that are not those of the texts',
      { ...logprobsOf({ token: 'h', bytes: [104], logprob: -1 }), token_ids: [17, 18] },
      [17, 18].map((id) => ({ id, bytes: [], logprob: null })),
    ],
    [
      'values of other kinds',
      { ...logprobsOf({ token: 3, bytes: ['x'], logprob: 'NaN' }, null), token_ids: [1.5] },
      [1, 2].map(() => ({ id: null, bytes: [], logprob: null })),
    ],
  ])('reads %s', (_, fields, tokens) => {
    expect(readReplyTokens(choice(fields))).toEqual(tokens);
  });
});

describe('a call', () => {
  const tools = [{ type: 'function' as const, function: { name: 'add' } }];
  const asked = { ...request, tools, temperature: 0.5, seed: 3, logprobs: true };

  it('is tracked by its messages and tools; an empty list of these is none', () => {
    const times = { startedAt: 1_000, seconds: 0.0129 };
    expect(trackerRequest(finishedCall({ call: 4, request: asked, ...times }))).toEqual({
      call: 4,
      agent: 'solver',
      startedAt: 1_000,
      endedAt: 1_012,
      messages: request.messages,
      tools,
    });
    expect(trackerRequest(finishedCall({ request: { ...request, tools: [] } })).tools).toBeNull();
  });

  it('is answered by its first choice', () => {
    const [first] = completionOf('one').choices;
    const completion = {
      ...completionOf('two'),
      choices: [first, ...completionOf('two').choices] as Choice[],
    };
    expect(trackerReply(finishedCall({ completion }))).toEqual({
      content: 'one',
      toolCalls: null,
      finishReason: 'stop',
      tokens: null,
    });
    expect(trackerReply(finishedCall({ completion: { ...completion, choices: [] } }))).toBeNull();
    const withPrompt = { ...completion, prompt_token_ids: [5, 6] };
    expect(trackerReply(finishedCall({ completion: withPrompt }))).toMatchObject({ promptIds: [5, 6] });
  });

  it('has its end token among the listed ones where the server lists ids, or where a stop text can end it', () => {
    const [first] = completionOf('one').choices;
    const listed = { ...completionOf('one'), choices: [{ ...first, token_ids: [7] } as Choice] };
    expect(trackerReply(finishedCall({ completion: listed }))).toMatchObject({ listsEnd: true });
    const stopped = finishedCall({ completion: completionOf('one'), request: { ...request, stop: ['.'] } });
    expect(trackerReply(stopped)).toMatchObject({ listsEnd: true });
    expect(trackerReply(finishedCall({ completion: completionOf('one') }))).not.toHaveProperty('listsEnd');
  });

  it('is traced with all of its request: messages by position, tools and the rest as JSON', () => {
    const tracked = { messages: [0, 1], reply: 2, promptTokens: 7, replyTokens: 3, added: [] };
    const traced = tracedCall(finishedCall({ request: asked }), tracked);
    expect(traced).toMatchObject({
      agent: 'solver',
      tag: 'main',
      error: null,
      finishReason: 'stop',
      messages: [0, 1],
      reply: 2,
      promptTokens: 7,
      replyTokens: 3,
    });
    expect(JSON.parse(traced.options)).toEqual({ model: 'm', temperature: 0.5, seed: 3, logprobs: true });
    expect(JSON.parse(traced.tools ?? '')).toEqual(tools);
  });
});
