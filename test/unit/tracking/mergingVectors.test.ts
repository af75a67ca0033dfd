import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { advantagesOf, rowAdvantagesOf } from '../../../src/tracking/core/groups.ts';
import { traceSetCount } from '../../tools/vectors/traceSets.ts';
import { fuzz } from '../fuzz.ts';
import { loadTexts, resultOf, type Texts } from './mergingResults.ts';

const fixtures = path.resolve(import.meta.dirname, '../../fixtures/merging');
const digests = readFileSync(path.join(fixtures, 'digests.bin'));
const full = gunzipSync(readFileSync(path.join(fixtures, 'results.jsonl.gz')))
  .toString()
  .trim()
  .split('\n');
const { numRuns: tried } = fuzz(1, traceSetCount);

describe('an episode', () => {
  let texts: Texts;
  beforeAll(async () => {
    texts = await loadTexts();
  });

  it("becomes what AgentJet's own tracker makes of it, message by message and sample by sample", () => {
    for (const [index, line] of full.slice(0, fuzz(1, full.length).numRuns).entries()) {
      expect({ set: index + 1, ...resultOf(index + 1, texts) }).toEqual({
        set: index + 1,
        ...(JSON.parse(line) as object),
      });
    }
  });

  it('becomes that in each of 10,000 trace sets', () => {
    expect(digests).toHaveLength(8 * traceSetCount);
    const wrong = Array.from({ length: tried }, (_, index) => index + 1).filter((number) => {
      const digest = createHash('sha256')
        .update(JSON.stringify(resultOf(number, texts)))
        .digest();
      return !digest.subarray(0, 8).equals(digests.subarray(8 * (number - 1), 8 * number));
    });
    expect(wrong).toEqual([]);
  });
});

describe('a group of episodes', () => {
  /** Of each episode: the rewards of its timelines, their advantages, and those with each timeline for itself. */
  const groups = JSON.parse(
    readFileSync(path.join(fixtures, 'advantages.json'), 'utf8'),
  ) as readonly (readonly [number[], number[], number[]][])[];

  it("has AgentJet's reference advantages", () => {
    expect(groups).toHaveLength(100);
    for (const episodes of groups) {
      const advantages = advantagesOf(episodes.map(([rewards]) => rewards[0] ?? null));
      episodes.forEach(([, expected], index) => {
        for (const advantage of expected) expect(advantages[index]).toBeCloseTo(advantage, 9);
      });
      const simple = rowAdvantagesOf(episodes.flatMap(([rewards]) => rewards));
      const told = episodes.flatMap(([, , expected]) => expected);
      expect(simple).toHaveLength(told.length);
      told.forEach((advantage, index) => expect(simple[index]).toBeCloseTo(advantage, 9));
    }
  });
});
