import { access, readFile, statfs } from 'node:fs/promises';
import { createConnection } from 'node:net';
import path from 'node:path';
import { commandOf, environmentOf, processNumbers } from '../../../../base/node/process/kill.ts';
import { runMark } from '../runs/processes.ts';
import {
  nvidiaSmiArguments,
  parseNvidiaSmi,
  virtualGpus,
  type FoundGpu,
} from '../../../core/launch/nvidiaSmi.ts';
import { runProgram } from './runProgram.ts';

export interface GpuSource {
  /** The executable, or its name on PATH. */
  readonly nvidiaSmi?: string;
  /** As many as the owner of the host says, whatever the machine has. */
  readonly count?: number;
}

/** A driver that hangs must not hold the host up. */
const patience = 10_000;
/** It fails where it can tell of none. */
const saysNone = /^No devices were found/m;

/** The machine's GPUs; none where there is no driver. Null: there is one, and it does not answer. */
export async function gpusOf({ nvidiaSmi = 'nvidia-smi', count }: GpuSource): Promise<FoundGpu[] | null> {
  if (count !== undefined) return virtualGpus(count);
  const { kind, text } = await runProgram(nvidiaSmi, nvidiaSmiArguments, { milliseconds: patience });
  if (kind === 'absent' || saysNone.test(text)) return [];
  return kind === 'answered' ? parseNvidiaSmi(text) : null;
}

/** Bytes that are free where a path is, or would be; null where that cannot be told. */
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

/** Where Ray notes the address of the cluster that it has started on a machine. */
const rayNote = '/tmp/ray/ray_current_cluster';

/**
 * Whether a Ray that was started on this machine, or the one that RAY_ADDRESS names, takes connections. `run`: whose own it is,
 * where a run of a host has started it.
 */
export async function rayHere(
  env: NodeJS.ProcessEnv,
  note = rayNote,
): Promise<{ running: boolean; why: string; run: string | null }> {
  const named = env['RAY_ADDRESS'] ?? '';
  const isNoted = named === '' || named === 'auto';
  const address = isNoted ? await readFile(note, 'utf8').catch(() => '') : named;
  const [, host, port] = /^(?:ray:\/\/)?([\w.-]+):(\d+)$/.exec(address.trim()) ?? [];
  if (host === undefined || port === undefined)
    return { running: false, why: 'none was started on this host', run: null };
  const answers = await connects(host, Number(port));
  if (!answers) return { running: false, why: `nothing listens at ${host}:${port}`, run: null };
  return { running: true, why: '', run: isNoted ? runOfRay(port) : null };
}

/** Of a head that listens on this machine; null: somebody else's, or not ours to see. */
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
