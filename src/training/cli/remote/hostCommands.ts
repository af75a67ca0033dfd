/** The commands of `agentjet remote` that add, remove, list and show hosts. */
import { hostname } from 'node:os';
import { CodedError } from '../../../base/core/errors.ts';
import { sizeText } from '../../../base/core/format.ts';
import { kebabCase } from '../../../base/core/kebabCase.ts';
import type { HostResults, HostStatus } from '../../core/protocol/hostRpc.ts';
import { certificateAt, hostUrl, type HostAddress } from '../../node/client/connectHost.ts';
import type { KnownHost } from '../../node/client/knownHosts.ts';
import { isSshAddress, sshAddress, sshTarget } from '../../node/client/ssh/target.ts';
import { type CommandIo, exitCodes } from '../../../base/node/terminal/commandIo.ts';
import { usageError, type CommandContext, type Values } from '../../../base/node/terminal/commandLine.ts';
import { prompt, isInteractive } from './prompt.ts';
import type { AddValues, CommonValues, json } from './remoteOptions.ts';
import { connected, knownHosts, overSsh, withHost, type ClientInfo } from './session.ts';
import { sshStart } from '../../node/client/sshStart.ts';
import { columns } from './texts.ts';

export async function addHost(
  values: AddValues,
  [name = '', written = '']: readonly string[],
  client: CommandContext,
): Promise<number> {
  const { io } = client;
  const hosts = knownHosts(io);
  hosts.mustBeFree(name);
  const isSsh = isSshAddress(written);
  mustFit(isSsh, values);
  const added = isSsh
    ? await addedOverSsh(written, values, { io, client })
    : await addedByAddress(written, values, { io, client });
  const { hello, token, ...host } = added;
  hosts.add({ name, id: hello.host.id, ...host }, token);
  const { host: identity, scopes } = hello;
  if (values.json === true) io.stdout.write(`${JSON.stringify({ name, ...host, host: identity, scopes })}\n`);
  else
    io.stderr.write(
      `${name} is ${identity.name}, version ${identity.version}. Scopes of the token: ${scopes.join(', ')}.\n`,
    );
  return exitCodes.ok;
}

interface NewHost extends Omit<KnownHost, 'name' | 'id'> {
  readonly hello: HostResults['hello'];
  readonly token: string;
}

interface AddContext {
  readonly io: CommandIo;
  readonly client: ClientInfo;
}

async function addedByAddress(
  written: string,
  values: AddValues,
  { io, client }: AddContext,
): Promise<NewHost> {
  const { address, fingerprint: named } = readAddress(written, values.fingerprint);
  const fingerprint = await certificateToTrust(address, named, io);
  const token = await tokenFor(values.tokenStdin === true, io);
  const hello = await helloOf({ url: address, token, fingerprint }, client);
  return { address, token, hello, ...(fingerprint !== undefined && { fingerprint }) };
}

/** Adds a host over SSH, which creates a token for this machine. */
async function addedOverSsh(written: string, values: AddValues, context: AddContext): Promise<NewHost> {
  const address = sshAddress(sshTarget(written));
  const start = sshStart(values);
  const ask = {
    ...start,
    token: `ssh-${hostname()
      .replace(/[^\w.-]/g, '')
      .slice(0, 30)}`,
  };
  const tunnel = await overSsh(address, ask, context);
  try {
    const token = tunnel.token ?? '';
    const hello = await helloOf(
      { url: tunnel.url, route: tunnel.route, token, fingerprint: tunnel.fingerprint },
      context.client,
    );
    return { address, token, hello, start };
  } finally {
    tunnel.dispose();
  }
}

function helloOf(address: HostAddress, client: ClientInfo): Promise<HostResults['hello']> {
  return connected(address, client, (_, hello) => Promise.resolve(hello));
}

function mustFit(isSsh: boolean, values: AddValues): void {
  const wrong = isSsh
    ? (['tokenStdin', 'fingerprint'] as const).find((name) => values[name] !== undefined)
    : (['launcher', 'gpus', 'ray'] as const).find((name) => values[name] !== undefined);
  if (wrong === undefined) return;
  throw isSsh
    ? usageError(
        `--${kebabCase(wrong)} does not apply to SSH.`,
        'The host creates a token, and ssh verifies the machine.',
      )
    : usageError(`--${wrong} applies only to a host over SSH.`, 'Set it where this host is started.');
}

/** Reads an address as a host shows it, optionally with `#` and the fingerprint of its certificate. */
function readAddress(
  written: string,
  option: string | undefined,
): { readonly address: string; readonly fingerprint: string | undefined } {
  const [text = '', inside] = written.split('#', 2);
  const [fingerprint, other] = [inside, option].flatMap((one) =>
    one === undefined ? [] : [readFingerprint(one)],
  );
  if (other !== undefined && other !== fingerprint)
    throw usageError(
      'The address and --fingerprint name different certificates.',
      'Use the one that the host prints.',
    );
  const { protocol, host } = hostUrl(text);
  return { address: `${protocol}//${host}`, fingerprint };
}

