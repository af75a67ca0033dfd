import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PythonRandom } from '../../../../src/backbone/core/task-reader/mersenneTwister.ts';
import { readSpan } from '../../../../src/backbone/core/task-reader/tracing/spanPair.ts';
import { splitTasks } from '../../../../src/backbone/core/task-reader/tracing/tracingReader.ts';
import { spanAttributes } from './spans.ts';

const file = path.join(import.meta.dirname, '../../../fixtures/tracing/tracing.json');
const vectors = JSON.parse(readFileSync(file, 'utf8')) as { spans: string[]; splits: string[] };

function outcomeOf(attributes: string): string {
  const reading = readSpan(attributes);
  if (reading.kind !== 'pair') return reading.kind === 'skipped' ? 's' : 'x';
  const answer = typeof reading.answer === 'string' ? reading.answer : '';
  const text = `${reading.query}\n${answer}`;
  return `k${createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 8)}`;
}

describe('spans of AgentScope Studio', () => {
  it('are read, left out or fatal as in AgentJet: 10,000 of them', () => {
    const expected = vectors.spans.join('').match(/[sx]|k[\da-f]{8}/g) ?? [];
    expect(expected).toHaveLength(10_000);
    const different = expected.flatMap((outcome, number) => {
      const attributes = spanAttributes(number);
      const got = outcomeOf(attributes);
      return got === outcome ? [] : [`${number}: ${got}, not ${outcome}, of ${attributes}`];
    });
    expect(different.slice(0, 5)).toEqual([]);
    // A vector that knows one outcome only would prove little.
    for (const kind of ['k', 's', 'x']) {
      expect(expected.filter((outcome) => outcome.startsWith(kind)).length).toBeGreaterThan(1_000);
    }
  });
});

describe('the split', () => {
  it("is that of Python's generator seeded with 42, at every size", () => {
    for (const text of vectors.splits) {
      const [training, validation] = JSON.parse(text) as [number[], number[]];
      const count = training.length + validation.length;
      const tasks = Array.from({ length: count }, (_, at) => at);
      expect(splitTasks(tasks)).toEqual({ training, validation });
    }
  });

  it('draws what Python draws', () => {
    const random = new PythonRandom(42);
    expect(Array.from({ length: 8 }, () => random.below(10))).toEqual([1, 0, 4, 3, 3, 2, 1, 8]);
  });
});
