import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { neverCancelled, type CancellationToken } from '../../../../../src/base/core/cancellation.ts';
import { gpusOf, rayHere } from '../../../../../src/training/node/host/launch/launchers.ts';
import {
  HostLaunch,
  type HostLaunchOptions,
} from '../../../../../src/training/node/host/launch/hostLaunch.ts';
import type { RunOrder } from '../../../../../src/training/core/protocol/runs.ts';
import { FakeClock } from '../../../fakeClock.ts';
import { ajetConfig, orderOf, trinityConfig } from '../../client/launch/orders.ts';

const run = '20260101-120000-abcdef';
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-launch-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function script(name: string, lines: readonly string[]): Promise<string> {
  const file = path.join(folder, 'bin', name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, ['#!/bin/sh', ...lines, ''].join('\n'));
  await chmod(file, 0o755);
  return file;
}

/** An interpreter that gives the answer of one with these packages. */
async function python(answer: object): Promise<string> {
  return script('python3', [`echo '${JSON.stringify(answer)}'`]);
}

const packages = {
  ...{ agentjet: '1.0', 'trinity-rft': '0.4.0', verl: '0.5.0', ray: '2.60.0', vllm: '0.11' },
  ...{ torch: '2.8', swanlab: null, wandb: null },
};

function launch(options: Partial<HostLaunchOptions> = {}): HostLaunch {
  const env = { PATH: path.join(folder, 'bin') };
  return new HostLaunch({ env, count: 4, dataFolder: folder, clock: new FakeClock(), ...options });
}

async function snapshot(config: string, name = 'exp.yaml'): Promise<string> {
  const work = path.join(folder, 'run', 'work');
  await mkdir(path.join(work, 'conf'), { recursive: true });
  await writeFile(path.join(work, 'conf', name), config);
  return work;
}

describe('GPUs', () => {
  test('as nvidia-smi tells them, asked for the fields that are read', async () => {
    const nvidiaSmi = await script('nvidia-smi', [
      'test "$1" = "--query-gpu=index,name,memory.total,memory.used,utilization.gpu" || exit 1',
      'test "$2" = "--format=csv,noheader,nounits" || exit 1',
      'echo "0, NVIDIA A100-SXM4-80GB, 81920, 1024, 37"',
    ]);
    const gpu = { index: 0, name: 'NVIDIA A100-SXM4-80GB', memory: 81920, used: 1024, load: 37 };
    expect(await gpusOf({ nvidiaSmi })).toEqual([gpu]);
    expect(await gpusOf({ nvidiaSmi, count: 2 })).toHaveLength(2);
  });

  test('none where there is no driver, and unknown where it fails', async () => {
    const told = async (line: string) => gpusOf({ nvidiaSmi: await script('nvidia-smi', [line]) });
    expect(await gpusOf({ nvidiaSmi: path.join(folder, 'absent') })).toEqual([]);
    expect(await told('echo "No devices were found"; exit 6')).toEqual([]);
    expect(await told('echo "0, X, 1, 1, 1"; exit 9')).toBeNull();
    expect(await told('kill -9 $$')).toBeNull();
  });
});

