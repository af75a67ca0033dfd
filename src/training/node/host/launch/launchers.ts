import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readFile, statfs } from 'node:fs/promises';
import path from 'node:path';
import { createConnection } from 'node:net';
import { pathExists } from '../../../../base/node/files.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';
import type { LauncherCommand, Launchers, ProgramName } from '../../../core/launch/plan.ts';
import { pythonFacts, pythonQuestion, type PythonFacts } from '../../../core/launch/preflightPython.ts';
import { commandOf, environmentOf, processNumbers } from '../../../../base/node/process/kill.ts';
import { runMark } from '../runs/processes.ts';
import {
  nvidiaSmiArguments,
  parseNvidiaSmi,
  virtualGpus,
  type GpuReading,
} from '../../../core/launch/nvidiaSmi.ts';

export interface GpuSource {
  /** The path of the executable, or its name on PATH. */
  readonly nvidiaSmi?: string;
  /** The number of GPUs that the owner set, whatever the machine has. */
  readonly count?: number;
}

/** A hanging driver must not block the host. */
const gpuPatience = 10_000;
/** `nvidia-smi` fails with this message if there are no GPUs. */
const saysNone = /^No devices were found/m;

/** Returns the GPUs of the machine. Empty: there is no driver. Null: the driver does not answer. */
export async function gpusOf({ nvidiaSmi = 'nvidia-smi', count }: GpuSource): Promise<GpuReading[] | null> {
  if (count !== undefined) return virtualGpus(count);
  const { kind, text } = await runProgram(nvidiaSmi, nvidiaSmiArguments, gpuPatience);
  if (kind === 'absent' || saysNone.test(text)) return [];
  return kind === 'answered' ? parseNvidiaSmi(text) : null;
}

/** Returns the free bytes at a path that may not exist yet. Null: unknown. */
export async function freeSpace(place: string): Promise<number | null> {
  for (let folder = path.resolve(place); ; folder = path.dirname(folder)) {
    const space = await statfs(folder).catch(() => null);
    if (space !== null) return space.bavail * space.bsize;
    if (folder === path.dirname(folder)) return null;
  }
}

/** The file in which Ray writes the address of the cluster on this machine. */
const rayNote = '/tmp/ray/ray_current_cluster';

export interface RayHere {
  readonly running: boolean;
  readonly why: string;
  /** The run of this host that started it. */
  readonly run: string | null;
  /** The environment that it was started in, as `NAME=value`. Empty if another machine or user started it. */
  readonly environment: readonly string[];
}

/** Checks the Ray cluster of this machine, or the one in RAY_ADDRESS. */
export async function rayHere(env: NodeJS.ProcessEnv, note = rayNote): Promise<RayHere> {
  const named = env['RAY_ADDRESS'] ?? '';
  const isNoted = named === '' || named === 'auto';
  const address = isNoted ? await readFile(note, 'utf8').catch(() => '') : named;
  const [, host, port] = /^(?:ray:\/\/)?([\w.-]+):(\d+)$/.exec(address.trim()) ?? [];
  const silent = { running: false, run: null, environment: [] };
  if (host === undefined || port === undefined) return { ...silent, why: 'it is not running on this host' };
  const answers = await connects(host, Number(port));
  if (!answers) return { ...silent, why: `no program listens at ${host}:${port}` };
  const environment = environmentOfRay(port);
  const run = environment.find((one) => one.startsWith(`${runMark}=`))?.slice(runMark.length + 1);
  return { running: true, why: '', run: isNoted && run !== undefined ? run : null, environment };
}

/** Returns the environment of the Ray head on this machine. */
function environmentOfRay(port: string): readonly string[] {
  const head = processNumbers().find((pid) => {
    const [program = '', ...args] = commandOf(pid);
    return path.basename(program) === 'gcs_server' && args.includes(`--gcs_server_port=${port}`);
  });
  return head === undefined ? [] : environmentOf(head);
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: 2_000 });
    const end = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', end(true)).once('timeout', end(false)).once('error', end(false));
  });
}

