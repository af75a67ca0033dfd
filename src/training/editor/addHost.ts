import * as vscode from 'vscode';
import { formatReport, toReport } from '../../base/core/errors.ts';
import type { SshStart } from '../node/client/sshStart.ts';
import { isSshAddress, sshAddress, sshTarget } from '../node/client/ssh/target.ts';
import type { HostClients } from './hostClients.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';
import type { SshTunnels } from './sshTunnels.ts';

const example = 'wss://gpu.example:7788';
const startExample = '--launcher ajet=/opt/venv/bin/ajet --gpus 8 --ray http://HEAD:8265';
const title = (): string => vscode.l10n.t('AgentJet: Add GPU Host');

export interface AddHostParts {
  readonly hosts: KnownHosts;
  readonly clients: HostClients;
  readonly ssh: SshTunnels;
  readonly log: vscode.LogOutputChannel;
}

/** What was entered, for another try. */
interface Entered {
  address?: string;
  token?: string;
  start?: string;
  name?: string;
}

/**
 * Asks for a host's address and token, tries them, and keeps them; over ssh the host is brought there and makes a token.
 * Resolves to the host; to undefined where the user leaves. Where the host does not answer nothing is kept, and the user
 * may look over what was entered and try again.
 */
export async function addHost(parts: AddHostParts): Promise<KnownHost | undefined> {
  const entered: Entered = {};
  for (;;) {
    try {
      return await tryToAdd(parts, entered);
    } catch (error) {
      parts.log.error(formatReport(toReport(error, 'hosts/add'), { verbose: true }));
      const again = vscode.l10n.t('Try Again');
      const text = formatReport(toReport(error, 'hosts/add'));
      if ((await vscode.window.showErrorMessage(text, again)) !== again) return undefined;
    }
  }
}

async function tryToAdd(
  { hosts, clients, ssh }: AddHostParts,
  entered: Entered,
): Promise<KnownHost | undefined> {
  const address = await askAddress(entered);
  if (address === undefined) return undefined;
  const { url } = address;
  const overSsh = isSshAddress(url);
  const fingerprint = overSsh ? undefined : (address.fingerprint ?? (await confirmedFingerprint(url)));
  if (fingerprint === false) return undefined;
  const start = overSsh ? await askStart(entered) : undefined;
  if (start === 'left') return undefined;
  const given = overSsh ? '' : await askToken(title(), entered.token);
  if (given === undefined) return undefined;
  entered.token = given;
  const name = await askName(url, hosts, entered.name);
  if (name === undefined) return undefined;
  entered.name = name;
  const host: KnownHost = {
    ...{ name, url },
    ...(fingerprint !== undefined && { fingerprint }),
    ...(start !== undefined && { start }),
  };
  await connecting(name, async () => {
    const token = overSsh ? await ssh.token(url, start) : given;
    await hosts.add(host, token ?? '');
    try {
      await clients.connect(host);
    } catch (error) {
      await hosts.remove(name);
      throw error;
    }
  });
  return host;
}

function connecting<T>(name: string, run: () => Promise<T>): Thenable<T> {
  const heading = vscode.l10n.t('Connecting to {0} …', name);
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: heading }, run);
}

/** Trimmed; undefined: the user leaves. */
export async function askToken(heading: string, value = ''): Promise<string | undefined> {
  const token = await vscode.window.showInputBox({
    title: heading,
    prompt: vscode.l10n.t('Token of the host; `agentjet host` shows one when it is first started'),
    password: true,
    value,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter the token.') : undefined),
  });
  return token?.trim();
}

interface Address {
  readonly url: string;
  readonly fingerprint: string | undefined;
}

