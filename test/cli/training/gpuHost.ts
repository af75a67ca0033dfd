/** A GPU host from the built programs, its client's home, and a launcher that does what a run's `script.json` says. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { inject, onTestFinished } from 'vitest';
import { killSurvivors, processesWith } from '../../../src/base/node/process/kill.ts';
import type { RunRecord } from '../../../src/training/core/protocol/runs.ts';
import type { Action, LauncherScript } from '../../tools/host/scriptedLauncher.ts';
import { stagedConfig, trainConfig } from '../../tools/host/trainConfig.ts';
import { runCli, startCli, type CliOptions, type Outcome, type RunningCli } from '../harness/cli.ts';
import { emptyProject, Project } from '../harness/project.ts';

/** What a host tells with `--json` when it listens. */
export interface Listening {
  readonly address: string;
  readonly url: string;
  readonly fingerprint: string | null;
  readonly host: { readonly id: string };
  readonly pid: number;
  readonly token?: { readonly name: string; readonly token: string };
}

const scriptedLauncher = path.resolve(import.meta.dirname, '../../tools/host/scriptedLauncher.ts');

/** One machine for all: the host's data, the client's home and the user's folder are in a folder of the test's. */
export class GpuMachine {
  readonly folder: Project;
  /** The user's, who trains. */
  readonly project: Project;
  readonly runs = new Set<string>();
  /** Variables of the user's. */
  more: Readonly<Record<string, string>> = {};
  gpus = 2;

  /** Use {@link gpuMachine}. */
  constructor(folder: Project) {
    this.folder = folder;
    this.project = new Project(folder.path('project'));
    onTestFinished(() => {
      for (const run of this.runs) killSurvivors(processesWith(`AGENTJET_RUN=${run}`));
    });
  }

  get env(): Readonly<Record<string, string | undefined>> {
    return {
      AGENTJET_HOME: this.folder.path('home'),
      AGENTJET_HOST: undefined,
      AGENTJET_HOST_TOKEN: undefined,
      ...this.more,
    };
  }

  get hostArguments(): string[] {
    const { folder } = this;
    return [
      '--data',
      folder.path('data'),
      '--launcher',
      `trinity=${folder.path('trinity')}`,
      '--gpus',
      String(this.gpus),
      '--json',
    ];
  }

  /** What the launcher of the next run does; its job's folder is where the config has it. */
  async script(actions: readonly Action[]): Promise<void> {
    const script: LauncherScript = { job: 'checkpoints/maths/first', actions };
    await this.project.write({ 'train.yaml': trainConfig, 'script.json': JSON.stringify(script) });
  }

  /** The same for a training in stages; also for those runs that go on from it, whose folders are others. */
  async stagedScript(actions: readonly Action[]): Promise<void> {
    const script: LauncherScript = { actions };
    await this.project.write({ 'train.yaml': stagedConfig, 'script.json': JSON.stringify(script) });
  }

  /** The host in one file, alone in a folder. It is killed at the end of the test if it still runs. */
  async host(args: readonly string[]): Promise<RunningHost> {
    const alone = this.folder.path('alone');
    await mkdir(alone, { recursive: true });
    await copyFile(path.join(inject('dist'), 'host.cjs'), path.join(alone, 'host.cjs'));
    const env = { ...process.env, ...this.env, NODE_PATH: undefined };
    const command = ['host.cjs', ...this.hostArguments, ...args];
    return listening(
      spawn(process.execPath, command, { cwd: alone, env, stdio: ['ignore', 'pipe', 'inherit'] }),
    );
  }

  remote(args: readonly string[], options: CliOptions = {}): Promise<Outcome> {
    return runCli(this.project, ['remote', ...args], { ...options, env: { ...this.env, ...options.env } });
  }

  /** A command that somebody at a terminal is asked by; resolves to all that the terminal shows. */
  async atTerminal(
    args: readonly string[],
    answers: readonly (readonly [RegExp, string])[],
  ): Promise<string> {
    const command = [process.execPath, path.join(inject('dist'), 'cli.mjs'), ...args].map(
      (word) => `'${word}'`,
    );
    const child = spawn('script', ['-qec', command.join(' '), '/dev/null'], {
      cwd: this.project.folder,
      env: { ...process.env, ...this.env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const left = [...answers];
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      const [next] = left;
      if (next?.[0].test(shown) !== true) return;
      left.shift();
      child.stdin.write(`${next[1]}\r`);
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`exit ${String(code)}\n${shown}`);
    return shown;
  }

  start(args: readonly string[]): RunningCli {
    return startCli(this.project, args, { env: this.env, input: null });
  }

  /** A command that must do what it is asked, and tell it as one JSON document. */
  async json<T>(args: readonly string[], options: CliOptions = {}): Promise<T> {
    const { code, stdout, stderr } = await this.remote([...args, '--json'], options);
    if (code !== 0) throw new Error(`exit ${String(code)}\n${stderr}`);
    return JSON.parse(stdout) as T;
  }

  async add(name: string, { address, token }: Listening): Promise<void> {
    const { code, stderr } = await this.remote(['add', name, address, '--token-stdin'], {
      input: token?.token ?? '',
    });
    if (code !== 0) throw new Error(stderr);
  }

  async record(run: string): Promise<RunRecord> {
    const found = (await this.json<readonly RunRecord[]>(['ls'])).find(({ id }) => id === run);
    if (found === undefined) throw new Error(`There is no run ${run}.`);
    return found;
  }
}

export async function gpuMachine(): Promise<GpuMachine> {
  const machine = new GpuMachine(await emptyProject());
  const { folder } = machine;
  await writeLauncher(folder.path('trinity'));
  await mkdir(machine.project.folder);
  return machine;
}

/** Starts a run and waits until its launcher has printed `ready`, or whatever is asked for. */
export async function startRun(machine: GpuMachine, printed = /^ready$/m) {
  const command = machine.start(['remote', 'run', '--conf', 'train.yaml', '--force', '--follow']);
  const [, run = ''] = await command.wrote(/^(\d{8}-\d{6}-[0-9a-f]{6})$/m);
  machine.runs.add(run);
  await command.wrote(printed);
  return { command, run };
}

/** A program that does what `script.json` in its working folder says. */
export async function writeLauncher(file: string): Promise<void> {
  await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${scriptedLauncher}' "$@"\n`);
  await chmod(file, 0o755);
}

export interface RunningHost extends Listening {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  /** Sends it a signal and waits for its end; resolves to its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

async function listening(child: ChildProcessByStdio<null, Readable, null>): Promise<RunningHost> {
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  for await (const line of createInterface(child.stdout)) {
    const end = (signal: NodeJS.Signals): Promise<number | null> => {
      child.kill(signal);
      return ended;
    };
    return { ...(JSON.parse(line) as Listening), child, end };
  }
  throw new Error(`The host ended with ${String(await ended)} and did not listen.`);
}
