/** The rewards of the package `trinity` for debug runs. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';

const program = `
import json, sys
sys.path.insert(0, sys.argv[1])
from trinity.common.rewards.countdown_reward import CountDownRewardFn
for equation, numbers, target, _ in json.loads(sys.argv[2]):
    truth = json.dumps({'numbers': numbers, 'target': target})
    print(CountDownRewardFn()('<answer>%s</answer>' % equation, truth=truth)['score'])
`;

it('the countdown reward evaluates arithmetic, and nothing that takes forever', async () => {
  const cases = [
    ['(1 + 2) * 3', [1, 2, 3], 9, 1],
    ['-7 // 2', [2, 7], -4, 1],
    ['2 ** -1', [1, 2], 0.5, 1],
    ['6 / 4', [4, 6], 2, 0.1],
    ['25**72**98', [25, 72, 98], 1, 0.1],
    ['9**9**9', [9, 9, 9], 1, 0.1],
    ['()*9', [9], 9, 0.1],
    ['7(2)', [2, 7], 14, 0.1],
    ['9**9999 * 1.5', [1, 5, 9, 9999], 1.5, 0.1],
  ];
  const folder = path.join(inject('dist'), 'python/stand_in');
  const args = ['-W', 'ignore', '-c', program, folder, JSON.stringify(cases)];
  const { stdout } = await promisify(execFile)(await ensurePython(), args, { timeout: 20_000 });
  expect(stdout.trim().split('\n').map(Number)).toEqual(cases.map(([, , , score]) => score));
}, 300_000);
