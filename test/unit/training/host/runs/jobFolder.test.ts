import { describe, expect, test } from 'vitest';
import {
  isUpstreamEntry,
  jobFolderAccess,
  renamedJob,
  type JobLayout,
} from '../../../../../src/training/node/host/runs/jobFolder.ts';

const bounds = { dataFolder: '/home/ann/.agentjet/host', home: '/home/ann' };
const [run, other] = ['20260101-120000-abcdef', '20260101-120000-fedcba'];
const inRun = (id: string, name: string): string => `${bounds.dataFolder}/runs/${id}/${name}`;
const kind = (folder: string, runs = [run]): string => jobFolderAccess(folder, runs, bounds).kind;

describe('the folder of a job', () => {
  test('is in the code of its run, or of one that it goes on from', () => {
    expect(kind(inRun(run, 'code/checkpoints/maths/first'))).toBe('own');
    expect(kind(inRun(other, 'code/checkpoints/maths/first'), [run, other])).toBe('own');
    expect(kind(inRun(other, 'code/checkpoints/maths/first'))).toBe('refused');
  });

  test.each(['/mnt/checkpoints/maths/first', '/home/ann/checkpoints', '/home/annabel', '/data/..first'])(
    'may be elsewhere: %s',
    (folder) => expect(kind(folder)).toBe('elsewhere'),
  );

  test.each([
    ...['/', '/var', '/home', '/home/ann', '/home/ann/.agentjet', bounds.dataFolder],
    ...[inRun(run, '.'), inRun(run, 'code/..'), inRun(run, 'code2'), inRun(other, 'code')],
    `${bounds.dataFolder}/contents/ab`,
  ])('is never %s', (folder) => expect(kind(folder)).toBe('refused'));

  test('is named anew by the time alone', () => {
    const before = { logs: { trainer: 7 }, step: 3 };
    const renamed = (to: string): JobLayout | undefined =>
      renamedJob({ jobFolder: '/mnt/maths/first', before }, [{ from: 'first', to }]);
    expect(renamed('first_20260314092653')).toEqual({
      jobFolder: '/mnt/maths/first_20260314092653',
      before: { logs: {}, step: null },
    });
    for (const name of [
      '..',
      '.',
      '',
      'second',
      'first',
      'first_',
      'first_1/..',
      '../../etc',
      'first_2026_x',
    ])
      expect(renamed(name)).toBeUndefined();
  });

  test('has stages, each of which is named anew for itself', () => {
    const stage = (name: string) => ({ name, folder: name, totalSteps: null });
    const before = {
      logs: { 'sft/trainer': 7, 'rl/trainer': 8 },
      step: null,
      stages: { sft: 20, rl: 5 },
    };
    const layout = { jobFolder: '/mnt/maths/first', stages: [stage('sft'), stage('rl')], before };
    const to = 'first/rl_20260314092653';
    const renamed = renamedJob(layout, [
      { from: 'other', to: 'other_20260314092653' },
      { from: 'first/rl', to },
    ]);
    expect(renamed).toEqual({
      jobFolder: '/mnt/maths/first',
      stages: [stage('sft'), { ...stage('rl'), folder: 'rl_20260314092653' }],
      before: { logs: { 'sft/trainer': 7 }, step: null, stages: { sft: 20, rl: null } },
    });
    expect(renamed && renamedJob(renamed, [{ from: 'first/rl', to }])).toBeUndefined();
    expect(renamedJob(layout, [{ from: 'first/rl', to: 'first/rl_1/../../..' }])).toBeUndefined();
  });

  test('has what upstream puts there', () => {
    for (const name of ['global_step_12', 'log', 'explorer_meta.json'])
      expect(isUpstreamEntry(name)).toBe(true);
    for (const name of ['.ssh', 'id_rsa', 'logs', 'global_step_x', 'passwd'])
      expect(isUpstreamEntry(name)).toBe(false);
    const inStages = (inside: string): boolean => isUpstreamEntry(inside, ['sft', 'a/rl']);
    for (const inside of ['sft', 'sft/log/x', 'a', 'a/rl', 'a/rl/global_step_1/y', 'stage_meta.json'])
      expect(inStages(inside)).toBe(true);
    for (const inside of ['sftx', 'sft/.ssh', 'a/b', 'a/rl/passwd', 'a/log', 'rl'])
      expect(inStages(inside)).toBe(false);
  });
});
