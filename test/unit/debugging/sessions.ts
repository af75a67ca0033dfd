/** Adapters in conversation with a client, before scripted processes of runs. */
import path from 'node:path';
import { afterEach, expect } from 'vitest';
import { AgentJetSession, type AdapterPorts } from '../../../src/debugging/node/agentjetSession.ts';
import { systemClock } from '../../../src/base/node/clock.ts';
import { localFiles } from '../../../src/base/node/files.ts';
import { inspectorSocket } from '../../tools/inspectorSocket.ts';
import { DapClient, type DapMessage } from './dapClient.ts';
import { fixtures, ScriptedLauncher } from './scriptedLauncher.ts';

const connections: { client: DapClient; session: AgentJetSession; launcher: ScriptedLauncher }[] = [];

export function connect(ports: Partial<AdapterPorts> = {}) {
  const launcher = new ScriptedLauncher();
  const client = new DapClient();
  const session = new AgentJetSession({
    launcher,
    clock: systemClock,
    files: localFiles,
    environment: {},
    savedApiKey: () => Promise.resolve(undefined),
    ownFolder: '/extension/dist',
    ...ports,
  });
  session.start(client.toAdapter, client.fromAdapter);
  connections.push({ client, session, launcher });
  return { client, session, launcher };
}

export const initialize = {
  pathFormat: 'path',
  supportsStartDebuggingRequest: true,
  supportsProgressReporting: true,
};
export const config = path.join(fixtures, 'config.yaml');
export const launching = (scenario: string, more: object = {}) => ({
  type: 'agentjet',
  config,
  env: { SCENARIO: scenario },
  ...more,
});

export async function start(client: DapClient, scenario: string, more: object = {}): Promise<void> {
  await client.request('initialize', initialize);
  client.send('launch', launching(scenario, more));
  await client.request('configurationDone');
}

export const isChildRequest = (message: DapMessage): boolean => message.command === 'startDebugging';

/** Lets the held process go, and leaves: one that ends would wait for whoever is still attached. */
export async function attachTo(url: string): Promise<void> {
  const socket = await inspectorSocket(url);
  const answered = new Promise((resolve) => socket.addEventListener('message', resolve));
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.runIfWaitingForDebugger' }));
  await answered;
  socket.close();
}

export async function expectGolden(client: DapClient, name: string): Promise<void> {
  await expect(client.golden()).toMatchFileSnapshot(`goldens/${name}.txt`);
}

/** Ends what a test began, which has to have asserted all that was said. */
export function endSessions(): void {
  afterEach(() => {
    for (const { client, session, launcher } of connections.splice(0)) {
      session.dispose();
      for (const run of launcher.processes) run.killNow();
      expect(client.unasserted().map(({ type, command, event }) => `${type} ${command ?? event}`)).toEqual(
        [],
      );
    }
  });
}
