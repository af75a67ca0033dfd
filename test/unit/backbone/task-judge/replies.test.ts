import { describe, expect, it } from 'vitest';
import { ranksIn, rubricsIn, scoreIn } from '../../../../src/backbone/core/task-judge/auto-grader/replies.ts';

describe('scoreIn', () => {
  it.each([
    ['{"reason": "4 of 5 hold", "score": 0.75}', 0.75],
    ['```json\n{"reason": "fine", "score": "0.5"}\n```', 0.5],
    ['Here it is: {"score": 1, "reason": "has 2 steps"} as asked, in 3 lines', 1],
    ['{"score": 0.25, reason: it is {partly} right}', 0.25],
    ['<think>{"score": 9}</think>{"score": 2}', 2],
    ['It has 3 errors. <score> -1.5 </score> of 10', -1.5],
    ['<score>7/10</score>', 7],
    ['Score: 3\nsince 2 of 5 hold', 3],
    ['I would give it 7/10', 7],
    ['Two things are wrong, so 6 out of 10.', 6],
    ['0.5', 0.5],
    ['1e-1', 0.1],
    ['.5', 0.5],
  ])('reads %j', (reply, score) => {
    expect(scoreIn(reply)).toBe(score);
  });

  it.each(['', 'very good', '{"score": null}', '{"score": "high"}', '<think>1</think>', 'v1beta'])(
    'finds none in %j',
    (reply) => {
      expect(scoreIn(reply)).toBeUndefined();
    },
  );
});

describe('ranksIn', () => {
  it.each([
    ['{"reason": "r", "rank": [2, 1, 3]}', 3, [2, 1, 3]],
    ['{"rank": ["1", "1"]}', 2, [1, 1]],
    ['Of 1, 2, 3 I make: <rank>3, 1, 2</rank>', 3, [3, 1, 2]],
    ['2 1', 2, [2, 1]],
  ])('reads %j', (reply, count, ranks) => {
    expect(ranksIn(reply, count)).toEqual(ranks);
  });

  it.each([
    ['{"rank": [1, 2]}', 3],
    ['{"rank": [0, 1]}', 2],
    ['{"rank": [1, 3]}', 2],
    ['the second', 2],
  ])('finds none in %j for %i answers', (reply, count) => {
    expect(ranksIn(reply, count)).toBeUndefined();
  });
});

describe('rubricsIn', () => {
  it.each([
    ['{"rubrics": ["a", " b ", ""]}', ['a', 'b']],
    ['```json\n["a"]\n```', ['a']],
    ['{"rubrics": [{"theme": "Right", "tips": ["one", "two"]}]}', ['Right\n- one\n- two']],
    ['no idea', []],
    ['{"rubrics": "a"}', []],
  ])('reads %j', (reply, rubrics) => {
    expect(rubricsIn(reply)).toEqual(rubrics);
  });
});
