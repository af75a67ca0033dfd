import { describe, expect, it } from 'vitest';
import { modelTokens } from '../../../src/tracking/core/replyTokens.ts';
import type { ReplyToken, TrackerReply } from '../../../src/tracking/core/tracker.ts';
import { answer, assistant, Episode, system, user } from './episode.ts';
import { tinyText, tokensById, tokensByText, type TinyText } from './tinyText.ts';
import { loadFixture } from './tokenizer/fixtures.ts';

const tool = {
  type: 'function',
  function: { name: 'add', parameters: { type: 'object' }, description: 'adds' },
};
const toolCall = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } };

function golden(name: string): string {
  return `./goldens/${name}.txt`;
}

describe('timelines', () => {
  it('of one call are its messages and its reply, of which what the model made is trained', async () => {
    const episode = new Episode();
    const tokens = tokensById(episode.text, 'it is 2<|im_end|>');
    const tracked = episode.call([system, user], answer('it is 2', { tokens }));
    expect(tracked).toMatchObject({ messages: [0, 1], reply: 2, promptTokens: 18, replyTokens: 4 });
    await expect(episode.print()).toMatchFileSnapshot(golden('oneCall'));
  });

  it('grow into one over the turns of a conversation', async () => {
    const episode = new Episode();
    episode.call(
      [system, user],
      answer('it is 2', { tokens: tokensById(episode.text, 'it is 2<|im_end|>') }),
    );
    episode.call([system, user, assistant('it is 2'), { role: 'user', content: 'and three' }], answer('3'));
    await expect(episode.print()).toMatchFileSnapshot(golden('twoTurns'));
  });

  it('fork where the history changes', async () => {
    const episode = new Episode();
    episode.call([system, user], answer('one'));
    episode.call([system, { role: 'user', content: 'another thing' }], answer('two'));
    episode.call([system, user, assistant('one'), user], answer('three'));
    await expect(episode.print()).toMatchFileSnapshot(golden('fork'));
  });

  it('of tools: calls as the template writes them, results in a row as one message', async () => {
    const episode = new Episode();
    const calling = { role: 'assistant', content: null, tool_calls: [toolCall] };
    const results = ['1', '2'].map((content) => ({ role: 'tool', tool_call_id: 'c1', content }));
    episode.call([system, user], answer(null, { toolCalls: [toolCall], finishReason: 'tool_calls' }), [tool]);
    episode.call([system, user, calling, ...results], answer('it is 3'), [tool]);
    await expect(episode.print()).toMatchFileSnapshot(golden('tools'));
    const last = episode.end().timelines[0]?.messages.at(-1);
    expect(episode.at(last ?? null)).toMatchObject({ author: 'llm' });
  });

  it('train the end token of a cut reply once merging has brought it in, as upstream does', async () => {
    const episode = new Episode();
    episode.call(
      [system, user],
      answer('it is', { finishReason: 'length', tokens: tokensByText(['it', ' is']) }),
    );
    episode.call([system, user, assistant('it is'), { role: 'user', content: 'go on' }], answer('2'));
    await expect(episode.print()).toMatchFileSnapshot(golden('cutReply'));
  });

  it('have no reply of a call that was not answered', () => {
    const episode = new Episode();
    expect(episode.call([system, user], null)).toMatchObject({
      messages: [0, 1],
      reply: null,
      replyTokens: 0,
    });
    expect(episode.end()).toMatchObject({ timelines: [], tracking: { timelines: 0, tokens: 0 } });
  });

  it('name calls as they were named', () => {
    const { tracker } = new Episode();
    const at = { startedAt: 0, endedAt: 5, tools: null };
    tracker.track({ call: 7, messages: [system, user], ...at }, answer('a'));
    tracker.track({ call: 3, messages: [user], ...at }, answer('b'));
    const { timelines, tracking } = tracker.end();
    expect(timelines.map(({ calls }) => calls)).toEqual([[7], [3]]);
    expect(tracking.problems[0]?.message).toMatch(/^In call 3, /);
  });
});

