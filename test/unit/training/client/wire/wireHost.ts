import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Scope } from '../../../../../src/training/core/protocol/hostRpc.ts';
import { AuditLog } from '../../../../../src/training/node/host/server/auditLog.ts';
import {
  serveHost,
  type HostServer,
  type HostServerOptions,
} from '../../../../../src/training/node/host/server/hostServer.ts';
import { HostTokens } from '../../../../../src/training/node/host/server/tokens.ts';
import { systemClock } from '../../../../../src/base/node/clock.ts';
import {
  connectHost,
  type ConnectOptions,
  type HostAddress,
} from '../../../../../src/training/node/client/connectHost.ts';
import type { ConnectionState } from '../../../../../src/training/core/contracts.ts';
import type { ClientConnection } from '../../../../../src/training/core/wire/clientConnection.ts';
import { badNetwork, type BadNetwork } from '../../../../tools/host/badNetwork.ts';
import { ScriptedServices } from '../../../../tools/host/scriptedServices.ts';

export interface WireHost {
  readonly scripted: ScriptedServices;
  readonly server: HostServer;
  readonly tokens: HostTokens;
  readonly audit: AuditLog;
  readonly folder: string;
  readonly port: number;
  token(scopes?: readonly Scope[]): string;
  network(): Promise<BadNetwork>;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-wire-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A host on a free port of this machine, for one test. */
export async function wireHost(options: Partial<HostServerOptions> = {}): Promise<WireHost> {
  const folder = temporaryFolder();
  const scripted = new ScriptedServices();
  const tokens = new HostTokens(folder);
  const audit = new AuditLog(folder, systemClock);
  const server = await serveHost({
    services: scripted.services,
    tokens,
    audit,
    clock: systemClock,
    address: '127.0.0.1',
    port: 0,
    ...options,
  });
  onTestFinished(() => server.close());
  const port = Number(new URL(server.url).port);
  let made = 0;
  return {
    scripted,
    server,
    tokens,
    audit,
    folder,
    port,
    token: (scopes = ['start', 'cancel']) => tokens.add(`token-${++made}`, scopes, made),
    network: async () => {
      const network = await badNetwork(port);
      onTestFinished(() => network.close());
      return network;
    },
  };
}

/** A client that comes back within milliseconds, for one test. */
export function client(address: HostAddress, options: Partial<ConnectOptions> = {}): ClientConnection {
  const connection = connectHost(address, {
    client: { name: 'tests', version: '0' },
    delays: { first: 2, most: 20 },
    ...options,
  });
  onTestFinished(() => connection.dispose());
  return connection;
}

/** Resolves with the first state of that kind, the present one included. */
export function reaches<K extends ConnectionState['kind']>(
  connection: ClientConnection,
  kind: K,
): Promise<Extract<ConnectionState, { kind: K }>> {
  return new Promise((resolve) => {
    const look = (state: ConnectionState): void => {
      if (state.kind === kind) resolve(state as Extract<ConnectionState, { kind: K }>);
    };
    look(connection.state);
    const listening = connection.onState(look);
    onTestFinished(() => listening.dispose());
  });
}
