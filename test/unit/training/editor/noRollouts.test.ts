import { expect, it } from 'vitest';
import { noRollouts } from '../../../../src/training/editor/noRollouts.ts';

it('a run without rollouts is told where its own backbone would have them', () => {
  expect(noRollouts({ name: 'maths', backbone: 'trinity' }).hint).toContain('save_input');
  const { hint } = noRollouts({ name: 'maths', backbone: 'verl' });
  expect(hint).toContain('saved_experiments');
  expect(hint).toContain('the folder in which Ray was started');
  expect(hint).not.toContain('Trinity');
});
