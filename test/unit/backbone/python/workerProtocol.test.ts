import { describe, expect, it } from 'vitest';
import { decodeFromWorker, returnedOutput } from '../../../../src/backbone/core/protocol/worker.ts';

describe('what the worker says', () => {
  it.each([
    [{ type: 'ready', python: '3.12.4', executable: '/p', pid: 7, debugPort: null }],
    [{ type: 'result', id: 1, value: { reward: 1 } }],
    [{ type: 'failed', id: 1, failure: { message: 'ValueError: no', file: '/a.py', line: 3 } }],
    [{ type: 'ask', id: 2, method: 'gym-step', params: { episodeUuid: 'e', action: {} } }],
  ])('is taken as it is: %o', (message) => {
    expect(decodeFromWorker(JSON.stringify(message))).toEqual(message);
  });

  it.each([
    ['no JSON'],
    ['{}'],
    ['{"type":"result"}'],
    ['{"type":"ask","id":1,"method":"eval","params":{}}'],
  ])('is refused where it is not of the protocol: %s', (line) => {
    expect(decodeFromWorker(line)).toBeUndefined();
  });

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
