/** Logs of AgentJet's with validations among the episodes of training. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from './folder.ts';
import { importedTrace } from './import.ts';

/** A step, a task and what the model said, which its tokens are of. */
type Logged = readonly [step: number | 'NA', task: string, said: string, reward: number];

function lineOf([step, task, said, reward]: Logged, at: number): string {
  const texts = [
    '<|im_start|>',
    'user',
    '\n',
    `Of ${task}?`,
    '<|im_end|>',
    '\n',
    '<|im_start|>',
    'assistant',
    '\n',
  ];
  const told = [...texts, said, '<|im_end|>'];
  const content = {
    text: told,
    title: told.map((_, index) => (index < texts.length ? 'N/A' : '-0.5000')),
    count: told.map((text) => String(Buffer.from(text).reduce((sum, byte) => sum * 31 + byte, 7) % 9973)),
    color: told.map((_, index) => (index < texts.length ? '#D98510' : '#09ABCF')),
  };
  const item = { content, raw_reward: reward.toFixed(3), step_advantage: `${at}.000`, outcome: '0.0' };
  const nested = { [`${task}.0.0.0`]: item };
  const header = `[${step}] Task ${task} (Reward ${reward.toFixed(3)})`;
  const seconds = String(at).padStart(2, '0');
  return `2026-01-01 12:00:${seconds}.000 | INFO     | a:b:1 - \n${JSON.stringify({ header, nested_json: nested })}\n`;
}

/** Tasks, queries and rewards group by group, and whether they have an advantage. */
async function groupsOf(...logged: readonly Logged[]): Promise<string[][]> {
  const file = path.join(temporaryFolder(), 'rollout.json.log');
  writeFileSync(file, logged.map(lineOf).join(''));
  const reader = await importedTrace(file);
  const { repeat } = reader.read((views) => views.run());
  const groups: string[][] = [];
  for (const { episode, taskId, query, reward, advantage } of reader.read((views) => views.episodes(0, 99))
    .rows) {
    const group = (groups[Math.floor(episode / repeat)] ??= []);
    group.push(`${taskId} ${query} ${reward}${advantage === null ? '' : ' compared'}`);
  }
  return groups;
}

const training = (step: number): readonly Logged[] => [
  [step, '0', `one ${step}`, 0],
  [step, '0', `two ${step}`, 1],
];
const trained = (step: number): string[] => [`0 [${step}] Of 0? 0 compared`, `0 [${step}] Of 0? 1 compared`];

it('a validation that verl has logged twice is one, in a group of its own, not in that of the step', async () => {
  const validation = (step: number | 'NA', said: string): readonly Logged[] => [
    [step, '0', said, 1],
    [step, '5', said, 0],
    // The model says the same once more.
    [step, '0', said, 1],
  ];
  const groups = await groupsOf(
    ...training(1),
    ...training(2),
    ...validation('NA', 'yes'),
    ...validation(2, 'yes'),
    ...training(3),
    ...training(4),
    ...validation('NA', 'yes'),
    ...validation(4, 'yes'),
    [5, '0', 'yes', 1],
  );
  const validated = (step: number): string[][] => [
    [`0 [val ${step}] Of 0? 1 compared`, `0 [val ${step}] Of 0? 1 compared`],
    [`5 [val ${step}] Of 5? 0`],
  ];
  expect(groups).toEqual([
    ...[trained(1), trained(2), ...validated(2)],
    ...[trained(3), trained(4), ...validated(4)],
    ['0 [5] Of 0? 1'],
  ]);
});

it('a validation before the first step, of which neither copy has a step, is one, too', async () => {
  const validation: readonly Logged[] = [
    ['NA', '0', 'yes', 1],
    ['NA', '5', 'no', 0],
    ['NA', '0', 'no', 0.5],
  ];
  // One that goes on from a checkpoint has its own.
  const groups = await groupsOf(
    ...validation,
    ...validation,
    ...training(1),
    ...validation,
    ...validation,
    ...training(41),
  );
  const validated = [['0 Of 0? 1 compared', '0 Of 0? 0.5 compared'], ['5 Of 5? 0']];
  expect(groups).toEqual([...validated, trained(1), ...validated, trained(41)]);
});

it('an episode that no step has is compared with none', async () => {
  const groups = await groupsOf(
    ['NA', '0', 'yes', 1],
    ['NA', '0', 'no', 0],
    ['NA', '5', 'no', 0],
    ['NA', '0', 'yes', 1],
  );
  expect(groups).toEqual([['0 Of 0? 1'], ['0 Of 0? 0'], ['5 Of 5? 0'], ['0 Of 0? 1']]);
});

it('a validation that the log begins within is one as far as it is there', async () => {
  const groups = await groupsOf(['NA', '5', 'no', 0], [2, '0', 'yes', 1], [2, '5', 'no', 0], ...training(3));
  expect(groups).toEqual([['5 [val 2] Of 5? 0'], ['0 [2] Of 0? 1'], trained(3)]);
});
