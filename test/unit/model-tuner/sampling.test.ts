import { describe, expect, it } from 'vitest';
import { applySampling, callSeed } from '../../../src/backbone/model-tuner/sampling.ts';

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
      stop: 'x',
    });
    expect(overrides.map(({ option, asked, used }) => [option, asked, used])).toEqual([
      ['temperature', 0.1, 0.9],
      ['max_tokens', 10, 4080],
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
    expect(overrides).toMatchObject([{ option: 'max_completion_tokens', asked: 10, used: 4080 }]);
  });

  it('takes the sampling of validation from where the config has it', () => {
    const validation = { ...sampling, topK: 7, section: 'ajet.rollout.val_kwargs' };
    const { request, overrides } = applySampling({ model: 'm', messages, temperature: 0.1 }, validation, 1);
    expect(request).toMatchObject({ top_k: 7 });
    expect(overrides).toMatchObject([{ key: 'ajet.rollout.val_kwargs.temperature' }]);
    const all = applySampling({ model: 'm', messages }, { ...validation, topK: -1 }, 1);
    expect(all.request).not.toHaveProperty('top_k');
  });

  it('says nothing where nothing was asked', () => {
    expect(applySampling({ model: 'm', messages, temperature: null }, sampling, 1).overrides).toEqual([]);
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
