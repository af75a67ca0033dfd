import { describe, expect, it } from 'vitest';
import { describeFailures, hostFailures } from '../../tools/failures.mjs';

describe('what failed in an extension host', () => {
  const tests = [
    { title: 'runs', state: 'passed', duration: 1 },
    { title: 'stops', state: 'failed', duration: 2, error: 'Error: it went on' },
    { title: 'says why', state: 'failed', duration: 3 },
  ] as const;

  it('is named with the profile it failed in', () => {
    expect(hostFailures({ passed: 1, failed: 2, tests }, 'loading')).toEqual([
      { title: 'loading > stops', error: 'Error: it went on' },
      { title: 'loading > says why', error: '' },
    ]);
  });

  it('has no profile where there is but the default one', () => {
    expect(hostFailures({ passed: 1, failed: 2, tests }, '').map(({ title }) => title)).toEqual([
      'stops',
      'says why',
    ]);
  });
});

describe('the description of a failure', () => {
  it('marks what it leaves out, frames of foreign code aside', () => {
    expect(describeFailures([{ title: 'a', error: 'one\ntwo\n' }])).toBe('FAIL a\n  one\n  two');
    const frames =
      'one\n    at own.ts:2:3\n    at new Promise (<anonymous>)\n    at /p/node_modules/v/run.js:1:2';
    expect(describeFailures([{ title: 'a', error: frames }])).toBe('FAIL a\n  one\n      at own.ts:2:3');
    const lines = Array.from({ length: 30 }, (_, line) => String(line)).join('\n');
    expect(describeFailures([{ title: 'a', error: lines }])).toMatch(/\n {2}24\n {2}…$/);
  });
});
