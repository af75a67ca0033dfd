import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Assembler } from '../../../../src/backbone/core/model-tuner/assemble.ts';
import { cutCompletion } from '../../../../src/backbone/core/model-tuner/chunks.ts';
import type { ChatCompletion, ChatCompletionChunk } from '../../../../src/backbone/core/model-tuner/model.ts';
import { chunkOf, completionOf } from './tunerBench.ts';
import { fuzz } from '../../fuzz.ts';

function assemble(chunks: Iterable<ChatCompletionChunk>): Assembler {
  const assembler = new Assembler();
  // Through JSON, as every chunk goes.
  for (const chunk of chunks) assembler.add(JSON.parse(JSON.stringify(chunk)) as ChatCompletionChunk);
  return assembler;
}

function cut(completion: ChatCompletion, includeUsage = false): ChatCompletionChunk[] {
  return [...cutCompletion(completion, { includeUsage })];
}

const logprob = fc.record({
  token: fc.string({ minLength: 1, unit: 'grapheme' }),
  logprob: fc.integer({ min: 1, max: 2000 }).map((hundredths) => -hundredths / 100),
  bytes: fc.constant(null),
  top_logprobs: fc.constant<never[]>([]),
});

const call = fc.record({
  id: fc.string({ minLength: 1 }),
  type: fc.constant('function' as const),
  function: fc.record({ name: fc.string({ minLength: 1 }), arguments: fc.string({ unit: 'grapheme' }) }),
});

const choice = fc
  .record({
    content: fc.option(fc.string({ unit: 'grapheme' })),
    refusal: fc.option(fc.string({ minLength: 1 })),
    reasoning_content: fc.option(fc.string(), { nil: undefined }),
    tool_calls: fc.option(fc.array(call, { minLength: 1, maxLength: 3 }), { nil: undefined }),
    tokens: fc.option(fc.array(logprob, { maxLength: 5 })),
    follow: fc.boolean(),
    finish_reason: fc.constantFrom('stop' as const, 'length' as const, 'tool_calls' as const),
  })
  .map(({ tokens, follow, finish_reason, content, tool_calls, reasoning_content, refusal }) => ({
    // Log probabilities may spell the content, as they should, or not, as with bytes that make no character.
    message: {
      role: 'assistant' as const,
      content: follow && tokens ? tokens.map(({ token }) => token).join('') : content,
      refusal,
      ...(tool_calls && { tool_calls }),
      ...(reasoning_content !== undefined && { reasoning_content }),
    },
    logprobs: tokens && tokens.length > 0 ? { content: tokens, refusal: null } : null,
    finish_reason,
  }));

const completion: fc.Arbitrary<ChatCompletion> = fc
  .array(choice, { minLength: 1, maxLength: 3 })
  .map((choices) => ({
    ...completionOf(''),
    choices: choices.map((one, index) => ({ index, ...one })),
  }));

