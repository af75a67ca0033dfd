import { neverCancelled } from '../../../base/cancellation.ts';
import { CodedError } from '../../../base/errors.ts';
import type { HostResults } from '../../../protocol/host/hostRpc.ts';
import type { SshAsk } from '../../../protocol/host/sshHost.ts';
import type { ConnectionState, HostConnection } from '../../../remote/contracts.ts';
import { whenConnected, type ClientConnection } from '../../../remote/wire/clientConnection.ts';
import { agentjetHome } from '../../agentjetHome.ts';
import { connectHost, type HostAddress } from '../../remote/connectHost.ts';
import { KnownHosts, type KnownHost } from '../../remote/knownHosts.ts';
import { openSshHost, type SshHost } from '../../remote/ssh/sshHost.ts';
import { isSshAddress, sshTarget } from '../../remote/ssh/target.ts';
import type { CommandIo } from '../commandIo.ts';
import { isAtTerminal } from './person.ts';

/** A host that answers, for as long as a command takes. */
export interface RemoteSession {
  readonly host: KnownHost;
  readonly connection: HostConnection;
}

export interface ClientInfo {
  /** Of this program. */
  readonly version: string;
  /** The host in one file, for machines that are reached by ssh. */
  readonly hostProgram: string;
}

export function knownHosts({ env }: Pick<CommandIo, 'env'>): KnownHosts {
  return new KnownHosts(agentjetHome(env));
}

/** Connects to a known host; the only one where none is named. Rejects where it does not answer. */
export async function withHost<T>(
  io: CommandIo,
  { host: named, client }: { readonly host: string | undefined; readonly client: ClientInfo },
  use: (session: RemoteSession) => Promise<T>,
): Promise<T> {
  const hosts = knownHosts(io);
  const host = hosts.get(named ?? io.env['AGENTJET_HOST']);
  const token = hosts.tokenOf(host.name);
  if (token === undefined) throw noToken(host.name);
  const ask = { token: null, launchers: {}, gpus: null, ray: null, ...host.start };
  const way = isSshAddress(host.address) ? await overSsh(host.address, ask, { io, client }) : undefined;
  const fingerprint = way?.fingerprint ?? host.fingerprint;
  const address = { url: way?.url ?? host.address, token, fingerprint, route: way?.route };
  try {
    return await connected(address, client, async (connection, hello) => {
      way?.onOpened(() => connection.retryNow());
      if (hello.host.id !== host.id) throw otherHost(host);
      const telling = connection.onState((state) => tell(state, io));
      try {
        return await use({ host, connection });
      } finally {
        telling.dispose();
      }
    });
  } finally {
    way?.dispose();
  }
}

/** Has a host run on a machine that ssh gets to, and opens a way to it. */
export function overSsh(
  address: string,
  ask: SshAsk,
  { io, client }: { readonly io: CommandIo; readonly client: ClientInfo },
): Promise<SshHost> {
  return openSshHost(sshTarget(address), {
    ssh: io.env['AGENTJET_SSH'] ?? 'ssh',
    program: client.hostProgram,
    asks: isAtTerminal(),
    ask,
    onProgress: (text) => io.stderr.write(`${text}\n`),
  });
}

/** A connection that must come about at the first attempt, and that is kept up from then on. */
export async function connected<T>(
  address: HostAddress,
  { version }: Pick<ClientInfo, 'version'>,
  use: (connection: ClientConnection, hello: HostResults['hello']) => Promise<T>,
): Promise<T> {
  const connection = connectHost(address, { client: { name: 'agentjet', version } });
  const giveUp = connection.onState((state) => {
    if (state.kind === 'waiting') failed(state.reason);
  });
  let reason = '';
  const failed = (why: string): void => {
    reason = why;
    connection.dispose();
  };
  try {
    await whenConnected(connection, neverCancelled).catch((error: unknown) => {
      throw reason === '' ? error : doesNotAnswer(address.url, reason);
    });
    giveUp.dispose();
    const { state } = connection;
    if (state.kind !== 'connected') throw doesNotAnswer(address.url, 'The connection was cut.');
    return await use(connection, state.hello);
  } finally {
    giveUp.dispose();
    connection.dispose();
  }
}

function tell(state: ConnectionState, { stderr }: CommandIo): void {
  if (state.kind === 'waiting') stderr.write(`The connection is lost: ${state.reason} It is tried again.\n`);
  else if (state.kind === 'connected') stderr.write('The connection is there again.\n');
}

function doesNotAnswer(url: string, reason: string): CodedError {
  return new CodedError({
    code: 'remote/no-answer',
    message: `The host at ${url} does not answer: ${reason}`,
    hint: 'See that it runs there, and that nothing on the way keeps you from it.',
  });
}

function noToken(name: string): CodedError {
  return new CodedError({
    code: 'remote/no-token',
    message: `The token of the host ${name} is not there any more.`,
    hint: `Remove the host and add it again: \`agentjet remote remove ${name}\`.`,
  });
}

function otherHost({ name, address }: KnownHost): CodedError {
  return new CodedError({
    code: 'remote/other-host',
    message: `At ${address} there is another host than the one that was added as ${name}.`,
    hint: `If that is as it should be, remove it and add it again: \`agentjet remote remove ${name}\`.`,
  });
}
