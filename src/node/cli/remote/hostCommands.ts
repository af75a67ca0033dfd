/** The hosts that a user knows: adding, forgetting, listing, looking at one. */
import { hostname } from 'node:os';
import { CodedError } from '../../../base/errors.ts';
import { sizeText } from '../../../base/sizeText.ts';
import type { HostResults, HostStatus } from '../../../protocol/host/hostRpc.ts';
import { certificateAt, hostUrl, type HostAddress } from '../../remote/connectHost.ts';
import type { KnownHost } from '../../remote/knownHosts.ts';
import { isSshAddress, sshAddress, sshTarget } from '../../remote/ssh/target.ts';
import type { CommandIo } from '../commandIo.ts';
import { parseOptions, wrongUse } from '../commandLine.ts';
import { exitCodes } from '../terminalView.ts';
import { askPerson, isAtTerminal } from './person.ts';
import { connected, knownHosts, overSsh, withHost, type ClientInfo } from './session.ts';
import { sshStart, sshStartOptions } from './sshStart.ts';
import { columns } from './texts.ts';

const addOptions = {
  'token-stdin': { type: 'boolean' },
  fingerprint: { type: 'string' },
  ...sshStartOptions,
  json: { type: 'boolean' },
} as const;
type AddValues = ReturnType<typeof parseOptions<typeof addOptions>>['values'];

/** `remote add NAME ADDRESS`. */
export async function addHost(args: readonly string[], io: CommandIo, client: ClientInfo): Promise<number> {
  const { values, positionals } = parseOptions(args, addOptions, 'agentjet remote add');
  const [name, written, stray] = positionals;
  if (name === undefined || written === undefined || stray !== undefined)
    throw wrongUse(
      'agentjet remote add takes a name and an address.',
      'Write: agentjet remote add NAME wss://HOST:7788',
    );
  const hosts = knownHosts(io);
  hosts.mustBeFree(name);
  const isSsh = isSshAddress(written);
  mustFit(isSsh, values);
  const added = isSsh
    ? await addedOverSsh(written, values, { io, client })
    : await addedByAddress(written, values, { io, client });
  const { hello, token, ...host } = added;
  hosts.add({ name, id: hello.host.id, ...host }, token);
  const { host: told, scopes } = hello;
  if (values.json === true) io.stdout.write(`${JSON.stringify({ name, ...host, host: told, scopes })}\n`);
  else
    io.stderr.write(
      `${name} is ${told.name}, version ${told.version}. Its token may ${scopes.join(', ')}.\n`,
    );
  return exitCodes.ok;
}

interface Added extends Omit<KnownHost, 'name' | 'id'> {
  readonly hello: HostResults['hello'];
  readonly token: string;
}

interface Adding {
  readonly io: CommandIo;
  readonly client: ClientInfo;
}

async function addedByAddress(written: string, values: AddValues, { io, client }: Adding): Promise<Added> {
  const { address, fingerprint: named } = readAddress(written, values.fingerprint);
  const fingerprint = await certificateToTrust(address, named, io);
  const token = await tokenFor(values['token-stdin'] === true, io);
  const hello = await helloOf({ url: address, token, fingerprint }, client);
  return { address, token, hello, ...(fingerprint !== undefined && { fingerprint }) };
}

/** The host there makes a token for this machine, and tells it over the way that ssh has opened. */
async function addedOverSsh(written: string, values: AddValues, adding: Adding): Promise<Added> {
  const address = sshAddress(sshTarget(written));
  const start = sshStart(values);
  const ask = {
    ...start,
    token: `ssh-${hostname()
      .replace(/[^\w.-]/g, '')
      .slice(0, 30)}`,
  };
  const way = await overSsh(address, ask, adding);
  try {
    const token = way.token ?? '';
    const hello = await helloOf(
      { url: way.url, route: way.route, token, fingerprint: way.fingerprint },
      adding.client,
    );
    return { address, token, hello, start };
  } finally {
    way.dispose();
  }
}

function helloOf(address: HostAddress, client: ClientInfo): Promise<HostResults['hello']> {
  return connected(address, client, (_, hello) => Promise.resolve(hello));
}

function mustFit(isSsh: boolean, values: AddValues): void {
  const wrong = isSsh
    ? (['token-stdin', 'fingerprint'] as const).find((name) => values[name] !== undefined)
    : (['launcher', 'gpus', 'ray'] as const).find((name) => values[name] !== undefined);
  if (wrong === undefined) return;
  throw isSsh
    ? wrongUse(
        `--${wrong} is not for ssh.`,
        'The host there makes a token by itself, and ssh knows the machine.',
      )
    : wrongUse(
        `--${wrong} is for a host that ssh gets to.`,
        'The owner of this one says it where it is started.',
      );
}

