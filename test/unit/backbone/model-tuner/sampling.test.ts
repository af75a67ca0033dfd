import { describe, expect, it } from 'vitest';
import { applySampling, callSeed, debugRequest } from '../../../../src/backbone/core/model-tuner/sampling.ts';

const messages = [{ role: 'user' as const, content: 'hi' }];
const sampling = { temperature: 0.9, topP: 0.95, maxTokens: 4080 };

describe('sampling as training does it', () => {
  it('replaces what the workflow asked for, and says what that was', () => {
    const asked = { model: 'm', messages, temperature: 0.1, top_p: 0.95, max_tokens: 10, seed: 3, stop: 'x' };
    const { request, overrides } = applySampling(asked, sampling, 77);
    expect(request).toEqual({
      model: 'm',
      messages,
      temperature: 0.9,
      top_p: 0.95,
      max_tokens: 4080,
      seed: 77,
    });
    expect(overrides.map(({ option, message: told }) => [option, told.split(',')[0]])).toEqual([
      ['temperature', 'asked for temperature 0.1; 0.9 is used'],
      ['max_tokens', 'asked for max_tokens 10; 4080 is used'],
      ['stop', 'asked for stop "x"'],
    ]);
  });

  it('keeps the newer name of the token limit where the request used it', () => {
    const { request, overrides } = applySampling(
      { model: 'm', messages, max_completion_tokens: 10 },
      sampling,
      1,
    );
    expect(request.max_completion_tokens).toBe(4080);
    expect(request).not.toHaveProperty('max_tokens');
    expect(overrides).toMatchObject([{ option: 'max_completion_tokens' }]);
  });

  it('takes the sampling of validation from where the config has it', () => {
    const validation = { ...sampling, topK: 7, section: 'ajet.rollout.val_kwargs' };
    const { request, overrides } = applySampling({ model: 'm', messages, temperature: 0.1 }, validation, 1);
    expect(request).toMatchObject({ top_k: 7 });
    expect(overrides[0]?.message).toContain('(ajet.rollout.val_kwargs.temperature)');
    const all = applySampling({ model: 'm', messages }, { ...validation, topK: -1 }, 1);
    expect(all.request).not.toHaveProperty('top_k');
  });

  it('says nothing where nothing was asked', () => {
    expect(applySampling({ model: 'm', messages, temperature: null }, sampling, 1).overrides).toEqual([]);
  });
});

describe('options that AgentJet does not pass on', () => {
  const tools = [{ type: 'function' as const, function: { name: 'f' } }];

  it.each([
    ['tool_choice', { tool_choice: 'required' as const }],
    ['response_format', { response_format: { type: 'json_object' as const } }],
    ['n', { n: 3 }],
    ['stop', { stop: ['\n'] }],
    ['presence_penalty', { presence_penalty: 0.5 }],
    ['top_k', { top_k: 20 }],
  ])('leaves out %s, and says so', (option, asked) => {
    const { request, overrides } = applySampling({ model: 'm', messages, tools, ...asked }, sampling, 1);
    expect(request).toMatchObject({ messages, tools });
    expect(request).not.toHaveProperty(option);
    expect(overrides).toMatchObject([{ option }]);
    expect(overrides[0]?.message).toContain('AgentJet passes on messages and tools only');
  });

  it.each([
    { tool_choice: 'auto' as const },
    { parallel_tool_calls: true },
    { n: 1 },
    { presence_penalty: 0, frequency_penalty: 0 },
    { response_format: { type: 'text' as const } },
    { user: 'me', seed: 4 },
    { stop: null },
  ])('says nothing of %j, which asks for what happens anyway', (asked) => {
    expect(applySampling({ model: 'm', messages, ...asked }, sampling, 1).overrides).toEqual([]);
  });

  it('streams, which training does not', () => {
    const { request, overrides } = applySampling({ model: 'm', messages, stream: true }, sampling, 1);
    expect(request.stream).toBe(true);
    expect(overrides).toMatchObject([{ option: 'stream' }]);
  });

  it('has a debug model choose among tools, and sample as it likes', () => {
    const asked = { model: 'm', messages, temperature: 0, tool_choice: 'required' as const };
    expect(debugRequest({ ...asked, tools }, 'gpt-4o', 7)).toEqual({
      model: 'gpt-4o',
      messages,
      tools,
      tool_choice: 'required',
      seed: 7,
    });
    expect(debugRequest({ ...asked, tools: [] }, 'gpt-4o', 7)).toEqual({
      model: 'gpt-4o',
      messages,
      seed: 7,
    });
  });
});

describe('the seed of a call', () => {
  it('is stable, and another for each run, episode and call', () => {
    expect(callSeed(1, 2, 3)).toBe(callSeed(1, 2, 3));
    const seeds = new Set<number>();
    for (let run = 0; run < 10; run++) {
      for (let episode = 0; episode < 20; episode++) {
        for (let call = 0; call < 10; call++) seeds.add(callSeed(run, episode, call));
      }
    }
    expect(seeds.size).toBe(2000);
    expect([...seeds].every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31)).toBe(true);
  });
});
