/** A real Tinker server on this machine's CPU. */
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { RehearsalServer, RehearsalServerOptions } from '../../src/tinker/node/rehearsal/server.ts';
import { rehearsal, rehearsalPorts, startServer } from '../tools/rehearsal.ts';

export { rehearsal, rehearsalPorts } from '../tools/rehearsal.ts';

/**
 * Starts one server for the tests of a file. Call the result in tests and later hooks.
 *
 * @param makeModel makes the folder of a model; absent: the tiny one of a rehearsal
 */
export function rehearsalServer(
  options: RehearsalServerOptions = {},
  makeModel?: () => Promise<string>,
): () => RehearsalServer {
  let server: RehearsalServer | undefined;
  beforeAll(async () => {
    server = await startServer(options, await makeModel?.());
  });
  afterAll(() => server?.stop());
  return () => {
    if (server === undefined) throw new Error('The server starts in a hook.');
    return server;
  };
}

/** Returns the list of Tinker servers of a host that may start the server of a rehearsal. */
export async function skyrlServers() {
  const { python, model } = await rehearsal();
  const serve = path.join(rehearsalPorts.scripts, 'serve.py');
  const command = [python, '-E', '-s', '-B', serve, '{data}', '{model}', '{port}', '300'];
  return { skyrl: { command, models: [model] as const, gpus: 1 } };
}