/** An address as a host shows it, `#` and the fingerprint of its certificate at the end. */
function readAddress(
  written: string,
  option: string | undefined,
): { readonly address: string; readonly fingerprint: string | undefined } {
  const [text = '', inside] = written.split('#', 2);
  const [fingerprint, other] = [inside, option].flatMap((one) =>
    one === undefined ? [] : [readFingerprint(one)],
  );
  if (other !== undefined && other !== fingerprint)
    throw wrongUse(
      'The address and --fingerprint name different certificates.',
      'Give the one that the host shows.',
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
  throw wrongUse(
    `${JSON.stringify(text)} is no fingerprint of a certificate.`,
    'It is SHA-256 in hex, 64 digits, as the host shows it when it starts.',
  );
}

/** What to know the certificate by; undefined: an authority vouches for it, or there is none. */
async function certificateToTrust(
  address: string,
  named: string | undefined,
  { stderr }: CommandIo,
): Promise<string | undefined> {
  if (!address.startsWith('wss:')) {
    if (named !== undefined)
      throw wrongUse(`${address} has no certificate.`, 'Write wss:// if the host has TLS.');
    return undefined;
  }
  if (named !== undefined) return named;
  const { fingerprint, isTrusted } = await certificateAt(address);
  if (isTrusted) return undefined;
  if (!isAtTerminal()) throw unknownCertificate(address, fingerprint);
  stderr.write(
    `No authority vouches for the certificate of ${address}. Its SHA-256 is\n\n  ${fingerprint}\n\n`,
  );
  const answer = await askPerson('Does the host show the same? Write yes to trust it: ');
  if (answer?.toLowerCase() === 'yes') return fingerprint;
  throw unknownCertificate(address, fingerprint);
}

async function tokenFor(fromStdin: boolean, { env, readStdin }: CommandIo): Promise<string> {
  const given = fromStdin ? (await readStdin()).trim() : (env['AGENTJET_HOST_TOKEN'] ?? '');
  const token =
    given === '' && !fromStdin && isAtTerminal() ? await askPerson('Token: ', { hidden: true }) : given;
  if (token !== undefined && /^\S+$/.test(token)) return token;
  throw new CodedError({
    code: 'remote/needs-token',
    message: token === undefined || token === '' ? 'There is no token.' : 'What was given is no token.',
    hint: 'Pipe it in with --token-stdin, or set AGENTJET_HOST_TOKEN; the host shows it at its first start.',
  });
}

function unknownCertificate(address: string, fingerprint: string): CodedError {
  return new CodedError({
    code: 'remote/unknown-certificate',
    message: `No authority vouches for the certificate of ${address}, whose SHA-256 is ${fingerprint}.`,
    hint: 'If the host shows the same, add it to the address: `#` and these digits, or give --fingerprint.',
  });
}

/** `remote remove NAME`. */
export function removeHost(args: readonly string[], io: CommandIo): number {
  const options = { json: { type: 'boolean' } } as const;
  const { values, positionals } = parseOptions(args, options, 'agentjet remote remove');
  const [name, stray] = positionals;
  if (name === undefined || stray !== undefined)
    throw wrongUse('agentjet remote remove takes a name.', 'agentjet remote hosts lists them.');
  knownHosts(io).remove(name);
  if (values.json === true) io.stdout.write(`${JSON.stringify({ name })}\n`);
  return exitCodes.ok;
}

/** `remote hosts`. */
export function listHosts(args: readonly string[], io: CommandIo): number {
  const { values, positionals } = parseOptions(args, { json: { type: 'boolean' } }, 'agentjet remote hosts');
  const [stray] = positionals;
  if (stray !== undefined) throw wrongUse(`"${stray}" is not needed.`, 'All hosts are listed.');
  const hosts = knownHosts(io).list();
  if (values.json === true) io.stdout.write(`${JSON.stringify(hosts)}\n`);
  else if (hosts.length === 0)
    io.stderr.write('None is known: add one with agentjet remote add NAME ADDRESS.\n');
  else io.stdout.write(hosts.map(({ name, address }) => `${name.padEnd(20)}  ${address}\n`).join(''));
  return exitCodes.ok;
}

/** `remote status`. */
export async function showStatus(
  args: readonly string[],
  io: CommandIo,
  client: ClientInfo,
): Promise<number> {
  const options = { host: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values, positionals } = parseOptions(args, options, 'agentjet remote status');
  const [stray] = positionals;
  if (stray !== undefined) throw wrongUse(`"${stray}" belongs to no option.`, `Write --host ${stray}.`);
  return withHost(io, { host: values.host, client }, async ({ host, connection }) => {
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
    ({ name: launcher, version, problem }) => `${launcher} ${problem ?? version ?? 'of an unknown version'}`,
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
