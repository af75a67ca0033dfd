import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  planResume,
  describeRestore,
  setJobName,
  type ResumePlan,
  type ResumeSource,
} from '../../../../../src/training/core/launch/resume.ts';
import type { SourceStage } from '../../../../../src/training/core/launch/resumeStages.ts';
import { jobFolder, jobUse } from '../../../../../src/training/core/launch/training.ts';
import { posix } from '../../../configs/memoryFiles.ts';
import { ajetConfig, stagedConfig, trainingOf, trinityConfig } from './orders.ts';

const run = '20260101-120000-abcdef';
const earlier = '20251231-120000-abcdef';

async function plan(
  text: string,
  as: 'resume' | 'fork',
  step: number,
  source: ResumeSource,
  stage?: string,
): Promise<ResumePlan> {
  const training = await trainingOf(text);
  const from = { run: earlier, step, as, ...(stage !== undefined && { stage }) };
  return planResume({ run, from, source, text, cwd: '/run/work', paths: posix }, training);
}

const copied = (seed: ResumePlan['seed']): string[] | undefined =>
  seed?.copies.map(({ from, to }) => (from === to ? from : `${from} > ${to}`));

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
    const named = await trainingOf(setJobName(text, training, 'exp', run));
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
    const { config, jobFolder: folder, seed } = await plan(ajetConfig, 'resume', 20, ajetSource);
    expect(folder).toBe(ajetSource.jobFolder);
    expect(seed).toBeUndefined();
    expect(config).toBe(ajetConfig.replace('./checkpoints', '/runs/1/work/checkpoints'));
    const again = await trainingOf(config);
    expect(jobFolder(again.job, '/elsewhere', posix)).toBe(ajetSource.jobFolder);
  });

  test('fork: a copy of the step under a name of its own', async () => {
    const { config, jobFolder: folder, seed } = await plan(trinityConfig, 'fork', 10, trinitySource);
    expect(folder).toBe(`/big/checkpoints/maths/small/first_${run}`);
    expect(copied(seed)).toEqual(['global_step_10']);
    expect(seed?.texts).toEqual([{ path: 'latest_checkpointed_iteration.txt', text: '10' }]);
    expect((await trainingOf(config)).job.name.value).toBe(`first_${run}`);
    const newest = await plan(trinityConfig, 'fork', 20, trinitySource);
    expect(copied(newest.seed)).toEqual(['global_step_20', 'explorer_meta.json', 'trainer_meta.json']);
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
    const { seed } = await plan(text, 'fork', 20, trinitySource);
    expect(copied(seed)).toEqual(['global_step_20', 'ann_meta.json', 'tom_meta.json']);
  });

  test('a config that cannot be written to is told for what it would be', async () => {
    const flow = 'ajet: { project_name: maths }\n' + ajetConfig.slice(ajetConfig.indexOf('hydra:'));
    const training = await trainingOf(flow);
    expect(() => setJobName(flow, training, 'exp', run)).toThrow(
      /^To make the folder known, .* `ajet.experiment_name` must be set/,
    );
    await expect(plan(flow, 'fork', 20, ajetSource)).rejects.toThrow(/^To continue from a checkpoint `ajet/);
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
    await expect(plan(trinityConfig, 'resume', 10, trinitySource)).rejects.toThrow(/newest is step 20/);
    await expect(plan(trinityConfig, 'resume', 10, { ...trinitySource, latest: null })).rejects.toThrow(
      /it has none/,
    );
    const renamed = trinityConfig.replace('project: maths', 'project: other');
    await expect(plan(renamed, 'resume', 20, trinitySource)).rejects.toThrow(/other\/small\/first/);
  });

  test('what is restored is told in plain words', () => {
    const from = { run: earlier, step: 10, as: 'fork' as const };
    const lines = describeRestore(from, 'trinity', false);
    expect(lines.filter((line) => line.startsWith('Restored'))).toEqual([
      'Restored: weights, optimizer and learning rate schedule of step 10.',
    ]);
    expect(lines.some((line) => line.startsWith('Not restored: the position in the data set'))).toBe(true);
  });
});

describe('going on in stages', () => {
  const saved = { latest: 20, hasWeights: true };
  const nothing = { latest: null, hasWeights: false };
  const sft = { name: 'sft', folder: 'sft', ...saved };
  const rl = { name: 'rl', folder: 'rl', latest: 5, hasWeights: false };
  const source = (current: number, ...stages: SourceStage[]): ResumeSource => {
    return { jobFolder: trinitySource.jobFolder, latest: null, staged: { current, stages } };
  };

  test('resume: from the newest step of the stage that was under way alone', async () => {
    const { config, seed } = await plan(stagedConfig, 'resume', 5, source(1, sft, rl), 'rl');
    expect([config, seed]).toEqual([stagedConfig, undefined]);
    await expect(plan(stagedConfig, 'resume', 20, source(1, sft, rl), 'sft')).rejects.toMatchObject({
      message: expect.stringMatching(/the newest is step 5 of stage rl/) as unknown,
      hint: expect.stringMatching(/continue from step 20 of stage sft, choose a fork/) as unknown,
    });
  });

  test('resume: a stage that has saved nothing begins anew, with what the one before has learnt', async () => {
    const begun = source(1, sft, { ...rl, ...nothing });
    expect((await plan(stagedConfig, 'resume', 20, begun, 'sft')).jobFolder).toBe(trinitySource.jobFolder);
    const without = source(1, { ...sft, hasWeights: false }, { ...rl, ...nothing });
    await expect(plan(stagedConfig, 'resume', 20, without, 'sft')).rejects.toThrow(
      /the stage sft has no Hugging Face weights in its newest step, 20/,
    );
  });

  test('resume: in the folder that upstream has made for a stage in place of another one', async () => {
    const renamed = { ...rl, folder: 'rl_20260314092653' };
    const { config } = await plan(stagedConfig, 'resume', 5, source(1, sft, renamed), 'rl');
    expect(config).toBe(stagedConfig.replace('stage_name: rl', 'stage_name: rl_20260314092653'));
  });

  test('fork: what the stages before have learnt goes along, and they are skipped', async () => {
    const renamed = { ...rl, folder: 'rl_20260314092653' };
    const { seed, config } = await plan(stagedConfig, 'fork', 3, source(1, sft, renamed), 'rl');
    expect(config).toContain(`name: first_${run}`);
    expect(copied(seed)).toEqual([
      'sft/global_step_20/actor/huggingface',
      'rl_20260314092653/global_step_3 > rl/global_step_3',
    ]);
    expect(seed?.texts).toEqual([
      { path: 'sft/latest_checkpointed_iteration.txt', text: '20' },
      { path: 'rl/latest_checkpointed_iteration.txt', text: '3' },
      { path: 'stage_meta.json', text: '{"latest_stage":1}' },
    ]);
    const first = await plan(stagedConfig, 'fork', 20, source(1, sft, rl), 'sft');
    expect(copied(first.seed)).toEqual([
      'sft/global_step_20',
      'sft/explorer_meta.json',
      'sft/teacher_meta.json',
    ]);
    expect(first.seed?.texts.at(-1)).toEqual({ path: 'stage_meta.json', text: '{"latest_stage":0}' });
  });

  test('what does not go together is refused', async () => {
    const refused = (text: string, from: ResumeSource, stage?: string): Promise<unknown> =>
      plan(text, 'fork', 20, from, stage).catch((error: unknown) => (error as Error).message);
    expect(await refused(trinityConfig, source(1, sft, rl), 'sft')).toMatch(
      /belongs to stage sft, and the config has no stages/,
    );
    expect(await refused(stagedConfig, trinitySource)).toMatch(
      /belongs to no stage, and the config has the stages sft, rl/,
    );
    expect(await refused(stagedConfig, source(0, rl), 'rl')).toMatch(/are not those of the config/);
    const without = source(1, { ...sft, ...nothing }, rl);
    expect(await refused(stagedConfig, without, 'rl')).toMatch(/the stage sft has no checkpoint/);
  });

  test('what becomes of the stages is told', () => {
    const told = (as: 'resume' | 'fork', stage: string, current: number): string[] => {
      const stages = { names: ['sft', 'rl'], current };
      return describeRestore({ run: earlier, step: 5, as, stage }, 'trinity', true, stages).slice(1, 3);
    };
    const weights = 'Restored: weights, optimizer and learning rate schedule of step 5 of stage';
    expect(told('resume', 'rl', 2)).toEqual(['Stages that are skipped: sft.', `${weights} rl.`]);
    expect(told('fork', 'sft', 2)).toEqual(['Stages that follow: rl.', `${weights} sft.`]);
    expect(told('fork', 'rl', 2)).toEqual([
      'Stages that are skipped: sft; their final weights are copied.',
      `${weights} rl.`,
    ]);
    expect(told('resume', 'sft', 2)).toEqual([
      'Stage rl has no checkpoint, so it starts again with the weights of step 5 of stage sft.',
      'Stages that are skipped: sft.',
    ]);
  });
});

test('stages are read with the sections that they have of their own', async () => {
  const { stages, ...training } = await trainingOf(stagedConfig);
  expect(stages).toMatchObject([
    {
      name: { value: 'sft', key: 'stages.0.stage_name' },
      mode: 'train',
      totalSteps: 40,
      actors: ['explorer', 'teacher'],
      data: [{ value: '/data/examples', key: 'stages.0.buffer.trainer_input.experience_buffer.path' }],
      engineGpus: { value: 2, key: 'explorer.rollout_model.engine_num' },
    },
    {
      name: { value: 'rl' },
      mode: 'both',
      totalSteps: 120,
      data: [{ value: '/data/tasks', key: 'buffer.explorer_input.taskset.path' }],
    },
  ]);
  expect(jobUse({ ...training, stages, continues: { ...training.continues, value: false } }, false)).toBe(
    'alone',
  );
  const ajet = ajetConfig.replace('hydra:', 'trinity:\n  stages:\n    - stage_name: rl\nhydra:');
  expect((await trainingOf(ajet)).stages).toMatchObject([
    { name: { value: 'rl', key: 'trinity.stages.0.stage_name' } },
  ]);
  expect((await trainingOf(ajet, 'verl')).stages).toEqual([]);
});
