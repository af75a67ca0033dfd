/** A real Tinker server with a tiny model, on this machine's CPU. */
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll } from 'vitest';
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
import { userCacheFolder } from '../tools/vscodeServer.mjs';

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

/** Starts one server for the tests of a file. Call the result in tests and later hooks. */
export function rehearsalServer(options: RehearsalServerOptions = {}): () => RehearsalServer {
  let server: RehearsalServer | undefined;
  beforeAll(async () => {
    server = await startRehearsalServer(rehearsalPorts, await rehearsal(), options, neverCancelled);
  });
  afterAll(() => server?.stop());
  return () => {
    if (server === undefined) throw new Error('The server starts in a hook.');
    return server;
  };
}
