import { describe, expect, it } from 'vitest';
import type { LengthLimits } from '../../../src/tracking/core/records/tracedRun.ts';
import { answer, assistant, Episode, roomy, system, user } from './episode.ts';
import { chatMl, tinyText, tokensById, type TinyText } from './tinyText.ts';

const image = { type: 'image_url', image_url: { url: 'data:' } };

describe('what training refuses of a request', () => {
  it.each<[string, unknown[], string[]]>([
    ['nothing', [system, user, assistant('a'), user], []],
    ['a first message of the user', [user], ['missing-system-message!']],
    [
      'a developer for a system message',
      [{ role: 'developer', content: 'd' }, user],
      ['role-dropped', 'missing-system-message!'],
    ],
    ['a second system message', [system, user, system], ['system-message-not-first!']],
    ['a function result', [system, user, { role: 'function', name: 'f', content: 'x' }], ['role-dropped']],
    [
      'an image',
      [system, { role: 'user', content: [{ type: 'text', text: 'see' }, image] }],
      ['content-dropped'],
    ],
    [
      'a system message of an image',
      [{ role: 'system', content: [image] }, user],
      ['content-dropped', 'missing-system-message!'],
    ],
    [
      'a tool result as a part',
      [system, { role: 'user', content: [{ type: 'tool_result', text: 'x' }] }],
      ['tool-part-rejected!'],
    ],
    [
      'text that is none',
      [system, { role: 'user', content: [{ type: 'x', text: 1 }] }],
      ['non-text-content-dropped'],
    ],
    ['no content at all', [system, { role: 'assistant' }, { role: 'assistant', content: null }], []],
    ['what is no message', [system, 5, null, [], {}], ['role-dropped']],
    ['no message', [], ['missing-system-message!', 'sample-refused!']],
  ])('%s', (_, messages, codes) => {
    const episode = new Episode();
    episode.call(messages);
    expect(episode.codes()).toEqual(codes);
    expect(episode.end().timelines).toHaveLength(1);
  });

  it('without tool calls: tool results, and content that is no plain text', () => {
    const episode = new Episode({ toolCallsDisabled: true });
    const tracked = episode.call(
      [
        system,
        { role: 'user', content: [{ type: 'text', text: 'x' }] },
        { role: 'assistant', content: null },
        { role: 'tool', tool_call_id: 'c', content: 'r' },
        user,
      ],
      answer('a'),
      [{ type: 'function', function: { name: 'f' } }],
    );
    expect(tracked.messages).toHaveLength(2);
    expect(episode.codes()).toEqual(['content-dropped', 'tool-result-dropped']);
    expect(episode.text.tokenizer.textOf(episode.at(0).tokenIds).join('')).not.toContain('tools');
  });

  it('is said once, with the first call and how many more', () => {
    const episode = new Episode();
    episode.call([system, user]);
    for (let more = 0; more < 3; more++) episode.call([user]);
    const { problems } = episode.end().tracking;
    expect(problems.filter(({ code }) => code === 'missing-system-message')).toEqual([
      {
        code: 'missing-system-message',
        severity: 'error',
        message:
          'In call 1 and 2 more calls, the first message is not a system message. In training AgentJet rejects such a request.',
        calls: [1, 2, 3],
      },
    ]);
  });
});

describe('a chat template', () => {
  it('that fails leaves the plain text, and one problem', () => {
    const render = (): string => {
      throw new Error('roles must alternate.\nat line 3');
    };
    const episode = new Episode({ text: tinyText(render) });
    const tracked = episode.call([system, user], answer('it is'));
    expect(tracked.promptTokens).toBe(5);
    expect(episode.text.tokenizer.textOf(episode.at(tracked.reply).tokenIds)).toEqual([
      'it',
      ' is',
      '<|im_end|>',
    ]);
    expect(episode.end().tracking.problems).toEqual([
      {
        code: 'template-failed',
        severity: 'error',
        message:
          'In call 0, the chat template fails (roles must alternate). In training AgentJet gets no tokens for such a request.',
        calls: [0],
      },
    ]);
  });

  it.each<[string, TinyText['template']['render']]>([
    ['other headers', (messages, options) => chatMl(messages, options).replaceAll('assistant\n', 'model\n')],
    ['no end token', (messages, options) => chatMl(messages, options).replaceAll('<|im_end|>\n', '')],
    [
      'a thought begun in the header',
      (messages, options) => chatMl(messages, options) + (options.addGenerationPrompt ? '<think>\n' : ''),
    ],
  ])('with %s is not what training knows', (_, render) => {
    const episode = new Episode({ text: tinyText(render) });
    const { reply } = episode.call([system, user], answer('it is'));
    expect(episode.codes()).toEqual(['foreign-template!']);
    const { tokenIds, lossMask } = episode.at(reply);
    const trained = episode.text.tokenizer.textOf(tokenIds.filter((_id, at) => lossMask[at] === 1));
    expect(trained.join('')).toBe('it is<|im_end|>');
  });
});