describe("a reply's tokens", () => {
  function replyOf(written: string, more: Partial<TrackerReply>, text = tinyText()): string {
    const episode = new Episode({ text });
    const { tokens = null } = more;
    const { reply } = episode.call([system, user], answer(written, { ...more, tokens }));
    const { tokenIds, lossMask, logprobs } = episode.at(reply);
    const words = episode.text.tokenizer.textOf(tokenIds).slice(3);
    return `${words.map((word, at) => (lossMask[at + 3] === 1 ? `(${word})` : word)).join('')} ${
      logprobs === null ? 'none' : [...logprobs.slice(3)].join(' ')
    }`.replaceAll('\n', '↵');
  }

  it.each([
    ['told by their text', ['it', ' is'], 'stop', '(it)( is)(<|im_end|>)↵ -0.5 -0.5 NaN NaN'],
    ['with the end token', ['it', ' is', '<|im_end|>'], 'stop', '(it)( is)(<|im_end|>)↵ -0.5 -0.5 -0.5 NaN'],
    ['cut by length', ['it', ' is'], 'length', '(it)( is)<|im_end|>↵ -0.5 -0.5 NaN NaN'],
    ['of another text', ['it', ' was'], 'stop', '(it)( is)(<|im_end|>)↵ none'],
    ['of another tokenizer', ['i', 't is'], 'stop', '(i)(t)( is)(<|im_end|>)↵ -0.5 -0.5 NaN NaN NaN'],
    [
      'with an end token without text',
      ['it', ' is', ''],
      'stop',
      '(it)( is)(<|im_end|>)↵ -0.5 -0.5 -0.5 NaN',
    ],
    ['too few', ['it'], 'stop', '(it)( is)(<|im_end|>)↵ none'],
    ['none', [], 'stop', '(it)( is)(<|im_end|>)↵ none'],
    ['none, cut', [], 'length', '(it)( is)<|im_end|>↵ none'],
  ])('%s', (_, words, finishReason, expected) => {
    expect(replyOf('it is', { finishReason, tokens: tokensByText(words) })).toBe(expected);
  });

  it('of another text are reported', () => {
    const codesOf = (words: readonly string[]): readonly string[] => {
      const episode = new Episode();
      episode.call([system, user], answer('it is', { tokens: tokensByText(words) }));
      return episode.codes();
    };
    expect(codesOf(['it', ' was'])).toEqual(['logprobs-dropped']);
    expect(codesOf(['it', ' is', ''])).toEqual([]);
    expect(codesOf([])).toEqual([]);
  });

  it('told by ids are taken as they are, also where they spell the reply otherwise', () => {
    const text = tinyText();
    const episode = new Episode({ text });
    const [i, t] = text.tokenizer.encode('i t');
    const [end] = text.tokenizer.encode('<|im_end|>');
    const ids = [i, t, end].map((id) => ({ id: id ?? 0, bytes: [], logprob: -1 }));
    const { reply } = episode.call([system, user], answer('it', { tokens: ids }));
    expect(text.tokenizer.textOf(episode.at(reply).tokenIds).slice(3, 6)).toEqual(['i', ' t', '<|im_end|>']);
    expect(episode.codes()).toEqual([]);
  });

  it('told by ids that are not the tokenizer’s are told by nothing', () => {
    const tokens = [{ id: 999_999, bytes: [...new TextEncoder().encode('xyz')], logprob: -1 }];
    expect(replyOf('it is', { tokens })).toContain('none');
  });

  describe('from llama.cpp', () => {
    const written = 'it is';
    function partsOf(text: TinyText, end: readonly ReplyToken[] = []): readonly ReplyToken[] {
      const entries = text.tokenizer.encode(written).map((id) => ({
        id,
        bytes: [...text.tokenizer.bytesOf(id)],
        logprob: -0.25,
      }));
      return [...entries, ...end];
    }
    const endEntry = { id: 1, bytes: [], logprob: -0.5 };

    it.each<[string, readonly ReplyToken[], Partial<TrackerReply>, string]>([
      ['with its end token', [endEntry], {}, '(it)( is)(<|im_end|>)↵ -0.25 -0.25 -0.5 NaN'],
      ['streamed, without its end token', [], {}, '(it)( is)(<|im_end|>)↵ -0.25 -0.25 NaN NaN'],
      ['cut by length', [], { finishReason: 'length' }, '(it)( is)<|im_end|>↵ -0.25 -0.25 NaN NaN'],
      ['ended by a stop text', [], { listsEnd: true }, '(it)( is)<|im_end|>↵ -0.25 -0.25 NaN NaN'],
    ])('%s: the end token is trained if the model generated it', (_, end, more, expected) => {
      const text = tinyText();
      expect(replyOf(written, { tokens: partsOf(text, end), ...more }, text)).toBe(expected);
    });

    it('that lists a character of several tokens as its last one', async () => {
      const text = await loadFixture('byte-level');
      const character = '\u{1242b}';
      const ids = text.tokenizer.encode(character);
      expect(ids.length).toBeGreaterThan(1);
      const last = ids.at(-1) ?? 0;
      const entry = { id: last, bytes: [...new TextEncoder().encode(character)], logprob: -0.25 };
      expect(modelTokens(answer(character, { tokens: [entry] }), text, [])).toMatchObject({
        ids,
        logprobs: ids.map((_id, at) => (at === ids.length - 1 ? -0.25 : null)),
      });
    });
  });

  it('with ids count by an approximate tokenizer only where they spell the reply', () => {
    const foreign = [{ id: 0, bytes: [], logprob: -1 }];
    expect(replyOf('it is', { tokens: foreign }, tinyText(undefined, false))).toContain('none');
  });

  it('keep what else there might have been, by its id where the tokenizer has one', () => {
    const bytesOf = (text: string): number[] => [...new TextEncoder().encode(text)];
    const episode = new Episode();
    episode.text.tokenizer.encode('it was');
    const [first, second] = tokensByText(['it', ' is']);
    const alternatives = [
      { id: null, bytes: bytesOf(' never seen'), logprob: -2 },
      { id: null, bytes: bytesOf(' was'), logprob: -0.5 },
    ];
    const tokens = [first, second && { ...second, alternatives }].filter((token) => token !== undefined);
    const kept = episode.at(episode.call([system, user], answer('it is', { tokens })).reply);
    expect(kept.alternatives?.width).toBe(2);
    const { ids = [], logprobs = [] } = kept.alternatives ?? {};
    expect(ids).toHaveLength(2 * kept.tokenIds.length);
    const told = [...ids].flatMap((id, at) => (Number.isNaN(logprobs[at]) ? [] : [[at, id, logprobs[at]]]));
    const [was] = episode.text.tokenizer.encode(' was');
    // Of the second token behind the header's three, best first.
    expect(told).toEqual([
      [8, was, -0.5],
      [9, -1, -2],
    ]);
    expect(episode.at(episode.call([system, user], answer('it is')).reply)).not.toHaveProperty(
      'alternatives',
    );
  });

  it('that leave tool calls out are not the reply’s', () => {
    const episode = new Episode();
    const tokens = tokensByText(['let', ' me']);
    const { reply } = episode.call([system, user], answer('let me', { toolCalls: [toolCall], tokens }), [
      tool,
    ]);
    expect(episode.at(reply).logprobs).toBeNull();
    expect(episode.codes()).toEqual([]);
    expect(episode.at(reply).toolCalls).toBe(JSON.stringify([toolCall]));
  });

  it('that spell out tool calls are the reply’s', () => {
    const episode = new Episode();
    const parsed = { ...toolCall, function: { name: 'add', arguments: { a: 1 } } };
    const written = `\n<tool_call>\n${JSON.stringify(parsed)}\n</tool_call>`;
    const words = episode.text.tokenizer.textOf(episode.text.tokenizer.encode(written));
    const reply = answer(null, { toolCalls: [toolCall], tokens: tokensByText(words) });
    expect(episode.at(episode.call([system, user], reply, [tool]).reply).logprobs?.[4]).toBe(-0.5);
  });
});

