import { readdirSync, readFileSync } from 'node:fs';

/** Children, their children and so on, without those that have ended. */
export function descendants(pid: number): number[] {
  return livingProcesses()
    .filter(({ parent }) => parent === pid)
    .flatMap((child) => [child.pid, ...descendants(child.pid)]);
}

function livingProcesses(): { pid: number; parent: number }[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .flatMap((pid) => {
      const fields = statOf(pid);
      return fields === undefined || fields[0] === 'Z' ? [] : [{ pid, parent: Number(fields[1]) }];
    });
}

/** Those of them that still run; what has ended and is not yet buried does not. */
export function living(pids: readonly number[]): number[] {
  const all = livingProcesses().map(({ pid }) => pid);
  return pids.filter((pid) => all.includes(pid));
}

/** What follows the name: state, parent, … */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // it ended while we looked
  }
}
