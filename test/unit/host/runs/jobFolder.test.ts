import { describe, expect, test } from 'vitest';
import { isUpstreams, jobPlace, renamedJobFolder } from '../../../../src/node/host/runs/jobFolder.ts';

const bounds = { dataFolder: '/home/ann/.agentjet/host', home: '/home/ann' };
const [run, other] = ['20260101-120000-abcdef', '20260101-120000-fedcba'];
const inRun = (id: string, name: string): string => `${bounds.dataFolder}/runs/${id}/${name}`;
const kind = (folder: string, runs = [run]): string => jobPlace(folder, runs, bounds).kind;

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
    const renamed = (name: string): string | undefined => renamedJobFolder('/mnt/maths/first', name);
    expect(renamed('first_20260314092653')).toBe('/mnt/maths/first_20260314092653');
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

  test('has what upstream puts there', () => {
    for (const name of ['global_step_12', 'log', 'explorer_meta.json']) expect(isUpstreams(name)).toBe(true);
    for (const name of ['.ssh', 'id_rsa', 'logs', 'global_step_x', 'passwd'])
      expect(isUpstreams(name)).toBe(false);
  });
});
