import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  planResume,
  whatIsRestored,
  withName,
  type ResumeSource,
} from '../../../../src/remote/launch/resume.ts';
import { jobFolder, jobUse } from '../../../../src/remote/launch/training.ts';
import { posix } from '../../config/memoryFiles.ts';
import { ajetConfig, trainingOf, trinityConfig } from './orders.ts';

const run = '20260101-120000-abcdef';
const earlier = '20251231-120000-abcdef';

async function plan(text: string, as: 'resume' | 'fork', step: number, source: ResumeSource) {
  const training = await trainingOf(text);
  const from = { run: earlier, step, as };
  return planResume({ run, from, source, text, cwd: '/run/work', paths: posix }, training);
}

const ajetSource = { jobFolder: '/runs/1/work/checkpoints/maths/first', latest: 20 };
const trinitySource = { jobFolder: '/big/checkpoints/maths/small/first', latest: 20 };

describe('where a job is', () => {
  test('root, project, group and name, from the working folder on', async () => {
    expect(jobFolder((await trainingOf(ajetConfig)).job, '/run/work', posix)).toBe(
      '/run/work/checkpoints/maths/first',
    );
    expect(jobFolder((await trainingOf(ajetConfig, 'verl')).job, '/w', posix)).toBe(
      '/w/checkpoints/maths/first',
    );
    expect(jobFolder((await trainingOf(trinityConfig)).job, '/w', posix)).toBe(
      '/big/checkpoints/maths/small/first',
    );
  });

  test('a name that would be made of the minute is made of the run', async () => {
    const text = ajetConfig.replace('  experiment_name: first # kept\n', '');
    const training = await trainingOf(text);
    expect(jobFolder(training.job, '/w', posix)).toBeNull();
    const named = await trainingOf(withName(text, training, 'exp', run));
    expect(named.job.name.value).toBe(`exp_${run}`);
  });
});

test('what upstream does with a folder that is there', async () => {
  const use = async (more: string, isEmpty = false): Promise<string> =>
    jobUse(await trainingOf(trinityConfig.replace('mode: both', more)), isEmpty);
  expect(await use('mode: both')).toBe('alone');
  expect(await use('mode: explore')).toBe('beside');
  expect(await use('mode: both\ncontinue_from_checkpoint: false')).toBe('renamed');
  expect(await use('mode: both\ncontinue_from_checkpoint: false', true)).toBe('alone');
  expect(await use('mode: bench\ncontinue_from_checkpoint: false')).toBe('beside');
  expect(jobUse(await trainingOf(ajetConfig, 'verl'), true)).toBe('alone');
});

describe('going on', () => {
  test('resume: the same folder, named absolutely, all else of the text as it was', async () => {
    const { config, jobFolder: folder, copies } = await plan(ajetConfig, 'resume', 20, ajetSource);
    expect(folder).toBe(ajetSource.jobFolder);
    expect(copies).toEqual([]);
    expect(config).toBe(ajetConfig.replace('./checkpoints', '/runs/1/work/checkpoints'));
    const again = await trainingOf(config);
    expect(jobFolder(again.job, '/elsewhere', posix)).toBe(ajetSource.jobFolder);
  });

  test('fork: a copy of the step under a name of its own', async () => {
    const { config, jobFolder: folder, copies } = await plan(trinityConfig, 'fork', 10, trinitySource);
    expect(folder).toBe(`/big/checkpoints/maths/small/first_${run}`);
    expect(copies).toEqual(['global_step_10']);
    expect((await trainingOf(config)).job.name.value).toBe(`first_${run}`);
    const newest = await plan(trinityConfig, 'fork', 20, trinitySource);
    expect(newest.copies).toEqual(['global_step_20', 'explorer_meta.json', 'trainer_meta.json']);
  });

  test('resume of a fork, and of a run that upstream renamed: by the name of the folder', async () => {
    for (const name of [`first_${earlier}`, 'first_20260314092653', `first_${earlier}_20260314092653`]) {
      const folder = `/big/checkpoints/maths/small/${name}`;
      const { config, jobFolder: same } = await plan(trinityConfig, 'resume', 20, {
        jobFolder: folder,
        latest: 20,
      });
      expect(same).toBe(folder);
      expect(jobFolder((await trainingOf(config)).job, '/elsewhere', posix)).toBe(folder);
    }
    const other = { jobFolder: '/big/checkpoints/maths/small/second_1', latest: 20 };
    await expect(plan(trinityConfig, 'resume', 20, other)).rejects.toThrow(/not those of the earlier run/);
  });

  test('fork: the files of actors that have other names', async () => {
    const text = trinityConfig
      .replace('explorer:', 'explorer:\n  name: ann')
      .replace('trainer:', 'trainer:\n  name: tom');
    const { copies } = await plan(text, 'fork', 20, trinitySource);
    expect(copies).toEqual(['global_step_20', 'ann_meta.json', 'tom_meta.json']);
  });

  test('a config that cannot be written to is told for what it would be', async () => {
    const flow = 'ajet: { project_name: maths }\n' + ajetConfig.slice(ajetConfig.indexOf('hydra:'));
    const training = await trainingOf(flow);
    expect(() => withName(flow, training, 'exp', run)).toThrow(
      /^So that its folder is known, .* `ajet.experiment_name` has to be set/,
    );
    await expect(plan(flow, 'fork', 20, ajetSource)).rejects.toThrow(/^To go on from a checkpoint `ajet/);
  });

  test('a config that starts anew is made to go on', async () => {
    const off = `continue_from_checkpoint: false\n${trinityConfig}`;
    const { config } = await plan(off, 'resume', 20, trinitySource);
    expect(parse(config)).toMatchObject({ continue_from_checkpoint: true });
    const { config: nested } = await plan(
      ajetConfig.replace('hydra:', 'trinity:\n  continue_from_checkpoint: false\nhydra:'),
      'fork',
      20,
      ajetSource,
    );
    expect(parse(nested)).toMatchObject({ trinity: { continue_from_checkpoint: true } });
  });

  test('what upstream would start anew without a word is refused', async () => {
    await expect(plan(trinityConfig, 'resume', 10, trinitySource)).rejects.toThrow(/newest is of step 20/);
    await expect(plan(trinityConfig, 'resume', 10, { ...trinitySource, latest: null })).rejects.toThrow(
      /it has none/,
    );
    const renamed = trinityConfig.replace('project: maths', 'project: other');
    await expect(plan(renamed, 'resume', 20, trinitySource)).rejects.toThrow(/other\/small\/first/);
  });

  test('what is restored is told in plain words', () => {
    const from = { run: earlier, step: 10, as: 'fork' as const };
    const lines = whatIsRestored(from, 'trinity', false);
    expect(lines.filter((line) => line.startsWith('Restored'))).toEqual([
      'Restored: weights, optimizer and learning rate schedule as of step 10.',
    ]);
    expect(lines.some((line) => line.startsWith('Not restored: the position in the data set'))).toBe(true);
  });
});
