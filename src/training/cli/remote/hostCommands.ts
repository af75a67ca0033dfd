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
import { usageError, type CommandContext } from '../../../base/node/terminal/commandLine.ts';
import { prompt, isInteractive } from './prompt.ts';
import type { AddValues, CommonValues } from './remoteOptions.ts';
import { connected, knownHosts, onHost, overSsh } from './session.ts';
import { sshStart } from '../../node/client/sshStart.ts';
import { columns } from './texts.ts';

export async function addHost(
  values: AddValues,
  [name = '', written = '']: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { io } = context;
  const hosts = knownHosts(io);
  hosts.mustBeFree(name);
  const isSsh = isSshAddress(written);
  mustFit(isSsh, values);
  const { hello, token, ...host } = await (isSsh ? addedOverSsh : addedByAddress)(written, values, context);
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

async function addedByAddress(written: string, values: AddValues, context: CommandContext): Promise<NewHost> {
  const { io } = context;
  const { address, fingerprint: named } = readAddress(written, values.fingerprint);
  const fingerprint = await certificateToTrust(address, named, io);
  const token = await tokenFor(values.tokenStdin === true, io);
  const hello = await helloOf({ url: address, token, fingerprint }, context);
  return { address, token, hello, ...(fingerprint !== undefined && { fingerprint }) };
}

async function addedOverSsh(written: string, values: AddValues, context: CommandContext): Promise<NewHost> {
  const address = sshAddress(sshTarget(written));
  const start = sshStart(values);
  const name = hostname()
    .replace(/[^\w.-]/g, '')
    .slice(0, 30);
  const tunnel = await overSsh(address, { ...start, token: `ssh-${name}` }, context);
  try {
    const token = tunnel.token ?? '';
    const { url, route, fingerprint } = tunnel;
    const hello = await helloOf({ url, route, token, fingerprint }, context);
    return { address, token, hello, start };
  } finally {
    tunnel.dispose();
  }
}

function helloOf(address: HostAddress, context: CommandContext): Promise<HostResults['hello']> {
  return connected(address, context, (_, hello) => Promise.resolve(hello));
}

/** Throws `cli/usage` for an option that does not apply to this kind of address. */
function mustFit(isSsh: boolean, values: AddValues): void {
  const others = isSsh
    ? (['tokenStdin', 'fingerprint'] as const)
    : (['launcher', 'gpus', 'ray', 'tinkerServers'] as const);
  const wrong = others.find((name) => values[name] !== undefined);
  if (wrong === undefined) return;
  throw isSsh
    ? usageError(
        `--${kebabCase(wrong)} does not apply to SSH.`,
        'The host creates a token, and ssh verifies the machine.',
      )
    : usageError(
        `--${kebabCase(wrong)} applies only to a host over SSH.`,
        'Set it where this host is started.',
      );
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

type JsonValues = Pick<CommonValues, 'json'>;

export function removeHost(
  { json }: JsonValues,
  [name = '']: readonly string[],
  { io }: CommandContext,
): number {
  knownHosts(io).remove(name);
  if (json === true) io.stdout.write(`${JSON.stringify({ name })}\n`);
  return exitCodes.ok;
}

export function listHosts({ json }: JsonValues, _: readonly string[], { io }: CommandContext): number {
  const hosts = knownHosts(io).list();
  if (json === true) io.stdout.write(`${JSON.stringify(hosts)}\n`);
  else if (hosts.length === 0) io.stderr.write('No hosts. Add one with agentjet remote add NAME ADDRESS.\n');
  else io.stdout.write(columns(hosts.map(({ name, address }) => [name, address])));
  return exitCodes.ok;
}

export const showStatus = onHost<CommonValues>(async ({ host, connection, io }, { json }) => {
  const status = await connection.ask('status', {});
  io.stdout.write(json === true ? `${JSON.stringify(status)}\n` : statusText(host.name, status));
  return exitCodes.ok;
});

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
  const tinker = (status.tinker ?? []).map(({ server, models }) => `tinker ${server}: ${models.join(', ')}`);
  const gpus = status.gpus.map((gpu) => [
    String(gpu.index),
    gpu.name,
    gpu.memory === null ? '' : `${gpu.used ?? '?'}/${gpu.memory} MiB`,
    gpu.load === null ? '' : `${gpu.load} %`,
    gpu.run ?? 'free',
  ]);
  const table =
    gpus.length === 0 ? 'No GPUs.\n' : columns([['GPU', 'NAME', 'MEMORY', 'LOAD', 'RUN'], ...gpus]);
  return `${[...machine, ...launchers, ...tinker].join('\n')}\n\n${table}`;
}
