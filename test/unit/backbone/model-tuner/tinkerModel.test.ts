/** A model on a Tinker server, whose server is a function from prompts to tokens. */
import { describe, expect, it } from 'vitest';
import { createTinkerModel } from '../../../../src/backbone/core/model-tuner/tinker/tinkerModel.ts';
import type { ToolParser } from '../../../../src/backbone/core/model-tuner/tinker/toolCallFormats.ts';
import type { ChatCompletion, ChatRequest } from '../../../../src/backbone/core/model-tuner/model.ts';
import { neverCancelled } from '../../../../src/base/core/cancellation.ts';
import type { SamplingOptions } from '../../../../src/tinker/core/service.ts';
import { chatMl, tinyText, type TinyText } from '../../tracking/tinyText.ts';

const identity = { episode: 0, call: 0, agentName: 'a', targetTag: 'a' };

interface Asked {
  readonly prompt: readonly number[];
  readonly options: SamplingOptions;
}

/** @param reply the ids of each reply, from the number of the request */
function opened(
  reply: (call: number, text: TinyText) => readonly number[],
  {
    maxContextLength,
    text = tinyText(),
    toolParser = 'hermes',
  }: {
    readonly maxContextLength?: number;
    readonly text?: TinyText;
    readonly toolParser?: ToolParser;
  } = {},
) {
  const asked: Asked[] = [];
  const model = createTinkerModel({
    description: 'tiny',
    sampler: () => ({
      sample: (prompt, options) => {
        const ids = reply(asked.push({ prompt: [...prompt], options }) - 1, text);
        const tokenIds = Int32Array.from(ids);
        const logprobs = Float32Array.from(ids, (_, at) => -0.5 - at);
        const stopReason = ids.at(-1) === text.tokenizer.eos ? 'stop' : 'length';
        return Promise.resolve(
          Array.from({ length: options.samples }, () => ({ tokenIds, logprobs, stopReason })),
        );
      },
      score: () => Promise.reject(new Error('nothing is scored')),
    }),
    text: () => Promise.resolve(text),
    toolParser,
    maxContextLength,
    clock: { now: () => 0 },
  });
  const ask = async (request: Partial<ChatRequest>): Promise<ChatCompletion> => {
    const answer = await model.respond(
      { model: 'm', messages: [], max_tokens: 8, ...request },
      neverCancelled,
      identity,
    );
    if (answer.kind !== 'completion') throw new Error(JSON.stringify(answer));
    return answer.completion;
  };
  return { model, ask, asked, text };
}

const user = (content: string) => ({ role: 'user', content }) as const;

