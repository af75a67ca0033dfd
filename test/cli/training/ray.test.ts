/** Jobs on a real Ray cluster, and runs with the launcher `ray`, from the command line over the host's own process. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { followRayJob, handOver, type RayJobOptions } from '../../../src/training/node/host/ray/runRayJob.ts';
import { RayJobs } from '../../../src/training/node/host/ray/rayJobs.ts';
import type { RaySpec } from '../../../src/training/node/host/ray/raySpec.ts';
import type { RunEvent } from '../../../src/training/core/protocol/runs.ts';
import type { RayState } from '../../../src/training/core/launch/rayWatch.ts';
import { shellCommand } from '../../../src/training/core/launch/shellWords.ts';
import { isDeep } from '../../tools/deep.ts';
import { gpuMachine, writeLauncher, type GpuMachine, type RunningHost } from './gpuHost.ts';
import { startRay, type RayCluster } from './rayCluster.ts';
import { tryKill } from './sshServer.ts';

/** Ray takes seconds to start a job, and half a minute to stop one that does not end. */
const patience = 180_000;

let cluster: RayCluster | undefined;
let folder = '';
let programs = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-ray-'));
  await mkdir(path.join(folder, 'conf'));
  await writeFile(path.join(folder, 'conf', hostileName), printer);
  await writeFile(path.join(folder, 'tool.sh'), '#!/bin/sh\necho tool\n');
  await chmod(path.join(folder, 'tool.sh'), 0o755);
  await symlink('/etc', path.join(folder, 'outside'));
  programs = await mkdtemp(path.join(os.tmpdir(), 'agentjet-programs-'));
  await writeLauncher(path.join(programs, 'trinity'));
  const token = randomBytes(32).toString('hex');
  await writeFile(tokenFile(), `${token}\n`);
  cluster = await startRay('ray', { programs: [programs], token });
}, 300_000);
afterAll(async () => {
  await cluster?.end();
  for (const one of [folder, programs]) await rm(one, { recursive: true, force: true });
});

const tokenFile = (): string => path.join(programs, 'token');

function ray(): RayCluster {
  if (cluster === undefined) throw new Error('Ray was not started');
  return cluster;
}

function spec(id: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): RaySpec {
  return { head: ray().head, id, name: id, entrypoint: shellCommand(words), env, folder, handed: 'no' };
}

async function submit(job: RaySpec): Promise<void> {
  const output = { print: () => undefined, writeLine: () => undefined };
  const options = { jobs: ray().jobs, output, stop: new AbortController().signal };
  expect(await handOver(job, () => Promise.resolve(), options)).toBeUndefined();
}

/** Follows a job and gathers what is written; `onText` is told of all of it each time. */
async function follow(
  id: string,
  options: Partial<RayJobOptions> & { readonly onText?: (text: string) => void } = {},
): Promise<{ readonly state: RayState; readonly text: string }> {
  let text = '';
  const tell = (more: string): void => {
    text += more;
    options.onText?.(text);
  };
  let printed = 0;
  const print = (at: number, bytes: Buffer): void => {
    const rest = bytes.subarray(Math.max(0, printed - at));
    printed += rest.length;
    if (rest.length > 0) tell(rest.toString());
  };
  const stop = new AbortController().signal;
  const output = { print, writeLine: tell };
  const state = await followRayJob(id, { jobs: ray().jobs, stop, interval: 200, ...options, output });
  return { state, text };
}

const hostileName = `$(touch ran) 'x' "; touch ran; #.py`;
const printer = `import os, subprocess, sys
print(*map(ascii, sys.argv[1:]))
print(os.environ['TOLD'], *sorted(os.listdir('.')), flush=True)
subprocess.run(['./tool.sh'])
`;

async function rayHost(machine: GpuMachine, port = '0', token = tokenFile()): Promise<RunningHost> {
  machine.more = { RAY_AUTH_TOKEN_PATH: token };
  return machine.host(['--listen', `127.0.0.1:${port}`, '--ray', ray().head]);
}

/** Starts a run and follows it until it has printed `ready`. */
async function ready(machine: GpuMachine, more: readonly string[] = []) {
  const command = machine.start([
    'remote',
    'run',
    '--conf',
    'train.yaml',
    '--launcher',
    'ray',
    '--force',
    '--follow',
    ...more,
  ]);
  const [, run = ''] = await command.wrote(/^(\d{8}-\d{6}-[0-9a-f]{6})$/m);
  machine.runs.add(run);
  await command.wrote(/^ready$/m);
  return { command, run };
}

/** All that the host tells of a run that has ended. */
async function eventsOf(machine: GpuMachine, run: string): Promise<readonly RunEvent[]> {
  const { stdout } = await machine.remote(['logs', run, '--source', 'all', '--json']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent);
}

type ProcessNote = 'keeper.json' | 'process.json';

/** The process that a note in a run's folder names, or nothing if the note is not there. */
async function noted(machine: GpuMachine, run: string, name: ProcessNote) {
  const file = machine.folder.path(`data/runs/${run}/${name}`);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : { file, note: JSON.parse(text) as { readonly pid: number } };
}

