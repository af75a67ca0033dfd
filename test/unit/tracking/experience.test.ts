/** Tokens of the experiences that workflows of Trinity-RFT return. */
import { describe, expect, it } from 'vitest';
import { conversationTokens, promptTokens, replyTokens } from '../../../src/tracking/core/experience.ts';
import { tinyText } from './tinyText.ts';

const user = { role: 'user', content: 'Say it' };
const said = { role: 'assistant', content: 'It is said' };

describe('the prompt of a call', () => {
  it('ends with the header of a reply', () => {
    const text = tinyText();
    const { tokens, text: rendered } = promptTokens(text, { messages: [user], tools: null });
    expect(rendered).toBe('<|im_start|>user\nSay it<|im_end|>\n<|im_start|>assistant\n');
    expect(text.tokenizer.textOf(tokens).join('')).toBe(rendered);
  });

  it('goes on where a reply was begun', () => {
    const begun = { role: 'assistant', content: 'It ' };
    const { text } = promptTokens(tinyText(), { messages: [user, begun], tools: null });
    expect(text).toBe('<|im_start|>user\nSay it<|im_end|>\n<|im_start|>assistant\nIt');
  });
});

describe('an answer', () => {
  const conversation = { messages: [user], tools: null };
  const reply = { message: said, ids: null, promptIds: null, ended: true };

  it('has what ends it as its last token, unless it was cut', () => {
    const text = tinyText();
    const written = ({ tokens, promptLength }: ReturnType<typeof replyTokens>): string =>
      text.tokenizer.textOf(tokens.slice(promptLength)).join('');
    expect(written(replyTokens(text, conversation, reply))).toBe('It is said<|im_end|>');
    expect(written(replyTokens(text, conversation, { ...reply, ended: false }))).toBe('It is said');
  });

  it('has the tokens that the server told', () => {
    const told = { ...reply, ids: [7, 8, 1], promptIds: [5, 6] };
    expect(replyTokens(tinyText(), conversation, told)).toMatchObject({
      tokens: [5, 6, 7, 8, 1],
      promptLength: 2,
    });
  });

  it('that calls a tool is what the template makes of it', () => {
    const text = tinyText();
    const call = { id: 'a', type: 'function', function: { name: 'add', arguments: '{"x": 1}' } };
    const calling = { role: 'assistant', content: 'Now', tool_calls: [call] };
    const { tokens, promptLength } = replyTokens(text, conversation, { ...reply, message: calling });
    const written = text.tokenizer.textOf(tokens.slice(promptLength)).join('');
    expect(written).toMatch(/^Now\n<tool_call>\n.*"name":"add".*\n<\/tool_call><\|im_end\|>$/s);
  });
});

describe('a whole conversation', () => {
  it('is masked from behind each reply’s header to the end of its message', () => {
    const text = tinyText();
    const messages = [user, said, { role: 'user', content: 'Again' }, { role: 'assistant', content: 'It' }];
    const { tokens, mask, promptLength } = conversationTokens(text, { messages, tools: null });
    const words = text.tokenizer.textOf(tokens);
    const own = words.map((word, at) => (mask[at] === true ? word : '·')).join('');
    expect(own.replaceAll(/·+/g, '|')).toBe('|It is said<|im_end|>\n|It<|im_end|>\n');
    expect(words.slice(0, promptLength).join('')).toBe(
      '<|im_start|>user\nSay it<|im_end|>\n<|im_start|>assistant\n',
    );
    expect(mask).toHaveLength(tokens.length);
  });

  it('without a reply is all prompt, and nothing of it is masked in', () => {
    const { mask, promptLength } = conversationTokens(tinyText(), { messages: [user], tools: null });
    expect(promptLength).toBe(0);
    expect(mask).not.toContain(true);
  });
});
