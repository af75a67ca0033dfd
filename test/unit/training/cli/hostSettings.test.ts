import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { settingsOptions } from '../../../../src/training/cli/host/hostOptions.ts';
import { hostSettings, settingArguments } from '../../../../src/training/cli/host/hostSettings.ts';
import { systemdUnit } from '../../../../src/training/cli/host/systemdUnit.ts';
import { parseOptions } from '../../../../src/base/node/terminal/commandLine.ts';

const place = { cwd: '/work', env: { AGENTJET_HOME: '/home/ann/.agentjet' } };
const read = (...argv: string[]) => hostSettings(parseOptions(argv, settingsOptions, 'agentjet host'), place);

describe('the settings of a host', () => {
  it('are loopback and the home folder where nothing is said', () => {
    expect(read()).toEqual({
      listen: { address: '127.0.0.1', port: 7788 },
      dataFolder: '/home/ann/.agentjet/host',
      gpus: undefined,
      ray: undefined,
      launchers: {},
      tls: undefined,
    });
  });

  it.each([
    [['--listen', '[::]:1', '--tls', '--gpus', '0']],
    [['--listen', 'gpu-box:443', '--tls-cert', 'c.pem', '--tls-key', 'k.pem', '--ray', 'http://head:8265']],
    [['--listen=8000', '--data', 'd', `--launcher=ajet=${process.execPath}`, `--launcher=trinity=/bin/sh`]],
  ])('are the same when a service is started with them: %j', (argv) => {
    const settings = read(...argv);
    expect(read(...settingArguments(settings))).toEqual(settings);
  });

  it.each([
    [['--listen', 'everywhere'], 'is not an address'],
    [['--listen', '127.0.0.1:99999'], 'is not an address'],
    [['--gpus', 'all'], '--gpus must be a whole number'],
    [['--ray', 'head:8265'], 'is not the address of a Ray dashboard'],
    [['--launcher', '/bin/sh'], 'is not NAME=PATH'],
    [['--launcher', 'sh=/bin/sh'], '--launcher has no value sh'],
    [['--launcher', 'ajet=nowhere'], 'does not name an executable'],
    [['--tls-cert', 'c.pem'], 'needs its key'],
    [['--tls', '--tls-cert', 'c.pem', '--tls-key', 'k.pem'], 'exclude each other'],
  ])('that are wrong are told: %j', (argv, message) => {
    expect(() => read(...argv)).toThrow(message);
  });
});

describe('the unit of systemd', () => {
  const unit = (scope: 'user' | 'system') =>
    systemdUnit({
      scope,
      command: ['/usr/bin/node', '/data/a b/host.cjs', '--listen', '0.0.0.0:7788', '--data', '/data/$x/100%'],
      dataFolder: '/data/a b',
      user: 'ann',
      env: { PATH: '/opt/venv/bin:/usr/bin', HF_HOME: '/data/"hf"' },
    });

  it('of a user', () => {
    expect(unit('user')).toMatchSnapshot();
  });

  it('of the machine', () => {
    expect(unit('system')).toMatchSnapshot();
  });
});
