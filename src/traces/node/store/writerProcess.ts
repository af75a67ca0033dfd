import { readFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import process from 'node:process';
import type { WriterIdentity } from '../../core/records.ts';

export function currentWriter(): WriterIdentity {
  const { pid } = process;
  return { pid, started: startOf(pid), host: hostname(), at: Date.now() };
}

/** Milliseconds for which a writer that cannot be checked counts as alive after the last change of the file. */
const trusted = 120_000;

/** Milliseconds by which a host's clock may have been adjusted since it started. */
const clockDrift = 60_000;

/**
 * Returns whether the process that writes a trace is alive, also while a breakpoint pauses it. For another host, the
 * time of the last change decides.
 *
 * @param changedAt the time of the last write, in milliseconds since the Unix epoch
 */
export function isWriterAlive(writer: WriterIdentity | undefined, changedAt: number): boolean {
  if (writer?.host !== hostname()) return Date.now() - changedAt < trusted;
  // Process ids are reused after the host has restarted.
  if (writer.started === null && writer.at < Date.now() - uptime() * 1_000 - clockDrift) return false;
  return isRunning(writer.pid) && startOf(writer.pid) === writer.started;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process runs, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Returns the start time; null if there is no `/proc`, and for zombie processes. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The fields after the name, which may contain blanks and parentheses: the state is the first, the start the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