describe('a reply', () => {
  it('with an end token inside is refused', () => {
    const episode = new Episode();
    episode.call([system, user], answer('so <|im_end|> it is'));
    expect(episode.codes()).toEqual(['end-token-inside-reply!']);
  });

  it('that begins with its own header is refused', () => {
    const episode = new Episode();
    const tokens = tokensById(episode.text, '<|im_start|>assistant\nhi<|im_end|>');
    episode.call([system, user], answer('hi', { tokens }));
    expect(episode.codes()).toContain('reply-repeats-header!');
  });
});

/** The prompt of `[system, user]` has 18 tokens, the reply `it is 2` 8 with header and tail. */
describe('lengths', () => {
  function codes(limits: Partial<LengthLimits>, exact = true): string[] {
    const episode = new Episode({ text: tinyText(chatMl, exact), limits: { ...roomy, ...limits } });
    episode.call([system, user]);
    return episode.codes();
  }

  it.each<[string, Partial<LengthLimits>, string[]]>([
    ['prompt just fits', { modelLength: 29, turnLength: 10 }, []],
    ['prompt is just too long', { modelLength: 28, turnLength: 10 }, ['context-overflow!']],
    ['reply just fits the turn', { turnLength: 8 }, []],
    ['reply is over the turn', { turnLength: 7 }, ['reply-exceeds-turn-limit!']],
    ['sample just fits', { promptLength: 18, responseLength: 5 }, []],
    ['prompt is over its length', { promptLength: 17, responseLength: 6 }, ['prompt-too-long']],
    ['response is cut', { promptLength: 18, responseLength: 3 }, ['response-cut']],
    [
      'nothing is left of the response',
      { promptLength: 10, responseLength: 7 },
      ['prompt-too-long', 'response-cut!'],
    ],
  ])('%s', (_, limits, expected) => {
    expect(codes(limits)).toEqual(expected);
  });

  it('are only near their limits where the count is approximate', () => {
    expect(codes({ promptLength: 20 }, false)).toEqual(['near-limit']);
    expect(codes({ promptLength: 21 }, false)).toEqual([]);
    expect(codes({ promptLength: 5 }, false)).toEqual(['near-limit']);
    expect(codes({ modelLength: 29, turnLength: 10 }, false)).toEqual(['near-limit']);
  });

  it('of a prompt decide by an approximate count, too, and say so', () => {
    const limits = { ...roomy, modelLength: 28, turnLength: 10 };
    const episode = new Episode({ text: tinyText(chatMl, false), limits });
    episode.call([system, user]);
    expect(episode.end()).toMatchObject({
      timelines: [],
      tracking: {
        problems: [
          {
            code: 'context-overflow',
            severity: 'error',
            message:
              'In call 0, the prompt has about 18 tokens, but ajet.rollout.max_model_len minus ajet.rollout.max_response_length_in_one_turn allows fewer than 18. As in training, the model is not called. The workflow gets a fixed reply, and the call is not recorded. The count is approximate, because the tokenizer of the model is not available, so training may call the model.',
          },
        ],
      },
    });
  });

  it('say by how much, and what becomes of it', () => {
    const episode = new Episode({ limits: { ...roomy, promptLength: 18, responseLength: 3 } });
    episode.call([system, user]);
    expect(episode.end().tracking.problems[0]?.message).toBe(
      "In call 0, the timeline's response has 5 tokens, but ajet.data.max_response_length allows at most 3. AgentJet truncates it and removes 1 of the tokens that count in the loss.",
    );
  });

  it('are judged of a call that was not answered', () => {
    const episode = new Episode({ limits: { ...roomy, modelLength: 28, turnLength: 10 } });
    episode.call([system, user], null);
    expect(episode.codes()).toEqual(['context-overflow!']);
  });
});
