import { describe, expect, it } from 'vitest';
import { returnedOutput } from '../../../../src/backbone/core/protocol/worker.ts';

describe('the output of a workflow', () => {
  it.each([
    [{ number: 'inf' }, Infinity],
    [{ number: '-inf' }, -Infinity],
    [{ number: 'nan' }, NaN],
    [0.5, 0.5],
    [
      [1, 0],
      [1, 0],
    ],
    [null, null],
  ])('has rewards that JSON has not by name: %o', (reward, expected) => {
    const output = { reward, isSuccess: null, metadata: {}, logMetrics: {} };
    expect(returnedOutput.parse(output).reward).toEqual(expected);
  });
});