describe('one message', () => {
  it('is one wherever it stands, and is told of once', () => {
    const episode = new Episode();
    const first = episode.call([system, user, user]);
    expect(first.messages).toEqual([0, 1, 1]);
    expect(episode.call([system, user, user])).toMatchObject({ messages: [0, 1, 1], reply: 2, added: [] });
  });

  it('is made into tokens once, however many calls have it', () => {
    const episode = new Episode();
    const history: unknown[] = [system];
    let written = 0;
    for (let turn = 0; turn < 400; turn++) {
      history.push({ role: 'user', content: `question ${turn}` });
      const reply = `answer ${turn}`;
      episode.call([...history], answer(reply));
      history.push(assistant(reply));
      written += 2;
    }
    const { encodings, characters } = episode.text.tokenizer;
    expect(encodings).toBeLessThan(written + 20);
    expect(characters).toBeLessThan(written * 60);
    expect(episode.end().timelines).toHaveLength(1);
  });

  it('has its tools’ parameters last, where upstream moves them', () => {
    const episode = new Episode();
    episode.call([system, user], answer('a'), [tool]);
    const words = episode.text.tokenizer.textOf(episode.at(0).tokenIds).join('');
    expect(words).toContain('{"name":"add","description":"adds","parameters":{"type":"object"}}');
  });
});