describe('a model on a Tinker server', () => {
  it('gives ids and log probabilities as sampled, the end token included', async () => {
    const { ask, asked, text } = opened((_, { tokenizer }) => [
      ...tokenizer.encode('two words'),
      tokenizer.eos,
    ]);
    const { choices, usage } = await ask({ messages: [user('hi')] });
    const [choice] = choices;
    expect(choice?.message.content).toBe('two words');
    expect(choice?.finish_reason).toBe('stop');
    expect((choice as { token_ids?: number[] }).token_ids?.at(-1)).toBe(text.tokenizer.eos);
    expect(choice?.logprobs?.content?.map(({ logprob }) => logprob)).toEqual([-0.5, -1.5, -2.5]);
    expect(text.tokenizer.textOf(asked[0]?.prompt ?? []).join('')).toBe(
      '<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n',
    );
    expect(asked[0]?.options.stop).toEqual([text.tokenizer.eos]);
    expect(usage?.completion_tokens).toBe(3);
  });

  it('keeps the sampled tokens of a reply in later prompts, whatever its text would be encoded as', async () => {
    // Three tokens whose text is one token of the tokenizer.
    const { ask, asked, text } = opened((call, { tokenizer }) =>
      call === 0
        ? ['o', 'd', 'd'].map((letter) => tokenizer.encode(letter)[0] ?? 0).concat(tokenizer.eos)
        : [tokenizer.eos],
    );
    const first = await ask({ messages: [user('hi')] });
    const reply = first.choices[0]?.message.content ?? '';
    await ask({ messages: [user('hi'), { role: 'assistant', content: reply }, user('more')] });
    const textOf = (ids: readonly number[]): readonly string[] => text.tokenizer.textOf(ids);
    const before = asked[0]?.prompt ?? [];
    const second = asked[1]?.prompt ?? [];
    expect(second.slice(0, before.length)).toEqual(before);
    expect(textOf(second.slice(before.length, before.length + 4))).toEqual(['o', 'd', 'd', '<|im_end|>']);
    expect(textOf(second).join('')).toBe(
      '<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nodd<|im_end|>\n<|im_start|>user\nmore<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  it('tokenizes a reply again that the workflow changed, or that the template writes in another way', async () => {
    const render: typeof chatMl = (messages, options) =>
      chatMl(
        messages.map((message, at) =>
          at < messages.length - 1 ? { ...message, content: message.content.trim() } : message,
        ),
        options,
      );
    const spaced = opened((_, { tokenizer }) => [...tokenizer.encode(' odd'), tokenizer.eos], {
      text: tinyText(render),
    });
    const [choice] = (await spaced.ask({ messages: [user('hi')] })).choices;
    const content = choice?.message.content ?? '';
    expect(content).toBe(' odd');
    for (const said of [content, 'other']) {
      await spaced.ask({ messages: [user('hi'), { role: 'assistant', content: said }, user('more')] });
    }
    const texts = spaced.asked.slice(1).map(({ prompt }) => spaced.text.tokenizer.textOf(prompt).join(''));
    expect(texts[0]).toContain('assistant\nodd<|im_end|>');
    expect(texts[1]).toContain('assistant\nother<|im_end|>');
  });

  it('reads tool calls, and leaves what is none as text', async () => {
    const call = '<tool_call>\n{"name": "search", "arguments": {"q": 1}}\n</tool_call>';
    const { ask } = opened((at, { tokenizer }) => [
      ...tokenizer.encode(at === 0 ? `look ${call}` : '<tool_call> not </tool_call>'),
      tokenizer.eos,
    ]);
    const [first] = (await ask({ messages: [user('a')], max_tokens: 99 })).choices;
    expect(first?.finish_reason).toBe('tool_calls');
    expect(first?.message).toMatchObject({
      content: 'look ',
      tool_calls: [{ type: 'function', function: { name: 'search', arguments: '{"q":1}' } }],
    });
    const [second] = (await ask({ messages: [user('b')] })).choices;
    expect(second?.message).toMatchObject({ content: '<tool_call> not </tool_call>' });
    expect(second?.finish_reason).toBe('stop');
  });

  it('reads tool calls in the format that the config names, with the types of the tools', async () => {
    const written =
      '<tool_call>\n<function=search>\n<parameter=q>\n1\n</parameter>\n</function>\n</tool_call>';
    const { ask } = opened((_, { tokenizer }) => [...tokenizer.encode(written), tokenizer.eos], {
      toolParser: 'qwen3_coder',
    });
    const parameters = { type: 'object', properties: { q: { type: 'integer' } } };
    const tools = [{ type: 'function' as const, function: { name: 'search', parameters } }];
    const [choice] = (await ask({ messages: [user('a')], tools, max_tokens: 99 })).choices;
    expect(choice?.message).toMatchObject({
      content: '',
      tool_calls: [{ function: { name: 'search', arguments: '{"q":1}' } }],
    });
  });

  it('ends a reply at a stop text, with the token that completes it', async () => {
    const { ask } = opened((_, { tokenizer }) => [...tokenizer.encode('one two three four'), tokenizer.eos]);
    const [choice] = (await ask({ messages: [user('a')], stop: ['two', 'three'] })).choices;
    expect(choice?.message.content).toBe('one ');
    expect((choice as { token_ids?: number[] }).token_ids).toHaveLength(2);
    expect(choice?.finish_reason).toBe('stop');
  });

  it('refuses what the model has no room for, and answers for each choice', async () => {
    const { ask, model } = opened((_, { tokenizer }) => tokenizer.encode('cut here'), {
      maxContextLength: 20,
    });
    const long = {
      model: 'm',
      messages: [user('a b c d e f g h')],
      max_tokens: 16,
    } as unknown as ChatRequest;
    expect(await model.respond(long, neverCancelled, identity)).toMatchObject({
      kind: 'error',
      status: 400,
      error: { code: 'context_length_exceeded' },
    });
    const { choices } = await ask({ messages: [user('a')], n: 3 });
    expect(choices.map(({ index, finish_reason }) => [index, finish_reason])).toEqual([
      [0, 'length'],
      [1, 'length'],
      [2, 'length'],
    ]);
  });
});
