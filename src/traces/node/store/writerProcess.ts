import { readFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import process from 'node:process';
import type { WriterIdentity } from '../../core/records.ts';

/** This process. */
export function currentWriter(): WriterIdentity {
  const { pid } = process;
  return { pid, started: startOf(pid), host: hostname(), at: Date.now() };
}

/** Milliseconds for which the writer of a file that has just changed is taken to live, where that cannot be asked. */
const trusted = 120_000;

/** Milliseconds by which a host's clock may have been set since it started. */
const clockDrift = 60_000;

/**
 * Returns whether the process that writes a trace is alive, also while a breakpoint pauses it. On another host, the
 * time of the last change decides.
 *
 * @param changedAt when the file was last written, in milliseconds since the Unix epoch
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
    // It runs, but is another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Null where there is no `/proc`, and for processes that have ended but are not yet buried. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // What follows the name, which may itself have blanks and parentheses: the state first, the start as the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
