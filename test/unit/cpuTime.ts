import process from 'node:process';

/** The CPU time of this thread so far, in milliseconds. Unlike the clock, it does not count what other programs take. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
