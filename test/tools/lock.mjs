/** A lock between processes: one file, held while a heartbeat keeps it fresh. Plain Node 20, no packages. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const heartbeatMs = 2_000;
/** A holder that has not been heard of for this long is gone, even if its process id lives on in another process. */
const staleMs = 60_000;
/** Breaking a stale lock takes three file operations; whoever has not finished by then never will. */
const breakingStaleMs = 10_000;
const pollMs = 100;

/**
 * Runs `action` while no other process holds `file`.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} action
 * @param {{ onWait?: (holder: number | undefined) => void }} [options] `onWait` is told once, with the holder's process id
 * @returns {Promise<T>}
 */
export async function withLock(file, action, options = {}) {
  await mkdir(path.dirname(file), { recursive: true });
  const token = await acquire(file, options.onWait);
  const heartbeat = setInterval(() => void touch(file), heartbeatMs);
  heartbeat.unref();
  try {
    return await action();
  } finally {
    clearInterval(heartbeat);
    if ((await holderOf(file))?.token === token) await rm(file, { force: true });
  }
}

async function acquire(file, onWait) {
  const token = randomUUID();
  const own = JSON.stringify({ pid: process.pid, host: os.hostname(), token });
  for (let told = false; ;) {
    if (await createdNew(file, own)) return token;
    const holder = await holderOf(file);
    if (holder !== undefined && isStale(holder)) {
      await breakLock(file, holder.token);
      continue;
    }
    if (!told && holder !== undefined) {
      onWait?.(holder.pid);
      told = true;
    }
    await delay(pollMs);
  }
}

async function createdNew(file, text) {
  try {
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    // On Windows a file that is just being deleted answers EPERM.
    if (error.code === 'EEXIST' || error.code === 'EPERM') return false;
    throw error;
  }
}

/** Undefined when the lock has just been released. Text that is cut short is a holder of which nothing is known. */
async function holderOf(file) {
  try {
    const [text, { mtimeMs }] = [await readFile(file, 'utf8'), await stat(file)];
    const age = Date.now() - mtimeMs;
    return { age, ...parsed(text) };
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'EPERM') return undefined;
    throw error;
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    // Read between the file's creation and its first byte, or its writer died there: only its age counts.
    return {};
  }
}

function isStale({ age, pid, host }) {
  if (age > staleMs) return true;
  return pid !== undefined && host === os.hostname() && !isAlive(pid);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Two that wait may find the same dead holder: one of them removes it, and never a lock taken since. */
async function breakLock(file, staleToken) {
  const guard = `${file}.breaking`;
  try {
    await mkdir(guard);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    await dropOldGuard(guard);
    await delay(pollMs);
    return;
  }
  try {
    const holder = await holderOf(file);
    if (holder !== undefined && holder.token === staleToken && isStale(holder))
      await rm(file, { force: true });
  } finally {
    await rmdir(guard);
  }
}

async function dropOldGuard(guard) {
  try {
    const { mtimeMs } = await stat(guard);
    if (Date.now() - mtimeMs > breakingStaleMs) await rmdir(guard);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

async function touch(file) {
  const now = new Date();
  try {
    await utimes(file, now, now);
  } catch {
    // Released, or the disk is full: the next beat tries again, and waiting for it would help nobody.
  }
}
