import { neverCancelled } from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';
import type { HostResults } from '../../core/protocol/hostRpc.ts';
import { runId } from '../../core/protocol/runs.ts';
import type { SshRequest } from '../../core/protocol/sshHost.ts';
import type { ConnectionState } from '../../core/contracts.ts';
import { whenConnected, type ClientConnection } from '../../core/wire/clientConnection.ts';
import { agentjetHome } from '../../../base/node/agentjetHome.ts';
import { connectHost, type HostAddress } from '../../node/client/connectHost.ts';
import { KnownHosts, type KnownHost } from '../../node/client/knownHosts.ts';
import { openSshHost, type SshHost } from '../../node/client/ssh/sshHost.ts';
import { isSshAddress, sshTarget } from '../../node/client/ssh/target.ts';
import type { CommandIo } from '../../../base/node/terminal/commandIo.ts';
import type { CommandContext } from '../../../base/node/terminal/commandLine.ts';
import { isInteractive } from './prompt.ts';

export interface RemoteSession {
  readonly host: KnownHost;
  readonly connection: ClientConnection;
  readonly io: CommandIo;
}

export interface SessionOptions {
  /** True to try again while the host has too many connections. */
  readonly keepsTrying?: boolean;
}

export function knownHosts({ env }: Pick<CommandIo, 'env'>): KnownHosts {
  return new KnownHosts(agentjetHome(env));
}

export function onHost<V extends { readonly host?: string | undefined }>(
  run: (session: RemoteSession, values: V, args: readonly string[]) => Promise<number>,
  options?: SessionOptions,
): (values: V, args: readonly string[], context: CommandContext) => Promise<number> {
  return (values, args, context) =>
    withHost(context, values.host, (session) => run(session, values, args), options);
}

/** The same for commands whose first argument names a run of the host. */
export function onRun<V extends { readonly host?: string | undefined }>(
  work: (session: RemoteSession, values: V, run: string) => Promise<number>,
  options?: SessionOptions,
): (values: V, args: readonly string[], context: CommandContext) => Promise<number> {
  return onHost<V>(
    async (session, values, [named = '']) => work(session, values, await runNamed(session, named)),
    options,
  );
}

/** Resolves to the id of a run by its id, the end of its id, or its name. */
async function runNamed({ connection }: RemoteSession, named: string): Promise<string> {
  if (runId.safeParse(named).success) return named;
  const runs = await connection.ask('run.list', {});
  const found = runs.filter(({ id, name }) => name === named || id.endsWith(named));
  const [only] = found;
  if (only === undefined) throw noSuchRun(named);
  if (found.length > 1)
    throw severalRuns(
      named,
      found.map(({ id }) => id),
    );
  return only.id;
}

function noSuchRun(named: string): CodedError {
  return new CodedError({
    code: 'remote/no-such-run',
    message: `The host has no run with the id or name ${named}.`,
    hint: '`agentjet remote ls` lists its runs.',
  });
}

function severalRuns(named: string, ids: readonly string[]): CodedError {
  return new CodedError({
    code: 'remote/several-runs',
    message: `${named} can be each of these runs: ${ids.join(', ')}.`,
    hint: 'Use the id of one of them.',
  });
}

/** Connects to a known host, by default to the only one. Rejects if it does not answer. */
export async function withHost<T>(
  context: CommandContext,
  named: string | undefined,
  use: (session: RemoteSession) => Promise<T>,
  options?: SessionOptions,
): Promise<T> {
  const { io } = context;
  const hosts = knownHosts(io);
  const host = hosts.get(named ?? io.env['AGENTJET_HOST']);
  const token = hosts.tokenOf(host.name);
  if (token === undefined) throw noToken(host.name);
  const ask = { token: null, launchers: {}, gpus: null, ray: null, ...host.start };
  const tunnel = isSshAddress(host.address) ? await overSsh(host.address, ask, context) : undefined;
  const fingerprint = tunnel?.fingerprint ?? host.fingerprint;
  const address = { url: tunnel?.url ?? host.address, token, fingerprint, route: tunnel?.route };
  try {
    const onHello = async (connection: ClientConnection, hello: HostResults['hello']): Promise<T> => {
      tunnel?.onOpened(() => connection.retryNow());
      if (hello.host.id !== host.id) throw otherHost(host);
      const watch = connection.onState((state) => reportState(state, io));
      try {
        return await use({ host, connection, io });
      } finally {
        watch.dispose();
      }
    };
    return await connected(address, context, onHello, options);
  } finally {
    tunnel?.dispose();
  }
}

export function overSsh(
  address: string,
  ask: SshRequest,
  { io, hostProgram }: CommandContext,
): Promise<SshHost> {
  return openSshHost(sshTarget(address), {
    ssh: io.env['AGENTJET_SSH'] ?? 'ssh',
    program: hostProgram,
    asks: isInteractive(),
    ask,
    onProgress: (text) => io.stderr.write(`${text}\n`),
  });
}

/** Connects. The first attempt must succeed; later the connection is restored when it is lost. */
export async function connected<T>(
  address: HostAddress,
  { version, io }: CommandContext,
  use: (connection: ClientConnection, hello: HostResults['hello']) => Promise<T>,
  { keepsTrying = false }: SessionOptions = {},
): Promise<T> {
  const connection = connectHost(address, { client: { name: 'agentjet', version } });
  let reason = '';
  const giveUp = connection.onState((state) => {
    if (state.kind !== 'waiting') return;
    if (keepsTrying && state.isBusy === true) {
      io.stderr.write(`${state.reason} Trying again. To stop, press Ctrl-C.\n`);
      return;
    }
    reason = state.reason;
    connection.dispose();
  });
  try {
    await whenConnected(connection, neverCancelled).catch((error: unknown) => {
      throw reason === '' ? error : doesNotAnswer(address.url, reason);
    });
    giveUp.dispose();
    const { state } = connection;
    if (state.kind !== 'connected') throw doesNotAnswer(address.url, 'The connection was interrupted.');
    return await use(connection, state.hello);
  } finally {
    giveUp.dispose();
    connection.dispose();
  }
}

function reportState(state: ConnectionState, { stderr }: CommandIo): void {
  if (state.kind === 'waiting') stderr.write(`The connection is lost. ${state.reason} Reconnecting.\n`);
  else if (state.kind === 'connected') stderr.write('Connected again.\n');
}

function doesNotAnswer(url: string, reason: string): CodedError {
  return new CodedError({
    code: 'remote/no-answer',
    message: `The host at ${url} does not respond: ${reason}`,
    hint: 'Check that the host is running and that no firewall blocks the connection.',
  });
}

function noToken(name: string): CodedError {
  return new CodedError({
    code: 'remote/no-token',
    message: `The token of the host ${name} is missing.`,
    hint: `Remove the host and add it again: \`agentjet remote remove ${name}\`.`,
  });
}

function otherHost({ name, address }: KnownHost): CodedError {
  return new CodedError({
    code: 'remote/other-host',
    message: `The host at ${address} is not the one that was added as ${name}.`,
    hint: `If this is expected, remove the host and add it again: \`agentjet remote remove ${name}\`.`,
  });
}
