import { describe, expect, it } from 'vitest';
import { formatNumber } from '../../../src/backbone/model-tuner/embedded/expression.ts';
import { generateProblems, shapes, type Problem } from './generator.ts';
import { boxed, complete, contentOf, request } from './request.ts';

const perSeed = 50;
const seeds = [1, 2, 3, 5, 8, 13];

/** How many of the problems the model answers right, asked as the example asks them. */
async function countSolved(problems: readonly Problem[], temperature: number, seed: number): Promise<number> {
  let solved = 0;
  for (const { text, answer } of problems) {
    const body = request(`${text} Put the result in \\boxed{}.`, { temperature, seed });
    if (boxed(contentOf(await complete(body, seed))) === formatNumber(answer)) solved++;
  }
  return solved;
}

describe('generated problems', () => {
  it('vary: shapes, texts and answers', () => {
    const problems = generateProblems(1, perSeed);
    expect(Object.keys(shapes).length).toBeGreaterThanOrEqual(12);
    expect(new Set(problems.map(({ shape }) => shape)).size).toBe(Object.keys(shapes).length);
    expect(new Set(problems.map(({ text }) => text)).size).toBe(perSeed);
    expect(generateProblems(1, perSeed)).toEqual(problems);
    expect(generateProblems(2, perSeed)).not.toEqual(problems);
  });

  it.each(seeds)(
    'are solved in at least 60 %% of cases at temperature 1, and more often at 0 (seed %d)',
    async (seed) => {
      const problems = generateProblems(seed, perSeed);
      const sampled = await countSolved(problems, 1, seed);
      const greedy = await countSolved(problems, 0, seed);
      expect(sampled / perSeed).toBeGreaterThanOrEqual(0.6);
      expect(greedy / perSeed).toBeGreaterThanOrEqual(0.9);
      expect(greedy).toBeGreaterThan(sampled);
    },
  );
});
