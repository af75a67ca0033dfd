/** The environment of the rehearsal server, which tests and benchmarks share. */
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { neverCancelled } from '../../src/base/core/cancellation.ts';
import {
  startRehearsalServer,
  type RehearsalServer,
  type RehearsalServerOptions,
} from '../../src/tinker/node/rehearsal/server.ts';
import {
  ensureRehearsal,
  type Rehearsal,
  type RehearsalOptions,
  type RehearsalPorts,
} from '../../src/tinker/node/rehearsal/setUp.ts';
import { userCacheFolder } from './vscodeServer.mjs';

export const rehearsalPorts: RehearsalPorts = {
  env: process.env,
  home: homedir(),
  platform: process.platform,
  scripts: path.resolve(import.meta.dirname, '../../src/python/rehearsal'),
};

/** Sets up the environment once per user and set of versions. */
export function rehearsal(options: RehearsalOptions = {}): Promise<Rehearsal> {
  const cache = path.join(userCacheFolder(), 'agentjet-dev', 'rehearsal');
  return ensureRehearsal(rehearsalPorts, { cache, ...options }, () => undefined, neverCancelled);
}

/**
 * Starts a real Tinker server on this machine's CPU.
 *
 * @param model the folder of a model; absent: the tiny one of a rehearsal
 */
export async function startServer(
  options: RehearsalServerOptions = {},
  model?: string,
): Promise<RehearsalServer> {
  const parts = { ...(await rehearsal()), ...(model !== undefined && { model }) };
  return startRehearsalServer(rehearsalPorts, parts, options, neverCancelled);
}
