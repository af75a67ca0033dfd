import { describe, expect, it } from 'vitest';
import { startedRun as runArguments } from '../../command/commandLines.ts';

describe('the arguments of a run on a host', () => {
  it('are ours, and the launcher’s with their values', () => {
    const asked = runArguments([
      '--conf=a.yaml',
      '--with-ray',
      ...['--exp-dir', 'out', '--gpus', '2', '--prefix=p', '--env', 'KEY', '--env=OTHER'],
      ...['--limit', '1.5g'],
      ...['--kill', 'python', '--backbone', 'verl', '--plugin-dir', 'plugins', '--with-appworld'],
      ...['--', '--unheard-of', '--json'],
    ]);
    expect(asked).toMatchObject({
      conf: 'a.yaml',
      gpus: 2,
      limit: 1.5e9,
      env: ['KEY', 'OTHER'],
      backbone: 'verl',
    });
    expect(runArguments(['--conf', 'a', '--limit', '1GiB']).limit).toBe(1024 ** 3);
    expect(asked.flags).toEqual([
      ...['--with-ray', '--exp-dir', 'out', '--prefix=p', '--kill', 'python'],
      ...['--plugin-dir', 'plugins', '--with-appworld', '--unheard-of', '--json'],
    ]);
  });

  it.each([
    [[], '--conf is missing'],
    [['--backbone', 'verl', '--with-ray'], '--conf is missing'],
    [['--backbone', 'verl', '--', '--conf', 'a.yaml'], '--conf is missing'],
    [['--config', 'a.yaml'], '--conf is missing'],
    [['--backbone', 'verl', '--kill', 'ray'], 'A run on a host does not take `--kill` of `ajet`'],
    [['--with-ray', '--kill=ray'], 'A run on a host does not take `--kill` of `ajet`'],
    [['--autokill'], 'A run on a host does not take `--autokill` of `ajet`'],
    [['--dlc'], 'A run on a host does not take `--dlc` of `trinity`'],
    [['--launcher', 'trinity', '--kill', 'ray'], '--conf is missing'],
    [['a.yaml'], 'Unexpected argument "a.yaml".'],
    [['--conf'], '--conf <file> needs a value.'],
    [['--conf', 'a', '--backbone', 'debug'], '--backbone has no value debug'],
    [['--conf', 'a', '--launcher', 'sh'], '--launcher has no value sh'],
    [['--conf', 'a', '--gpus', '-1'], '--gpus'],
    [['--conf', 'a', '--limit', '4'], '--limit must be a size'],
    [['--conf', 'a', '--limit', '0G'], '--limit must be a size'],
  ])('that are wrong are told: %j', (argv, message) => {
    expect(() => runArguments(argv)).toThrow(message);
  });
});
