import { describe, expect, it } from 'vitest';
import { neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { createBuiltInModel } from '../../../../src/backbone/core/model-tuner/built-in/builtInModel.ts';
import { pieceOf, type SplitTokens } from '../../../../src/backbone/core/model-tuner/built-in/tokens.ts';
import type { ChatRequest } from '../../../../src/backbone/core/model-tuner/model.ts';
import { anyCall, calculation, boxed, complete, contentOf, request } from './request.ts';

const boxedPrompt: ChatRequest['messages'] = [
  { role: 'system', content: 'Put the result in \\boxed{}.' },
  { role: 'user', content: calculation },
];

describe('sampling', () => {
  it('gives the same bytes for the same seed and request', async () => {
    const body = request(calculation, { temperature: 1, seed: 7, n: 3, logprobs: true, top_logprobs: 2 });
    expect(JSON.stringify(await complete(body, 5))).toBe(JSON.stringify(await complete(body, 5)));
  });

  it('gives other samples for another seed of the request or of the run', async () => {
    const texts = new Set<string>();
    for (let seed = 0; seed < 8; seed++) {
      texts.add(contentOf(await complete(request(calculation, { temperature: 1, seed }))));
      texts.add(contentOf(await complete(request(calculation, { temperature: 1, seed: 0 }), seed + 100)));
    }
    expect(texts.size).toBeGreaterThan(8);
  });

  it('has nothing to sample at temperature 0', async () => {
    const first = contentOf(await complete(request(calculation, { seed: 1 }), 1));
    for (let seed = 2; seed < 12; seed++) {
      expect(contentOf(await complete(request(calculation, { seed }), seed))).toBe(first);
    }
    expect(first).toContain('17');
  });

  it('errs more often at a higher temperature', async () => {
    const wrongAt = async (temperature: number): Promise<number> => {
      let wrong = 0;
      for (let seed = 0; seed < 200; seed++) {
        const body = request('', { messages: boxedPrompt, temperature, seed });
        if (boxed(contentOf(await complete(body))) !== '17') wrong++;
      }
      return wrong;
    };
    expect(await wrongAt(0)).toBe(0);
    const warm = await wrongAt(1);
    expect(warm).toBeGreaterThan(20);
    expect(warm).toBeLessThan(65);
    expect(await wrongAt(2)).toBeGreaterThan(warm);
  });

  it('makes the choices of one request differ', async () => {
    const { choices } = await complete(request(calculation, { n: 8 }));
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(choices.map(({ message }) => message.content)).size).toBe(8);
  });

  it('does not let transport and limits change what is sampled', async () => {
    const whole = contentOf(await complete(request(calculation, { temperature: 1, seed: 3 })));
    const cut = contentOf(
      await complete(request(calculation, { temperature: 1, seed: 3, max_tokens: 9, stream: true })),
    );
    expect(whole.startsWith(cut)).toBe(true);
  });
});

describe('the text', () => {
  it('boxes the result when the instructions ask for it, and only then', async () => {
    expect(boxed(contentOf(await complete(request('', { messages: boxedPrompt }))))).toBe('17');
    const plain = contentOf(await complete(request(calculation)));
    expect(plain).not.toContain('boxed');
    expect(plain).toMatch(/answer is 17\.$/);
  });

  it('writes an equation whose result is its answer, errors included', async () => {
    for (let seed = 0; seed < 60; seed++) {
      const text = contentOf(await complete(request('', { messages: boxedPrompt, temperature: 1.5, seed })));
      const results = [...text.matchAll(/= (-?[\d.]+)(?= |\.|\n)/g)].map((match) =>
        match[1]?.replace(/\.$/, ''),
      );
      expect(boxed(text)).toBe(results.at(-1));
    }
  });

  it('says that it is the built-in model when there is nothing to compute', async () => {
    const text = contentOf(await complete(request('Tell me about the sea otter, please')));
    expect(text).toContain('sea otter');
    expect(text).toContain("AgentJet's built-in model");
    for (const other of [
      'Who won the cup in 1998 with 3 goals?',
      'See pages 3-4 of 2024-05-17',
      'What is 1 / 0?',
    ]) {
      expect(contentOf(await complete(request(other)))).not.toMatch(/answer is/);
    }
  });

  it.each([
    ['What is 12 * (3 + 4) - 2?', '82'],
    ['Compute 1,200 ÷ 8', '150'],
    ['12 × 3 − 2', '34'],
    ['What is 48/2+48?', '72'],
    ['100 - 5 - 5', '90'],
    ['17 % 5 + .5', '2.5'],
    ['2 ** 3 ** 2', '512'],
    ['-2 ** 2 + 2 ** -1', '-3.5'],
    ['4 - -2', '6'],
    ['10 / 4', '2.5'],
    ['0.1 + 0.2', '0.3'],
    ['1) Calculate (2 + 1) * 3.', '9'],
    ['An example: 1 + 1 = 2. Now calculate 3 + 4 -', '7'],
  ])('evaluates %s', async (text, value) => {
    expect(contentOf(await complete(request(text)))).toMatch(new RegExp(`answer is ${value}\\.$`));
  });

  it('goes back to the expression when the last message only remarks on the answer', async () => {
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: calculation },
      { role: 'assistant', content: 'The answer is 16.' },
      { role: 'user', content: 'That is wrong, try again.' },
    ];
    expect(contentOf(await complete(request('', { messages })))).toContain('17');
  });

  it('reads content given in parts', async () => {
    const content = [
      { type: 'text' as const, text: calculation.slice(0, 30) },
      { type: 'text' as const, text: calculation.slice(30) },
    ];
    expect(contentOf(await complete(request('', { messages: [{ role: 'user', content }] })))).toContain('17');
  });

  it.each([
    '',
    '???',
    '12',
    '$',
    'How many?',
    '5 5 5 5?',
    '½ of ¾ how many',
    '('.repeat(5000),
    'a'.repeat(5000),
    '\ud800 how many 3 4?',
  ])('answers anything: %j', async (text) => {
    expect(contentOf(await complete(request(text))).length).toBeGreaterThan(0);
  });
});

