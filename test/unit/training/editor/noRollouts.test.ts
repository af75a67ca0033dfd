import { expect, it } from 'vitest';
import { noRolloutsError } from '../../../../src/training/editor/rolloutItems.ts';

it('a run without rollouts is told where its own backbone would have them', () => {
  expect(noRolloutsError({ name: 'maths', backbone: 'trinity' }).hint).toContain('save_input');
  const { hint } = noRolloutsError({ name: 'maths', backbone: 'verl' });
  expect(hint).toContain('saved_experiments');
  expect(hint).toContain('the folder in which Ray was started');
  expect(hint).not.toContain('Trinity');
});
