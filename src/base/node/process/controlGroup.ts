/**
 * Control groups of Linux (cgroup v2). A process cannot leave its group by a double fork, a new session or another
 * environment. Not every system lets this user create one.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { attempt } from '../../core/attempt.ts';
import { readStat, type ProcessStat } from './kill.ts';

const members = 'cgroup.procs';

/**
 * Runs `work`. The processes that it starts are in a group of this name below the group of this process.
 * Returns the folder of the group, or undefined if it cannot be created.
 */
export function inControlGroup<T>(name: string, work: () => T): readonly [T, string | undefined] {
  const own = ownFolder();
  const folder = own && path.join(own, name);
  if (own === undefined || folder === undefined || !entered(folder)) return [work(), undefined];
  try {
    return [work(), folder];
  } finally {
    // If this fails, the process stays in the group, and `work` has had its effect.
    attempt(() => enter(own));
  }
}

/** Returns the processes of a group and of the groups in it. Empty if it does not exist. */
export function processesInGroup(folder: string): ProcessStat[] {
  return groupsIn(folder).flatMap((one) => {
    const numbers = attempt(() => readFileSync(path.join(one, members), 'latin1').split('\n')) ?? [];
    return numbers.flatMap((pid) => (pid === '' ? [] : (readStat(Number(pid)) ?? [])));
  });
}

/** Kills all processes of a group at once, also those that are being started. */
export function killGroup(folder: string): void {
  attempt(() => writeFileSync(path.join(folder, 'cgroup.kill'), '1'));
}

/** Removes a group that has no processes. */
export function removeGroup(folder: string): void {
  for (const one of groupsIn(folder).reverse()) attempt(() => rmdirSync(one));
}

function groupsIn(folder: string): string[] {
  const entries = attempt(() => readdirSync(folder, { recursive: true, withFileTypes: true })) ?? [];
  const inside = entries.filter((entry) => entry.isDirectory());
  return [folder, ...inside.map(({ parentPath, name }) => path.join(parentPath, name))];
}

/** Returns the folder of the group of this process. */
function ownFolder(): string | undefined {
  const group = attempt(() => /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1]);
  const mounts = attempt(() => readFileSync('/proc/self/mountinfo', 'utf8')) ?? '';
  const [, top, place] = /^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(mounts) ?? [];
  if (group === undefined || top === undefined || place === undefined) return undefined;
  return path.join(place, path.relative(top, group));
}

function entered(folder: string): boolean {
  return (
    attempt(() => {
      mkdirSync(folder, { recursive: true });
      enter(folder);
      return true;
    }) ?? false
  );
}

function enter(folder: string): void {
  writeFileSync(path.join(folder, members), String(process.pid));
}
