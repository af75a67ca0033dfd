import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  planLaunch,
  planRayJob,
  rayVariables,
  type LaunchSite,
} from '../../../../../src/training/core/launch/plan.ts';
import { shellCommand } from '../../../../../src/training/core/launch/shellWords.ts';
import { fuzz } from '../../../fuzz.ts';
import { ajetConfig, orderOf, trainingOf, trinityConfig } from './orders.ts';

const site: LaunchSite = {
  launchers: {
    ajet: { command: '/opt/python', args: ['-m', 'ajet.launcher'] },
    trinity: { command: '/opt/trinity', args: [] },
  },
  devices: [2, 3],
  hostVariables: new Set(),
};
const training = await trainingOf(ajetConfig);
const native = await trainingOf(trinityConfig);

describe('what is started', () => {
  test('AgentJet: config, backbone and devices, each an argument of its own', () => {
    const order = orderOf({ flags: ['--with-ray'], env: { HF_HOME: '/hub' } });
    expect(planLaunch(order, training, site)).toEqual({
      program: 'ajet',
      command: '/opt/python',
      args: [
        ...['-m', 'ajet.launcher', '--conf', './conf/exp.yaml', '--backbone', 'trinity'],
        ...['--skip-check-avail-gpu', '--with-ray'],
      ],
      env: {
        ...{ PYTHONUNBUFFERED: '1', RAY_DEDUP_LOGS: '0', HF_HOME: '/hub' },
        ...{ CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_VISIBLE_DEVICES: '2,3' },
      },
      totalSteps: null,
    });
  });

  test('Trinity: its own command; a run without GPUs sees none', () => {
    const plan = planLaunch(orderOf({ launcher: 'trinity' }), native, { ...site, devices: [] });
    expect([plan.command, ...plan.args]).toEqual(['/opt/trinity', 'run', '--config', './conf/exp.yaml']);
    expect(plan.totalSteps).toBe(120);
    expect(plan.env['CUDA_VISIBLE_DEVICES']).toBe('');
  });

  test('a bare name is given a folder, and never becomes an option', () => {
    for (const config of ['exp.yaml', '--autokill.yaml', '$(reboot);.yaml', 'a \'b\' "c".yaml']) {
      expect(planLaunch(orderOf({ config }), training, site).args).toContain(`./${config}`);
    }
  });

  test.each(['../exp.yaml', 'a/../../exp.yaml', '/etc/exp.yaml', '~/exp.yaml', 'exp.json', 'a\0.yaml'])(
    'the config %j is refused',
    (config) => {
      expect(() => planLaunch(orderOf({ config }), training, site)).toThrow(/Cannot start the config/);
    },
  );

  test('a launcher that the owner did not list is not started', () => {
    expect(() => planLaunch(orderOf(), training, { ...site, launchers: {} })).toThrow(
      /does not start `ajet`/,
    );
  });

  test('Trinity does not train with verl', () => {
    const order = orderOf({ launcher: 'trinity', backbone: 'verl' });
    expect(() => planLaunch(order, native, site)).toThrow(/does not support the backbone verl/);
  });

  test.each(['../../etc', '/etc', 'a/../..'])('the name %s would put the job elsewhere', async (name) => {
    const escaping = await trainingOf(ajetConfig.replace('first', JSON.stringify(name)));
    expect(() => planLaunch(orderOf(), escaping, site)).toThrow(/leads out of the checkpoint folder/);
  });

  const kept = ['CUDA_VISIBLE_DEVICES', 'CUDA_DEVICE_ORDER', 'APPWORLD_SCRIPT', 'AGENTJET_RUN'];
  test.each(['PATH', 'LD_PRELOAD', ...kept])('a run cannot set %s', (name) => {
    expect(() => planLaunch(orderOf({ env: { [name]: 'x' } }), training, site)).toThrow(name);
  });
});

