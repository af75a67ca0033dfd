import { describe, expect, it } from 'vitest';
import { sshStartOf, sshStartWords } from '../../../../src/training/node/client/sshStart.ts';

describe('what a host that ssh gets to is started with', () => {
  it('is read from one line, and written again', () => {
    const start = sshStartOf(
      ` --launcher 'ajet=/opt/my venv/ajet' --launcher=trinity=/b --gpus 8 --ray "http://head:8265"`,
    );
    expect(start).toEqual({
      launchers: { ajet: '/opt/my venv/ajet', trinity: '/b' },
      gpus: 8,
      ray: 'http://head:8265',
    });
    const words = ['--launcher', 'ajet=/opt/my venv/ajet', '--launcher', 'trinity=/b'];
    expect(sshStartWords(start)).toEqual([...words, '--gpus', '8', '--ray', 'http://head:8265']);
    expect(sshStartOf('')).toEqual({ launchers: {}, gpus: null, ray: null });
  });

  it.each([
    ['--gpus all', '--gpus must be a whole number'],
    ['--launcher ajet=relative', '--launcher ajet=relative is not NAME=PATH'],
    ['--launcher sh=/bin/sh', '--launcher has no value sh'],
    ['--ray head', '--ray head is not the address of a Ray dashboard'],
    ['--data /tmp', 'Unknown option --data.'],
    ['8', 'Unexpected argument "8".'],
    ["--launcher 'ajet=/a", 'A quote is not closed'],
  ])('that is wrong is told: %s', (line, message) => {
    expect(() => sshStartOf(line)).toThrow(message);
  });
});
