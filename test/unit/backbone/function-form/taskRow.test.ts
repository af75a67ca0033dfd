import { describe, expect, it } from 'vitest';
import { rowOf } from '../../../../src/backbone/core/function-form/functionWorkflow.ts';

const task = { init_messages: [], task_id: 't1', env_type: 'no_env' };

describe('the row that functions get', () => {
  it.each([
    ['a row of its own form', '[not defined]', { question: 'q', answer: 'a' }],
    ['one that has the query, by its name', 'q', { main_query: 'q', task_id: 't1' }],
    ['one of the hub', 'q', { question: 'q', answer: 'a' }],
    ['one of the hub without a question', 'Empty', { nums: [1, 2] }],
  ])('is the metadata: %s', (_, main_query, metadata) => {
    expect(rowOf({ ...task, main_query, metadata })).toBe(metadata);
  });

  it('has the query too, where that stands beside the metadata', () => {
    expect(rowOf({ ...task, main_query: 'q', metadata: { answer: 'a' } })).toEqual({
      main_query: 'q',
      answer: 'a',
    });
  });
});