describe('flags', () => {
  const args = (...flags: string[]): readonly string[] => planLaunch(orderOf({ flags }), training, site).args;

  test.each([
    '--autokill',
    '--kill',
    '--debug',
    '--db',
    '--with-ray-cluster',
    '--with-logview',
    '--conf',
    '--backbone',
  ])('%s is refused by its name, with a value as well', (flag) => {
    expect(() => args(flag)).toThrow(`The flag \`${flag}\` of`);
    expect(() => args(`${flag}=x`)).toThrow(`The flag \`${flag}\` of`);
  });

  test('an abbreviation, which upstream would complete, is unknown here', () => {
    expect(() => args('--auto')).toThrow(/no flag "--auto"/);
    expect(() => args('conf/other.yaml')).toThrow(/no flag/);
    expect(() => args('__proto__')).toThrow(/no flag/);
  });

  test('a value stays with its flag', () => {
    expect(args('--exp-dir', '--autokill')).toContain('--exp-dir=--autokill');
    expect(args('--prefix=a-1')).toContain('--prefix=a-1');
    expect(() => args('--prefix', 'a;b')).toThrow(/needs up to 64 letters/);
    expect(() => args('--exp-dir', '../..')).toThrow(/inside the run/);
    expect(() => args('--exp-dir')).toThrow(/inside the run/);
    expect(() => args('--with-ray=1')).toThrow(/no value/);
    expect(() => args('--prefix=a', '--prefix=b')).toThrow(/appear only once/);
  });

  test('a service is started only as the owner of the host has set it', () => {
    expect(() => args('--with-appworld')).toThrow(/APPWORLD_PATH and APPWORLD_SCRIPT/);
    const hostVariables = new Set(['APPWORLD_PATH', 'APPWORLD_SCRIPT']);
    const order = orderOf({ flags: ['--with-appworld'] });
    expect(planLaunch(order, training, { ...site, hostVariables }).args).toContain('--with-appworld');
  });

  test('whatever the flags are, no argument comes through that was not let through', () => {
    const word = fc.oneof(
      fc.constantFrom(
        '--with-ray',
        '--exp-dir',
        '--prefix',
        '--autokill',
        '--kill=x',
        '--reboot',
        '-c',
        '--',
      ),
      fc.string({ unit: 'binary' }),
    );
    const taken = /^(?:--with-ray|--reboot|--skip-check-avail-gpu|--exp-dir=[^]+|--prefix=[\w-]+)$/;
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (flags) => {
        let added: readonly string[];
        try {
          added = args(...flags).slice(7);
        } catch {
          return true;
        }
        return added.every((arg) => taken.test(arg) && !arg.includes('\0'));
      }),
      fuzz(81, 20_000),
    );
  });
});

describe('a Ray entrypoint', () => {
  test('names the program that the format of the config asks for', () => {
    const order = orderOf({ launcher: 'ray', config: "my $(x) 'y'.yaml" });
    expect(planRayJob(order, native).entrypoint).toBe(`trinity run --config './my $(x) '\\''y'\\''.yaml'`);
    expect(planRayJob(order, training).entrypoint).toMatch(/^ajet --conf /);
    expect(planRayJob(order, training).env).not.toHaveProperty('CUDA_VISIBLE_DEVICES');
  });

  test('a cluster is not asked to start another Ray, and that is told', () => {
    const order = orderOf({ launcher: 'ray', flags: ['--with-ray'] });
    expect(() => planRayJob(order, training)).toThrow(
      'The flag `--with-ray` of `ajet` is not allowed on a host: the job runs on a cluster, where Ray is already running',
    );
  });

  test('a shell reads back exactly the words that were quoted', () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        '$(touch x)',
        '`id`',
        ';',
        '&&',
        "'",
        '"',
        '\\',
        '\n',
        '-rf',
        '~',
        '*',
        '{a,b}',
        'A=b',
        '',
        '#',
        '!',
      ),
      fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
    );
    const words = fc.sample(fc.array(hostile, { minLength: 1, maxLength: 6 }), { seed: 7, numRuns: 60 });
    const script = words.map((list) => `printf '%s\\0' ${shellCommand(list)}; printf '\\1'`).join('\n');
    const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    const read = stdout.split('\u0001').slice(0, -1);
    expect(read.map((list) => list.split('\0').slice(0, -1))).toEqual(words);
  });

  test('a Ray that is running gets the variables of a run, which a Ray of the run has', () => {
    const order = orderOf({ launcher: 'trinity', env: { HF_HOME: '/hub', TINKER_BASE_URL: 'http://one' } });
    const host = { TINKER_API_KEY: 'tml-host', HF_HOME: '/other' };
    expect(rayVariables(order, native, host, [])).toEqual({
      RAY_JOB_CONFIG_JSON_ENV_VAR: JSON.stringify({
        runtime_env: { env_vars: { HF_HOME: '/hub', TINKER_BASE_URL: 'http://one' } },
      }),
      RAY_OVERRIDE_JOB_RUNTIME_ENV: '1',
    });
    const all = ['HF_HOME=/hub', 'TINKER_BASE_URL=http://one'];
    expect(rayVariables(order, native, host, all)).toEqual({});
    expect(rayVariables({ ...order, flags: ['--with-ray'] }, native, host, [])).toEqual({});
    expect(rayVariables({ ...order, backbone: 'verl' }, native, host, [])).toEqual({});
  });
});
