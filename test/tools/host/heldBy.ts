import { readdirSync, readFileSync } from 'node:fs';

/** The most that a host may hold at any time, in megabytes. */
export const mostHostMemory = 300;

/** Memory that a process holds now, the most that it held since its start, in megabytes, and its open files. Linux only. */
export function heldBy(pid: number | undefined): {
  readonly megabytes: number;
  readonly most: number;
  readonly files: number;
} {
  const folder = `/proc/${String(pid)}`;
  const status = readFileSync(`${folder}/status`, 'utf8');
  const megabytesOf = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_000;
  return {
    megabytes: megabytesOf('VmRSS'),
    most: megabytesOf('VmHWM'),
    files: readdirSync(`${folder}/fd`).length,
  };
}