export interface FoundLauncher {
  readonly name: ProgramName;
  readonly start: LauncherCommand;
  readonly found: boolean;
  /** Facts about its Python. Null: it did not answer. */
  readonly python: PythonFacts | null;
}

const names: readonly ProgramName[] = ['ajet', 'trinity'];
/** The first start from a cold disk is slow. */
const pythonPatience = 30_000;

/** Finds the launchers that the owner has listed, or else `ajet` and `trinity` on PATH, or else `python -m ajet.launcher`. */
export function findLaunchers(listed: Launchers, env: NodeJS.ProcessEnv): Promise<FoundLauncher[]> {
  return Promise.all(names.map((name) => findLauncher(name, listed[name], env)));
}

async function findLauncher(
  name: ProgramName,
  listed: LauncherCommand | undefined,
  env: NodeJS.ProcessEnv,
): Promise<FoundLauncher> {
  const start = listed ?? { command: name, args: [] };
  const executable = await executableOf(start.command, env);
  if (executable !== undefined) {
    const python = await factsOf(await interpreterOf(executable), env);
    return { name, start: { ...start, command: executable }, found: true, python };
  }
  const python = listed === undefined && name === 'ajet' ? await executableOf('python3', env) : undefined;
  const facts = python === undefined ? null : await factsOf(python, env);
  if (python === undefined || typeof facts?.ajet !== 'string') {
    return { name, start, found: false, python: null };
  }
  return { name, start: { command: python, args: ['-m', 'ajet.launcher'] }, found: true, python: facts };
}

async function executableOf(command: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folders = command.includes('/')
    ? ['']
    : (env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  for (const folder of folders) {
    const file = path.resolve(folder, command);
    if (await pathExists(file, constants.X_OK)) return file;
  }
  return undefined;
}

/** Returns the Python of a console script, or the executable itself. */
async function interpreterOf(executable: string): Promise<string> {
  const file = await open(executable, 'r');
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(1_024), position: 0 });
    const [first = '', second = ''] = buffer.toString('latin1', 0, bytesRead).split('\n');
    // pip writes a combined shell and Python script if the path is too long or has a space.
    const direct =
      /^#!\s*(\S*python[\w.]*)\s*$/.exec(first) ?? /^'''exec' "?([^"]*python[\w.]*)"? /.exec(second);
    return direct?.[1] ?? (first.startsWith('#!') ? 'python3' : executable);
  } finally {
    await file.close();
  }
}

async function factsOf(python: string, env: NodeJS.ProcessEnv): Promise<PythonFacts | null> {
  if (!/python[\w.]*$/.test(python)) return null;
  // Isolated mode imports nothing from the working folder.
  const { kind, text } = await runProgram(python, ['-I', '-c', pythonQuestion], pythonPatience, env);
  const line = kind === 'answered' ? text.trim().split('\n').at(-1) : undefined;
  return pythonFacts.safeParse(parseJson(line ?? '')).data ?? null;
}

/**
 * `absent`: the program is missing. `failed`: its exit code is not 0, or it took longer than `timeout` (milliseconds) or
 * printed too much. No shell is involved.
 */
function runProgram(
  command: string,
  args: readonly string[],
  timeout: number,
  env?: NodeJS.ProcessEnv,
): Promise<{ readonly kind: 'answered' | 'failed' | 'absent'; readonly text: string }> {
  return new Promise((resolve) => {
    const limits = { timeout, killSignal: 'SIGKILL', maxBuffer: 1024 * 1024 } as const;
    const child = execFile(command, [...args], { ...limits, env, encoding: 'utf8' }, (error, stdout) => {
      // ENOTDIR and EACCES: PATH has an entry that is not a folder, or is not readable.
      const isAbsent = ['ENOENT', 'ENOTDIR', 'EACCES'].includes(String(error?.code));
      resolve({ kind: error === null ? 'answered' : isAbsent ? 'absent' : 'failed', text: stdout });
    });
    child.stdin?.end();
  });
}