async function askAddress(entered: Entered): Promise<Address | undefined> {
  const { hostUrl } = await import('../node/client/connectHost.ts');
  const problem = (text: string): string | undefined => {
    try {
      if (isSshAddress(text)) sshTarget(text);
      else hostUrl(parts(text).url);
      return parts(text).isWhole ? undefined : vscode.l10n.t('A fingerprint has 64 hexadecimal digits.');
    } catch (error) {
      const { message, hint = '' } = toReport(error, 'hosts/address');
      return `${message} ${hint}`.trim();
    }
  };
  const text = await vscode.window.showInputBox({
    title: title(),
    prompt: vscode.l10n.t(
      'Address of the host, as `agentjet host` shows it, or the name that your ssh has for it: USER@MACHINE',
    ),
    placeHolder: example,
    value: entered.address ?? '',
    ignoreFocusOut: true,
    validateInput: (typed) => (typed.trim() === '' ? undefined : problem(typed.trim())),
  });
  if (text === undefined || text.trim() === '') return undefined;
  entered.address = text.trim();
  const address = parts(text.trim());
  return isSshAddress(address.url) ? { ...address, url: sshAddress(sshTarget(address.url)) } : address;
}

/** What the host is started with there; undefined: nothing beside. */
async function askStart(entered: Entered): Promise<SshStart | 'left' | undefined> {
  const { sshStartOf } = await import('../node/client/sshStart.ts');
  const problem = (text: string): string | undefined => {
    try {
      sshStartOf(text);
      return undefined;
    } catch (error) {
      const { message, hint = '' } = toReport(error, 'hosts/start');
      return `${message} ${hint}`.trim();
    }
  };
  const text = await vscode.window.showInputBox({
    title: title(),
    prompt: vscode.l10n.t(
      'What the host is started with there: paths of launchers that are not on PATH, a number of GPUs, a Ray cluster. Empty: as it finds the machine',
    ),
    placeHolder: startExample,
    value: entered.start ?? '',
    ignoreFocusOut: true,
    validateInput: problem,
  });
  if (text === undefined) return 'left';
  entered.start = text.trim();
  return entered.start === '' ? undefined : sshStartOf(entered.start);
}

/** An address may bring its certificate's fingerprint behind `#`. */
function parts(text: string): Address & { readonly isWhole: boolean } {
  const [url = '', hash = ''] = text.split('#');
  const fingerprint = hash.replaceAll(':', '').toLowerCase();
  const isFingerprint = /^[0-9a-f]{64}$/.test(fingerprint);
  const isWhole = hash === '' || isFingerprint;
  return { url, fingerprint: isFingerprint ? fingerprint : undefined, isWhole };
}

/** Undefined: an authority vouches for it, or there is no TLS; false: the user does not trust it. */
async function confirmedFingerprint(url: string): Promise<string | undefined | false> {
  if (!url.startsWith('wss:')) return undefined;
  const { certificateAt } = await import('../node/client/connectHost.ts');
  const { fingerprint, isTrusted } = await connecting(new URL(url).host, () => certificateAt(url));
  if (isTrusted) return undefined;
  const trust = vscode.l10n.t('Trust This Certificate');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('No authority vouches for the certificate of this host.'),
    {
      modal: true,
      detail: vscode.l10n.t(
        'Compare its SHA-256 fingerprint with the one that `agentjet host` shows on the machine:\n\n{0}',
        (fingerprint.match(/.{1,8}/g) ?? []).join(' '),
      ),
    },
    trust,
  );
  return chosen === trust ? fingerprint : false;
}

async function askName(
  url: string,
  hosts: KnownHosts,
  entered: string | undefined,
): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title: title(),
    prompt: vscode.l10n.t('Name of the host in this editor'),
    value:
      entered ?? (isSshAddress(url) ? sshTarget(url).host : new URL(url).hostname.replace(/^\[|\]$/g, '')),
    ignoreFocusOut: true,
    validateInput: (text) => {
      if (text.trim() === '') return vscode.l10n.t('Enter a name.');
      return hosts.find(text.trim()) === undefined
        ? undefined
        : vscode.l10n.t('There is a host of this name already.');
    },
  });
  return name?.trim();
}