describe('an answer cut into chunks', () => {
  it('is the same answer once put together again', () => {
    fc.assert(
      fc.property(completion, (whole) => {
        const assembler = assemble(cut(whole, true));
        expect(assembler.isComplete).toBe(true);
        expect(assembler.completion()).toEqual(whole);
      }),
      fuzz(3, 3000),
    );
  });

  it('begins with the role, goes on in words, ends with the reason', () => {
    expect(cut(completionOf('two  words')).map((chunk) => chunk.choices[0])).toEqual([
      { index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null },
      { index: 0, delta: { content: 'two' }, logprobs: null, finish_reason: null },
      { index: 0, delta: { content: '  words' }, logprobs: null, finish_reason: null },
      { index: 0, delta: {}, logprobs: null, finish_reason: 'stop' },
    ]);
  });

  it('names the same completion in every chunk', () => {
    for (const chunk of cut(completionOf('a b'))) {
      expect(chunk).toMatchObject({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 7,
        model: 'm',
      });
      expect(chunk).not.toHaveProperty('usage');
    }
  });

  it('gives its usage in a last chunk without choices, if asked', () => {
    const chunks = cut(completionOf('a'), true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 5 } });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  });

  it('splits tool arguments, and says name and id once', () => {
    const tool_calls = [
      { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{"a": 1, "b": 2}' } },
    ];
    const message = { role: 'assistant' as const, content: null, refusal: null, tool_calls };
    const deltas = cut(completionOf(null, { message, finish_reason: 'tool_calls' })).flatMap(
      (chunk) => chunk.choices[0]?.delta.tool_calls ?? [],
    );
    expect(deltas[0]).toEqual({
      index: 0,
      id: 'c',
      type: 'function',
      function: { name: 'f', arguments: '' },
    });
    expect(deltas.length).toBeGreaterThan(2);
    for (const delta of deltas.slice(1)) expect(Object.keys(delta)).toEqual(['index', 'function']);
  });

  it('carries one log probability per piece where they spell the text', () => {
    const content = ['He', 'llo'].map((token) => ({ token, logprob: -1, bytes: null, top_logprobs: [] }));
    const pieces = cut(completionOf('Hello', { logprobs: { content, refusal: null } })).filter(
      (chunk) => chunk.choices[0]?.logprobs,
    );
    expect(pieces.map((chunk) => chunk.choices[0]?.delta.content)).toEqual(['He', 'llo']);
    expect(pieces.map((chunk) => chunk.choices[0]?.logprobs?.content)).toEqual(
      content.map((entry) => [entry]),
    );
  });

  it('never cuts a character in two', () => {
    const text = '😀'.repeat(40);
    for (const chunk of cut(completionOf(text))) {
      expect(chunk.choices[0]?.delta.content ?? '').not.toMatch(/\p{Surrogate}/u);
    }
  });
});

describe('chunks put together', () => {
  it('are nothing before the first, and incomplete until a reason is given', () => {
    const assembler = new Assembler();
    expect(assembler.completion()).toBeUndefined();
    assembler.add(chunkOf({ role: 'assistant', content: 'a' }));
    expect(assembler.isComplete).toBe(false);
    assembler.add(chunkOf({ content: 'b' }, 'stop'));
    expect(assembler.isComplete).toBe(true);
    expect(assembler.completion()?.choices[0]).toMatchObject({
      message: { role: 'assistant', content: 'ab' },
      finish_reason: 'stop',
    });
  });

  it('grow whatever else a server sends in parts', () => {
    const with_ids = (token_ids: number[], reasoning_content: string): ChatCompletionChunk => {
      const chunk = chunkOf({ reasoning_content } as object);
      return { ...chunk, choices: chunk.choices.map((one) => ({ ...one, token_ids })) };
    };
    const completion = assemble([with_ids([1], 'he'), with_ids([2, 3], 'y')]).completion();
    expect(completion?.choices[0]).toMatchObject({
      message: { reasoning_content: 'hey' },
      token_ids: [1, 2, 3],
    });
  });

  it('tell tool calls apart by index, or by id where there is no index', () => {
    const parts = [
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{' } },
      { id: '', function: { arguments: '}' } },
      { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
    ];
    const chunks = parts.map((part) => chunkOf({ tool_calls: [part] } as object));
    expect(assemble(chunks).completion()?.choices[0]?.message.tool_calls).toEqual([
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
      { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
    ]);
  });

  it('survive chunks of other shapes', () => {
    const strange = [{}, { choices: null }, { choices: [3, { delta: null }] }, { choices: [{ index: 1 }] }];
    const completion = assemble(strange as unknown as ChatCompletionChunk[]).completion();
    expect(completion?.choices.map((one) => one.index)).toEqual([0, 1]);
  });

  it('leave the chunks as they were', () => {
    const first = chunkOf({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }] });
    const before = JSON.stringify(first);
    const assembler = new Assembler();
    assembler.add(first);
    assembler.add(chunkOf({ tool_calls: [{ index: 0, function: { arguments: '}' } }] }));
    expect(JSON.stringify(first)).toBe(before);
  });
});