describe('limits', () => {
  it('cuts at max_tokens and says so', async () => {
    for (const limit of ['max_tokens', 'max_completion_tokens'] as const) {
      const { choices, usage } = await complete(request(calculation, { [limit]: 5 }));
      expect(choices[0]?.finish_reason).toBe('length');
      expect(usage?.completion_tokens).toBe(5);
    }
  });

  it('stops before a stop text', async () => {
    const { choices } = await complete(request(calculation, { stop: ['answer', '\nFinally'] }));
    expect(choices[0]?.finish_reason).toBe('stop');
    expect(choices[0]?.message.content).not.toMatch(/answer|Finally/);
    expect(choices[0]?.message.content).toContain('14 + 9 - 6');
  });

  it('counts tokens', async () => {
    const short = await complete(request('Hello'));
    const long = await complete(request(`Hello ${'and more words '.repeat(50)}`));
    expect(short.usage?.total_tokens).toBe(
      (short.usage?.prompt_tokens ?? 0) + (short.usage?.completion_tokens ?? 0),
    );
    expect(long.usage?.prompt_tokens ?? 0).toBeGreaterThan((short.usage?.prompt_tokens ?? 0) + 100);
  });
});

describe('log probabilities', () => {
  it('has one entry per token, whose texts and bytes make up the content', async () => {
    const { choices, usage } = await complete(request(calculation, { logprobs: true, top_logprobs: 3 }));
    const entries = choices[0]?.logprobs?.content ?? [];
    expect(entries.map(({ token }) => token).join('')).toBe(choices[0]?.message.content);
    expect(new TextDecoder().decode(Uint8Array.from(entries.flatMap(({ bytes }) => bytes ?? [])))).toBe(
      choices[0]?.message.content,
    );
    expect(entries.length).toBe(usage?.completion_tokens);
  });

  it('lists distinct alternatives, likeliest first, that sum to at most 1 and agree with the token chosen', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const body = request(calculation, { logprobs: true, top_logprobs: 5, temperature: 1, seed });
      for (const { token, logprob, top_logprobs: top } of (await complete(body)).choices[0]?.logprobs
        ?.content ?? []) {
        expect(top).toHaveLength(5);
        expect(new Set(top.map((entry) => entry.token)).size).toBe(5);
        expect(top.reduce((sum, entry) => sum + Math.exp(entry.logprob), 0)).toBeLessThanOrEqual(1 + 1e-6);
        expect(top.map((entry) => entry.logprob)).toEqual(
          top.map((entry) => entry.logprob).sort((a, b) => b - a),
        );
        expect(top.find((entry) => entry.token === token)?.logprob).toBe(logprob);
        expect(logprob).toBeLessThan(0);
      }
    }
  });

  it('is less sure of an error than of anything else', async () => {
    for (let seed = 0; seed < 120; seed++) {
      const { choices } = await complete(
        request('', { messages: boxedPrompt, temperature: 1, seed, logprobs: true }),
      );
      const lowest = Math.min(
        ...(choices[0]?.logprobs?.content ?? []).map(({ logprob }) => Math.exp(logprob)),
      );
      const isWrong = boxed(choices[0]?.message.content ?? '') !== '17';
      expect(lowest < 0.5).toBe(isWrong);
    }
  });

  it('splits the same text with the tokenizer that it is given', async () => {
    const asked = request(calculation, { logprobs: true, temperature: 1, seed: 3 });
    const letters: SplitTokens = (text) => Array.from(text, pieceOf);
    const own = await complete(asked);
    const cut = await complete(asked, 1, { openTokens: () => Promise.resolve(letters) });
    expect(contentOf(cut)).toBe(contentOf(own));
    const entries = cut.choices[0]?.logprobs?.content ?? [];
    expect(entries.map(({ token }) => token)).toEqual(Array.from(contentOf(own)));
    expect(cut.usage?.completion_tokens).toBe(entries.length);
  });

  it('splits the text itself when the tokenizer cannot be opened', async () => {
    const asked = request(calculation, { logprobs: true });
    const openTokens = (): Promise<never> => Promise.reject(new Error('no tokenizer'));
    expect(await complete(asked, 1, { openTokens })).toEqual(await complete(asked));
  });

  it('leaves them out unless asked for', async () => {
    expect((await complete(request(calculation))).choices[0]?.logprobs).toBeNull();
  });
});

it('describes itself with its seed', () => {
  expect(createBuiltInModel({ seed: 12345 }).description).toBe('built-in (seed 12345)');
});

it('never rejects: what cannot be answered is an error reply', async () => {
  const body = request(calculation, { tool_choice: { type: 'function', function: { name: 'missing' } } });
  const reply = await createBuiltInModel({ seed: 1 }).respond(body, neverCancelled, anyCall);
  expect(reply).toMatchObject({ kind: 'error', status: 400, error: { param: 'tool_choice' } });
});
