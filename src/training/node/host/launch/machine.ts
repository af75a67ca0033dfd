import { access, readFile, statfs } from 'node:fs/promises';
import { createConnection } from 'node:net';
import path from 'node:path';
import { commandOf, environmentOf, processNumbers } from '../../../../base/node/process/kill.ts';
import { runMark } from '../runs/processes.ts';
import {
  nvidiaSmiArguments,
  parseNvidiaSmi,
  virtualGpus,
  type GpuReading,
} from '../../../core/launch/nvidiaSmi.ts';
import { runProgram } from './runProgram.ts';

export interface GpuSource {
  /** The path of the executable, or its name on PATH. */
  readonly nvidiaSmi?: string;
  /** The number of GPUs that the owner set, whatever the machine has. */
  readonly count?: number;
}

/** A hanging driver must not block the host. */
const patience = 10_000;
/** `nvidia-smi` fails with this message if there are no GPUs. */
const saysNone = /^No devices were found/m;

/** Returns the GPUs of the machine. Empty: there is no driver. Null: the driver does not answer. */
export async function gpusOf({ nvidiaSmi = 'nvidia-smi', count }: GpuSource): Promise<GpuReading[] | null> {
  if (count !== undefined) return virtualGpus(count);
  const { kind, text } = await runProgram(nvidiaSmi, nvidiaSmiArguments, { milliseconds: patience });
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

export function pathExists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** The file in which Ray writes the address of the cluster on this machine. */
const rayNote = '/tmp/ray/ray_current_cluster';

/** Checks the Ray cluster of this machine, or the one in RAY_ADDRESS. `run`: the run of this host that started it. */
export async function rayHere(
  env: NodeJS.ProcessEnv,
  note = rayNote,
): Promise<{ running: boolean; why: string; run: string | null }> {
  const named = env['RAY_ADDRESS'] ?? '';
  const isNoted = named === '' || named === 'auto';
  const address = isNoted ? await readFile(note, 'utf8').catch(() => '') : named;
  const [, host, port] = /^(?:ray:\/\/)?([\w.-]+):(\d+)$/.exec(address.trim()) ?? [];
  if (host === undefined || port === undefined)
    return { running: false, why: 'it is not running on this host', run: null };
  const answers = await connects(host, Number(port));
  if (!answers) return { running: false, why: `no program listens at ${host}:${port}`, run: null };
  return { running: true, why: '', run: isNoted ? runOfRay(port) : null };
}

/** Returns the run that started the Ray head on this machine. Null: another program or user did. */
function runOfRay(port: string): string | null {
  const head = processNumbers().find((pid) => {
    const [program = '', ...args] = commandOf(pid);
    return path.basename(program) === 'gcs_server' && args.includes(`--gcs_server_port=${port}`);
  });
  const own =
    head === undefined ? undefined : environmentOf(head).find((one) => one.startsWith(`${runMark}=`));
  return own?.slice(runMark.length + 1) ?? null;
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