/** Kills processes that a run's folder names. `changes` are changes to their notes. */
async function killed(
  machine: GpuMachine,
  run: string,
  names: readonly ProcessNote[],
  changes: object = {},
): Promise<void> {
  for (const name of names) {
    const one = await noted(machine, run, name);
    if (one === undefined) throw new Error(`${name} is missing.`);
    tryKill(one.note.pid);
    await writeFile(one.file, JSON.stringify({ ...one.note, ...changes }));
  }
}

const linux = process.platform === 'linux';

describe.skipIf(!linux).concurrent('a job on a real Ray cluster', { timeout: patience }, () => {
  test('has the words, variables and files that it was given, and nothing is run of them', async () => {
    const words = ['python', `./conf/${hostileName}`, '-rf', '', 'ü\n`id`', '$HOME', "'"];
    await submit(spec('words', words, { TOLD: 'a "b" $c' }));
    const { state, text } = await follow('words');
    expect(state).toEqual({ kind: 'succeeded' });
    expect(text).toContain(`'-rf' '' '\\xfc\\n\`id\`' '$HOME' "'"\n`);
    // Neither `ran`, by a name that was run, nor `outside`, a link that leads out.
    expect(text).toContain('a "b" $c conf tool.sh\ntool\n');
  });

  if (isDeep) {
    test('that fails tells so, with its exit code and its last line', async () => {
      await submit(spec('fails', ['sh', '-c', 'echo out of luck; exit 3']));
      const { state, text } = await follow('fails');
      expect(state).toMatchObject({ kind: 'failed', exitCode: 3 });
      expect(text).toMatch(/^out of luck$/m);
    });
  }

  if (isDeep) {
    test('is found again by its id, each line told once, and is stopped', async () => {
      const job = spec('stopped', ['sh', '-c', 'echo one; echo two; exec sleep 1000']);
      const notes: Partial<RaySpec>[] = [];
      const note = (change: Partial<RaySpec>): Promise<void> => Promise.resolve(void notes.push(change));
      const output = { print: () => undefined, writeLine: () => undefined };
      const options = { jobs: ray().jobs, output, stop: new AbortController().signal };
      await handOver(job, note, options);
      expect(notes).toEqual([{ handed: 'asked' }, { handed: 'yes', env: {} }]);
      // The state after a kill, before anyone has noted that Ray has the job.
      await handOver({ ...job, handed: 'asked' }, note, options);
      const stopping = new AbortController();
      const onText = (text: string): void => {
        if (/^two$/m.test(text)) stopping.abort();
      };
      const { state, text } = await follow('stopped', { stop: stopping.signal, onText });
      expect(state.kind).toBe('stopped');
      expect(text.match(/^(?:one|two)$/gm)).toEqual(['one', 'two']);
    });
  }

  test('is refused without the token that the cluster asks for', async () => {
    const strangers = [undefined, 'wrong'].map((token) => {
      return new RayJobs(ray().head, () => Promise.resolve(token));
    });
    for (const jobs of strangers) {
      await expect(jobs.version()).rejects.toMatchObject({
        code: 'host/ray-token',
        hint: expect.stringContaining('~/.ray/auth_token') as string,
      });
    }
  });

  test('of which Ray knows nothing is lost', async () => {
    expect((await follow('never')).state).toMatchObject({ kind: 'lost' });
  });
});