function readFingerprint(text: string): string {
  const digits = text
    .replace(/^sha-?256[:/]/i, '')
    .replaceAll(':', '')
    .toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digits)) return digits;
  throw usageError(
    `${JSON.stringify(text)} is not the fingerprint of a certificate.`,
    'Write the SHA-256 in hex (64 digits) that the host prints when it starts.',
  );
}

/** Returns the fingerprint to trust. Undefined: an authority has signed the certificate, or there is none. */
async function certificateToTrust(
  address: string,
  named: string | undefined,
  { stderr }: CommandIo,
): Promise<string | undefined> {
  if (!address.startsWith('wss:')) {
    if (named !== undefined)
      throw usageError(`${address} has no certificate.`, 'Write wss:// if the host has TLS.');
    return undefined;
  }
  if (named !== undefined) return named;
  const { fingerprint, isTrusted } = await certificateAt(address);
  if (isTrusted) return undefined;
  if (!isInteractive()) throw unknownCertificate(address, fingerprint);
  stderr.write(
    `The certificate of ${address} is not signed by a trusted authority. Its SHA-256 is\n\n  ${fingerprint}\n\n`,
  );
  const answer = await prompt('Does the host print the same? Enter yes to trust it: ');
  if (answer?.toLowerCase() === 'yes') return fingerprint;
  throw unknownCertificate(address, fingerprint);
}

async function tokenFor(fromStdin: boolean, { env, readStdin }: CommandIo): Promise<string> {
  const given = fromStdin ? (await readStdin()).trim() : (env['AGENTJET_HOST_TOKEN'] ?? '');
  const token =
    given === '' && !fromStdin && isInteractive() ? await prompt('Token: ', { hidden: true }) : given;
  if (token !== undefined && /^\S+$/.test(token)) return token;
  throw new CodedError({
    code: 'remote/needs-token',
    message: token === undefined || token === '' ? 'The token is missing.' : 'The token contains spaces.',
    hint: 'Pipe it in with --token-stdin, or set AGENTJET_HOST_TOKEN. The host prints it at its first start.',
  });
}

function unknownCertificate(address: string, fingerprint: string): CodedError {
  return new CodedError({
    code: 'remote/unknown-certificate',
    message: `The certificate of ${address} is not signed by a trusted authority. Its SHA-256 is ${fingerprint}.`,
    hint: 'If the host prints the same, add `#` and these digits to the address, or use --fingerprint.',
  });
}

type JsonValues = Values<{ readonly json: typeof json }>;

export function removeHost(
  values: JsonValues,
  [name = '']: readonly string[],
  { io }: CommandContext,
): number {
  knownHosts(io).remove(name);
  if (values.json === true) io.stdout.write(`${JSON.stringify({ name })}\n`);
  return exitCodes.ok;
}

export function listHosts(values: JsonValues, _: readonly string[], { io }: CommandContext): number {
  const hosts = knownHosts(io).list();
  if (values.json === true) io.stdout.write(`${JSON.stringify(hosts)}\n`);
  else if (hosts.length === 0) io.stderr.write('No hosts. Add one with agentjet remote add NAME ADDRESS.\n');
  else io.stdout.write(columns(hosts.map(({ name, address }) => [name, address])));
  return exitCodes.ok;
}

export async function showStatus(
  values: CommonValues,
  _: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { io } = context;
  return withHost(context, values.host, async ({ host, connection }) => {
    const status = await connection.ask('status', {});
    io.stdout.write(values.json === true ? `${JSON.stringify(status)}\n` : statusText(host.name, status));
    return exitCodes.ok;
  });
}

function statusText(name: string, status: HostStatus): string {
  const { cpus, load, memory, disk, queued, running } = status;
  const code = disk.code ?? null;
  const machine = [
    `${name}: ${running} running, ${queued} queued`,
    `${cpus} CPUs, load ${load.toFixed(1)}; memory ${sizeText(memory.free)} free of ${sizeText(memory.total)}`,
    `disk ${sizeText(disk.free)} free of ${sizeText(disk.total)}${code === null ? '' : `; code of runs ${sizeText(code)}`}`,
  ];
  const launchers = status.launchers.map(
    ({ name: launcher, version, problem }) => `${launcher} ${problem ?? version ?? '(unknown version)'}`,
  );
  const gpus = status.gpus.map((gpu) => [
    String(gpu.index),
    gpu.name,
    gpu.memory === null ? '' : `${gpu.used ?? '?'}/${gpu.memory} MiB`,
    gpu.load === null ? '' : `${gpu.load} %`,
    gpu.run ?? 'free',
  ]);
  const table =
    gpus.length === 0 ? 'No GPUs.\n' : columns([['GPU', 'NAME', 'MEMORY', 'LOAD', 'RUN'], ...gpus]);
  return `${[...machine, ...launchers].join('\n')}\n\n${table}`;
}
