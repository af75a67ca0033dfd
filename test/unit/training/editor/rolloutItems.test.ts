import { expect, it } from 'vitest';
import { rolloutItems } from '../../../../src/training/editor/rolloutItems.ts';

const folder = 'saved_experiments/first/2026_01_01_12_00';
const log = (path: string, modifiedAt: number) => ({ path: `${folder}/${path}`, bytes: 2_000, modifiedAt });

it('logs of processes at once are told apart and all wanted, but for what was set aside', () => {
  const aside = 'rollout/rollout.json.2026-01-01_12-00-03_000001.log';
  const items = rolloutItems(
    [
      log(`box/${aside}`, 1),
      log('box/rollout/rollout.json.log', 3),
      log('box_17/rollout/rollout.json.log', 4),
      log(`box_17/${aside}`, 2),
    ],
    'en',
  );
  expect(items.map(({ label, picked }) => [label, picked])).toEqual([
    ['box_17/rollout.json.log', true],
    ['box/rollout.json.log', true],
    ['box_17/rollout.json.2026-01-01_12-00-03_000001.log', false],
    ['box/rollout.json.2026-01-01_12-00-03_000001.log', false],
  ]);
  expect(items[0]).toMatchObject({ detail: `${folder}/box_17/rollout`, file: { modifiedAt: 4 } });
});