describe.skipIf(!linux)('a run on Ray', { timeout: patience }, () => {
  test('goes on without its host, which tells each line once when it is there again', async () => {
    const machine = await gpuMachine();
    const go = machine.folder.path('go');
    await machine.script([
      { do: 'env', name: 'TOLD' },
      { do: 'env', name: 'SERVICE_PASSWORD' },
      { do: 'metrics', step: 1, values: { 'rollout/reward/mean': 0.5 } },
      { do: 'print', text: 'ready\n' },
      { do: 'await', file: go },
      { do: 'print', text: 'through\n' },
    ]);
    const host = await rayHost(machine);
    await machine.add('box', host);
    machine.more = { TOLD: 'a "b" $', SERVICE_PASSWORD: 'very-much-a-secret' };
    const { command, run } = await ready(machine, ['--env', 'TOLD', '--env', 'SERVICE_PASSWORD']);
    await host.end('SIGKILL');
    await writeFile(go, '');
    expect(await ray().jobs.status(run)).toMatchObject({ kind: 'job' });
    await rayHost(machine, new URL(host.url).port);
    const { code, stdout, stderr } = await command.exited;
    expect(code, stderr).toBe(0);
    expect(stdout.match(/^(?:ready|through)$/gm)).toEqual(['ready', 'through']);
    expect(stdout).toMatch(/^TOLD=a "b" \$$/m);
    expect(stdout).toMatch(/^SERVICE_PASSWORD=/m);
    const events = await eventsOf(machine, run);
    expect(stdout + JSON.stringify(events)).not.toContain('very-much-a-secret');
    expect(existsSync(machine.folder.path(`data/runs/${run}/ray-job.json`))).toBe(false);
    expect(stderr).toMatch(/taken over/);
    expect(await machine.record(run)).toMatchObject({ state: 'finished', launcher: 'ray', step: 1 });
    expect(await ray().jobs.status(run)).toMatchObject({ info: { status: 'SUCCEEDED' } });
    expect(events.flatMap((event) => (event.type === 'state' ? [event.state] : []))).toEqual([
      'queued',
      'preparing',
      'running',
      'finished',
    ]);
    expect(events.filter(({ type }) => type === 'metrics')).toHaveLength(1);
  });

  if (isDeep) {
    test('continues when its supervisor is killed and when its machine restarts, and reports the failure', async () => {
      const machine = await gpuMachine();
      const go = machine.folder.path('go');
      await machine.script([
        { do: 'print', text: 'ready\n' },
        { do: 'lines', count: 20_000, prefix: 'line', padding: 100, pause: 250 },
        { do: 'await', file: go },
        { do: 'print', text: 'through\n' },
        { do: 'exit', code: 7 },
      ]);
      const host = await rayHost(machine);
      await machine.add('box', host);
      const { command, run } = await ready(machine);
      const supervisor = async () => (await noted(machine, run, 'process.json'))?.note.pid;
      const first = await supervisor();
      await killed(machine, run, ['process.json']);
      await command.wrote(/A new one monitors the job/);
      // The notice comes before the new one is started.
      await expect.poll(async () => [undefined, first].includes(await supervisor())).toBe(false);
      await command.wrote(/^line 5000 /m);
      await host.end('SIGKILL');
      await killed(machine, run, ['keeper.json', 'process.json'], { boot: 'another' });
      await writeFile(go, '');
      await rayHost(machine, new URL(host.url).port);
      const { code, stdout, stderr } = await command.exited;
      expect(code, stderr).toBe(1);
      expect(stderr).toMatch(/was ended by SIGKILL\. A new one monitors the job/);
      expect(stderr).toMatch(/has ended\. A new one monitors the job/);
      const told = stdout.match(/^(?:ready|line \d+|through)/gm);
      expect(told).toEqual([
        'ready',
        ...Array.from({ length: 20_000 }, (_, at) => `line ${at + 1}`),
        'through',
      ]);
      expect(await machine.record(run)).toMatchObject({ state: 'failed', exitCode: 7 });
    });
  }

  test('is not begun where the host does not have the token, which is told before', async () => {
    const machine = await gpuMachine();
    await machine.script([]);
    await machine.add('box', await rayHost(machine, '0', path.join(programs, 'none')));
    const run = ['run', '--conf', 'train.yaml', '--launcher', 'ray'];
    const { code, stderr } = await machine.remote([...run, '--dry-run']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('The Ray cluster needs a token and rejects that of this host');
    expect(stderr).toContain('~/.ray/auth_token');
    expect(stderr).not.toContain('Ray does not respond');
  });

  test('that is cancelled is stopped on Ray', async () => {
    const machine = await gpuMachine();
    await machine.script([{ do: 'print', text: 'ready\n' }, { do: 'hang' }]);
    await machine.add('box', await rayHost(machine));
    const { command, run } = await ready(machine);
    expect((await machine.remote(['cancel', run])).code).toBe(0);
    const { code, stderr } = await command.exited;
    expect([code, stderr]).toEqual([130, expect.stringContaining('State: canceled. Canceled by owner.')]);
    expect(await ray().jobs.status(run)).toMatchObject({ info: { status: 'STOPPED' } });
  });

  if (isDeep) {
    test('that is cancelled before Ray has it is cancelled', async () => {
      const machine = await gpuMachine();
      await machine.script([{ do: 'hang' }]);
      await machine.add('box', await rayHost(machine));
      const args = ['run', '--conf', 'train.yaml', '--launcher', 'ray', '--force'];
      const { stdout } = await machine.remote(args);
      const run = stdout.trim();
      machine.runs.add(run);
      expect((await machine.remote(['cancel', run])).code).toBe(0);
      await expect.poll(async () => (await machine.record(run)).state).toBe('cancelled');
      const job = await ray().jobs.status(run);
      expect(job.kind === 'unknown' || (job.kind === 'job' && job.info.status === 'STOPPED')).toBe(true);
    });
  }

  test('whose head dies is told to be silent, and is lost soon once it is cancelled', async () => {
    const machine = await gpuMachine();
    await machine.script([{ do: 'print', text: 'ready\n' }, { do: 'hang' }]);
    await machine.add('box', await rayHost(machine));
    const { command, run } = await ready(machine);
    ray().kill();
    await command.wrote(/^agentjet: Ray job \S+ is silent$/m);
    expect(await machine.record(run)).toMatchObject({ state: 'running' });
    expect((await machine.remote(['cancel', run])).code).toBe(0);
    const { code, stdout, stderr } = await command.exited;
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^ready$/m)]);
    expect(stdout).toMatch(/has not responded for \d+ s: .*does not respond/);
    expect(stderr).toMatch(/State: lost\. .*owner had canceled the job/);
    expect(await machine.record(run)).toMatchObject({ state: 'lost' });
  });
});