describe('launchers', () => {
  test('on PATH, asked in the Python that their first line names', async () => {
    const interpreter = await python({ version: [3, 11, 2], packages });
    const trinity = path.join(folder, 'bin', 'trinity');
    await writeFile(trinity, `#!${interpreter}\nimport sys\n`, { mode: 0o755 });
    expect(await launch().launchers()).toEqual([
      { name: 'ajet', version: null, problem: '`ajet` is not installed on this host.' },
      { name: 'trinity', version: '0.4.0', problem: null, releases: { trinity: '0.4.0' } },
    ]);
  });

  test('name the release of AgentJet by the keys of its defaults', async () => {
    const ajet = path.join(folder, 'site', 'ajet');
    await python({ version: [3, 11, 2], packages, ajet });
    const release = async (): Promise<unknown> => (await launch().launchers())[0]?.releases?.ajet;
    expect(await release()).toBeUndefined();
    await mkdir(path.join(ajet, 'default_config'), { recursive: true });
    await writeFile(path.join(ajet, 'default_config/ajet_default.yaml'), 'ajet: {lora: {}}');
    expect(await release()).toBe('May 2026');
  });

  test('a Python that has AgentJet and no console script', async () => {
    await python({ version: [3, 11, 2], packages, ajet: path.join(folder, 'site', 'ajet') });
    const host = launch();
    const work = await snapshot(ajetConfig);
    const plan = await host.prepare({ run, order: orderOf(), folder: work, devices: [1] });
    expect(plan.command).toBe(path.join(folder, 'bin', 'python3'));
    expect(plan.args.slice(0, 4)).toEqual(['-m', 'ajet.launcher', '--conf', './conf/exp.yaml']);
    expect(plan.jobFolder).toBe(path.join(work, 'checkpoints/maths/first'));
    // The default configs, which the launcher looks for below its working folder.
    expect(await readlink(path.join(work, 'ajet'))).toBe(path.join(folder, 'site', 'ajet'));
  });

  test('the real Python of this machine answers', async () => {
    const real = process.env['PATH'] ?? '';
    const found = await launch({
      env: { PATH: real },
      launchers: { ajet: { command: 'python3', args: ['-m', 'ajet.launcher'] } },
    }).preflight(orderOf({ gpus: 4 }), ajetConfig);
    expect(found.find(({ id }) => id === 'packages-missing')?.message).toMatch(
      /Packages are missing .*torch/,
    );
  });

  test('what the owner did not list and PATH has not is not started', async () => {
    const work = await snapshot(trinityConfig);
    const order = orderOf({ launcher: 'trinity' });
    await expect(launch().prepare({ run, order, folder: work, devices: [] })).rejects.toThrow(
      /not installed/,
    );
    const ray = orderOf({ launcher: 'ray' });
    await expect(launch().prepare({ run, order: ray, folder: work, devices: [] })).rejects.toThrow(
      /without `--ray`/,
    );
  });
});

describe('preflight', () => {
  test('tells of what is missing here, and of an order that would be refused', async () => {
    const order = orderOf({ launcher: 'trinity', flags: ['--dlc'] });
    const missing = trinityConfig.replace('/models/qwen', `${folder}/models`);
    const ids = (await launch().preflight(order, missing)).map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining(['refused', 'launcher-missing', 'model-missing', 'data-missing']),
    );
  });

  test("does not tell what the host's variables are worth", async () => {
    const env = { PATH: '', DATABASE: '/secret/word/in/here' };
    const config = trinityConfig.replace('/models/qwen/3b/instruct', '/x/y/z/${oc.env:DATABASE}');
    const found = await launch({ env }).preflight(orderOf({ launcher: 'trinity' }), config);
    expect(JSON.stringify(found)).toContain('/x/y/z/***');
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  test("does not take the host's variables and places for those of a cluster", async () => {
    const env = { PATH: '', SWANLAB_API_KEY: 'key', PLACE: '/tmp' };
    const config = trinityConfig
      .replace('tensorboard', 'swanlab')
      .replace('/big/checkpoints', '${oc.env:PLACE}/checkpoints');
    const told = async (order: Partial<RunOrder>): Promise<string[]> => {
      const found = await launch({ env }).preflight(orderOf({ gpus: 0, ...order }), config);
      const about = /^(?:variable|config|model|data)/;
      return found.filter(({ id }) => about.test(id)).map(({ severity, id }) => `${severity} ${id}`);
    };
    expect(await told({ launcher: 'trinity' })).toEqual(['error model-missing', 'error data-missing']);
    const places = ['info model-missing', 'info data-missing'];
    expect(await told({ launcher: 'ray' })).toEqual([
      ...['warning config/environment-missing', 'warning variable-missing'],
      ...places,
    ]);
    const sent = { SWANLAB_API_KEY: 'key', PLACE: '/shared' };
    expect(await told({ launcher: 'ray', env: sent })).toEqual(places);
  });

  test.each([
    ['/', null],
    ['./checkpoints', null],
    ['../results', 'it is in the data folder of the host, outside the code of the run'],
    ['DATA/contents', 'it is in the data folder of the host, outside the code of the run'],
    ['DATA/..', null],
    ['HOME', null],
  ])('tells whether a run may have its folder below %s', async (root, problem) => {
    const place = root.replace('DATA', folder).replace('HOME', '/home/ann');
    const config = trinityConfig.replace('/big/checkpoints', place);
    const order = orderOf({ launcher: 'trinity' });
    const host = launch({ home: '/home/ann' });
    const found = await host.preflight(order, config);
    const told = found.filter(({ id }) => id === 'job-folder').map(({ key, message }) => [key, message]);
    const message = `Checkpoints are not allowed below ${place}: ${problem ?? ''}.`;
    expect(told).toEqual(problem === null ? [] : [['checkpoint_root_dir', message]]);
    // What goes on in an earlier run's folder does not go by the config.
    const from = { run, step: 1, as: 'resume' } as const;
    const resumed = await host.preflight({ ...order, from }, config);
    expect(resumed.some(({ id }) => id === 'job-folder')).toBe(false);
  });

  test.each([
    ['/', 'it is a system folder'],
    ['/home', 'it contains the home folder of the host'],
  ])('tells it of a name of its own below %s', async (root, problem) => {
    const config = trinityConfig
      .replace('/big/checkpoints', root)
      .replace(/project: .*\ngroup: .*\nname: .*/, "project: ''\nname: ann");
    const order = orderOf({ launcher: 'trinity' });
    const found = await launch({ home: '/home/ann' }).preflight(order, config);
    const { message } = found.find(({ id }) => id === 'job-folder') ?? {};
    expect(message).toBe(`Checkpoints are not allowed below ${root}: ${problem}.`);
  });

  test('a broken config and a hostile path are findings, no failures', async () => {
    const found = await launch().preflight(orderOf({ config: '../../etc/passwd' }), 'ajet: [');
    expect(found.some(({ severity }) => severity === 'error')).toBe(true);
  });
});

function tinkerConfig(url = 'http://127.0.0.1:9'): string {
  const tinker = `  tinker: {enable: true, base_url: '${url}'}\n`;
  return trinityConfig.replace('model:\n', `model:\n${tinker}`);
}

describe('a Tinker server', () => {
  const about = /^(?:tinker|variable)/;

  async function told(
    config: string,
    env: NodeJS.ProcessEnv,
    order: Partial<RunOrder> = {},
  ): Promise<string[]> {
    const found = await launch({ env: { PATH: '', ...env } }).preflight(
      orderOf({ launcher: 'trinity', gpus: 0, ...order }),
      config,
    );
    return found.filter(({ id }) => about.test(id)).map(({ id, key, message }) => `${id} ${key}: ${message}`);
  }

  test('is asked for its models with the key of the run alone', async () => {
    const keys: unknown[] = [];
    const server = createHttpServer(({ url = '', headers }, response) => {
      keys.push(headers['x-api-key']);
      const answers: Readonly<Record<string, object>> = {
        '/openapi.json': { info: { title: 'TuFT' }, paths: {} },
        '/api/v1/client/config': {},
        '/api/v1/get_server_capabilities': { supported_models: [{ model_name: 'one' }] },
      };
      response.writeHead(url in answers ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answers[url] ?? {}));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const config = tinkerConfig(`http://127.0.0.1:${port}`);
    // No command of a client runs before its run starts.
    const ran = path.join(folder, 'ran');
    const env = { TINKER_API_KEY: 'tml-sent', TINKER_CREDENTIAL_CMD: `touch ${ran}` };
    const missing =
      'tinker-model model.model_path: The Tinker server does not have the model `/models/qwen/3b/instruct`.';
    expect(await told(config, { TINKER_API_KEY: 'tml-host' }, { env })).toEqual([missing]);
    expect(keys).toContain('tml-sent');
    expect(keys).not.toContain('tml-host');
    await expect(readFile(ran)).rejects.toThrow('ENOENT');
    const fits = config.replace('/models/qwen/3b/instruct', 'one');
    expect(await told(fits, { TINKER_API_KEY: 'tml-host' })).toEqual([]);
    expect(await told(fits, {})).toEqual([
      expect.stringMatching(/^variable-missing model\.tinker\.enable: /),
    ]);
  });

  test('that does not answer is named with its address, wherever that is set', async () => {
    const key = { TINKER_API_KEY: 'tml-one' };
    const silent = 'The Tinker server at http://127.0.0.1:9 does not answer: ';
    expect(await told(tinkerConfig(), key)).toEqual([
      expect.stringContaining(`tinker-server model.tinker.base_url: ${silent}`),
    ]);
    const unset = tinkerConfig().replace(", base_url: 'http://127.0.0.1:9'", '');
    expect(await told(unset, { ...key, TINKER_BASE_URL: 'http://127.0.0.1:9' })).toEqual([
      expect.stringContaining(silent),
    ]);
    const elsewhere = tinkerConfig('${oc.env:TINKER_BASE_URL}');
    expect(await told(elsewhere, { ...key, TINKER_BASE_URL: 'http://127.0.0.1:9' })).toEqual([
      expect.stringContaining(silent),
    ]);
  });
});

describe('a run is prepared', () => {
  const order = orderOf({ launcher: 'trinity' });
  const launchers = { trinity: { command: '/bin/true', args: [] } };

  test('as its config says, which is left as it was', async () => {
    const work = await snapshot(trinityConfig);
    await mkdir(path.join(work, 'agentjet_bridge'));
    const named = { workflow: { file: 'workflow.ts', name: 'Maths' }, judge: null };
    await writeFile(path.join(work, 'agentjet_bridge/named.json'), JSON.stringify(named));
    const plan = await launch({ launchers }).prepare({ run, order, folder: work, devices: [0, 1] });
    expect(plan).toMatchObject({
      command: '/bin/true',
      totalSteps: 120,
      jobFolder: '/big/checkpoints/maths/small/first',
    });
    expect(plan.env['CUDA_VISIBLE_DEVICES']).toBe('0,1');
    expect(plan.effectiveConfig).toContain('\n# workflow workflow.ts->Maths, through the bridge\n');
    expect(plan.effectiveConfig).toMatch(/^ {2}total_steps: 120 +# conf\/exp\.yaml:16$/m);
    expect(await readFile(path.join(work, 'conf/exp.yaml'), 'utf8')).toBe(trinityConfig);
  });

  test('with absolute paths of data and plug-ins that were sent, which the processes of Ray find', async () => {
    const config = trinityConfig.replace('/data/tasks', 'tasks/train # sent');
    const work = await snapshot(config);
    const withPlugins = { ...order, flags: ['--plugin-dir', 'plugins'] };
    const prepare = () =>
      launch({ launchers }).prepare({ run, order: withPlugins, folder: work, devices: [] });
    expect((await prepare()).args.at(-1)).toBe(`--plugin-dir=${work}/plugins`);
    expect(await readFile(path.join(work, 'conf/exp.yaml'), 'utf8')).toBe(config);
    await mkdir(path.join(work, 'tasks/train'), { recursive: true });
    expect((await prepare()).effectiveConfig).toMatch(/path: .*\/tasks\/train +# set by the host$/m);
    expect(await readFile(path.join(work, 'conf/exp.yaml'), 'utf8')).toBe(
      config.replace('tasks/train', path.join(work, 'tasks/train')),
    );
  });

  test('a fork gets a copy of the step, and the content that the config shares is not written to', async () => {
    const earlier = path.join(folder, 'big', 'maths', 'small', 'first');
    await mkdir(path.join(earlier, 'global_step_10', 'actor'), { recursive: true });
    await writeFile(path.join(earlier, 'global_step_10', 'actor', 'model.pt'), 'weights');
    await writeFile(path.join(earlier, 'latest_checkpointed_iteration.txt'), '20');
    const text = trinityConfig.replace('/big/checkpoints', path.join(folder, 'big'));
    const work = await snapshot(text);
    const from = { run: '20251231-120000-abcdef', step: 10, as: 'fork' as const };
    const prepare = (into: string) =>
      launch({ launchers }).prepare({
        ...{ run, folder: into, devices: [] },
        order: { ...order, from },
        from: { jobFolder: earlier },
      });
    const plan = await prepare(work);
    expect(plan.effectiveConfig).toMatch(new RegExp(`^name: first_${run} +# set by the host$`, 'm'));
    const forked = path.join(folder, 'big', 'maths', 'small', `first_${run}`);
    expect(plan.jobFolder).toBe(forked);
    expect(await readdir(forked)).toEqual(['global_step_10', 'latest_checkpointed_iteration.txt']);
    expect(await readFile(path.join(forked, 'global_step_10/actor/model.pt'), 'utf8')).toBe('weights');
    expect(await readFile(path.join(forked, 'latest_checkpointed_iteration.txt'), 'utf8')).toBe('10');
    expect(await readFile(path.join(work, 'conf/exp.yaml'), 'utf8')).toContain(`name: first_${run}`);
    expect(await readdir(path.join(folder, 'big', 'maths', 'small'))).toHaveLength(2);
    // A host that was killed right after it begins anew, with the code as it was sent.
    await rm(work, { recursive: true });
    await rm(earlier, { recursive: true });
    expect(await prepare(await snapshot(text))).toEqual(plan);
    expect(await readdir(path.join(forked, 'global_step_10', 'actor'))).toEqual(['model.pt']);
  });

  test('a fork of a step that is gone leaves nothing behind', async () => {
    const text = trinityConfig.replace('/big/checkpoints', path.join(folder, 'big'));
    const work = await snapshot(text);
    const from = { run: '20251231-120000-abcdef', step: 10, as: 'fork' as const };
    const prepared = launch({ launchers }).prepare({
      ...{ run, folder: work, devices: [] },
      order: { ...order, from },
      from: { jobFolder: path.join(folder, 'gone') },
    });
    await expect(prepared).rejects.toThrow(/global_step_10 no longer exists/);
    expect(await readdir(path.join(folder, 'big', 'maths', 'small'))).toEqual([]);
    expect(await readFile(path.join(work, 'conf/exp.yaml'), 'utf8')).toBe(text);
  });

  test.each([
    // Sockets cannot be copied.
    ['fails half-way', () => false, { code: 'ERR_FS_CP_SOCKET' }],
    ['is cancelled half-way', (asked: number) => asked > 1, { code: 'sync/cancelled' }],
  ])('a fork that %s leaves nothing behind', async (_, isCancelled, expected) => {
    const jobs = path.join(folder, 'big', 'maths', 'small');
    const step = path.join(jobs, 'first', 'global_step_10');
    await mkdir(step, { recursive: true });
    await writeFile(path.join(step, 'a.pt'), 'weights');
    const server = createServer().listen(path.join(step, 'b.sock'));
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    let asked = 0;
    const cancellation: CancellationToken = {
      get isCancelled() {
        asked += 1;
        return isCancelled(asked);
      },
      onCancelled: (listener) => neverCancelled.onCancelled(listener),
    };
    const work = await snapshot(trinityConfig.replace('/big/checkpoints', path.join(folder, 'big')));
    const from = { run: '20251231-120000-abcdef', step: 10, as: 'fork' as const };
    const request = { run, folder: work, devices: [], order: { ...order, from } };
    const source = { jobFolder: path.join(jobs, 'first') };
    const prepared = launch({ launchers }).prepare({ ...request, from: source }, cancellation);
    await expect(prepared).rejects.toMatchObject(expected);
    // The folder is there by then, and perhaps a file.
    expect(asked).toBeGreaterThan(1);
    expect(await readdir(jobs)).toEqual(['first']);
  });

  test('a config that was not sent is told by its path', async () => {
    const work = await snapshot(trinityConfig, 'other.yaml');
    const prepared = launch({ launchers }).prepare({ run, order, folder: work, devices: [] });
    await expect(prepared).rejects.toThrow(/conf\/exp.yaml/);
  });
});

test('Ray is there when it takes connections, whatever its note says', async () => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const note = path.join(folder, 'ray_current_cluster');
  await writeFile(note, `127.0.0.1:${port}`);
  expect(await rayHere({}, note)).toEqual({ running: true, why: '', run: null, environment: [] });
  await new Promise((closed) => server.close(closed));
  expect(await rayHere({}, note)).toEqual({
    running: false,
    why: `no program listens at 127.0.0.1:${port}`,
    run: null,
    environment: [],
  });
  expect(await rayHere({}, path.join(folder, 'none'))).toMatchObject({ running: false });
});

test.skipIf(process.platform !== 'linux')("a Ray that a run has started is that run's", async () => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  const head = spawn(
    process.execPath,
    ['-e', "console.log('here'); setInterval(() => {}, 1000)", '--', `--gcs_server_port=${port}`],
    {
      argv0: '/opt/ray/core/src/ray/gcs/gcs_server',
      env: { AGENTJET_RUN: run, HF_HOME: '/hub' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    await once(head.stdout, 'data');
    const note = path.join(folder, 'ray_current_cluster');
    await writeFile(note, `127.0.0.1:${port}`);
    const environment = expect.arrayContaining(['HF_HOME=/hub']) as string[];
    expect(await rayHere({}, note)).toEqual({ running: true, why: '', run, environment });
    expect(await rayHere({ RAY_ADDRESS: `127.0.0.1:${port}` }, note)).toMatchObject({ run: null });
    // The processes of Ray get the variables that it does not have itself.
    const work = await snapshot(tinkerConfig());
    const order = orderOf({ launcher: 'trinity', env: { HF_HOME: '/hub', MODE: 'fast' } });
    const env = { RAY_ADDRESS: `127.0.0.1:${port}`, TINKER_API_KEY: 'tml-one', OTHER: 'x' };
    const launchers = { trinity: { command: '/bin/true', args: [] } };
    const plan = await launch({ env, launchers }).prepare({ run, order, folder: work, devices: [] });
    expect(JSON.parse(plan.env['RAY_JOB_CONFIG_JSON_ENV_VAR'] ?? '')).toEqual({
      runtime_env: { env_vars: { TINKER_API_KEY: 'tml-one', MODE: 'fast' } },
    });
  } finally {
    head.kill('SIGKILL');
    server.close();
  }
});
