import * as vscode from 'vscode';
import { toReport } from '../../base/errors.ts';
import { isSshAddress, sshTarget } from '../../node/remote/ssh/target.ts';
import type { HostLinks } from './hostLinks.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';
import type { SshWays } from './sshWays.ts';

const example = 'wss://gpu.example:7788';
const title = (): string => vscode.l10n.t('AgentJet: Add GPU Host');

export interface AddHostParts {
  readonly hosts: KnownHosts;
  readonly links: HostLinks;
  readonly ssh: SshWays;
}

/**
 * Asks for a host's address and token, tries them, and keeps them; over ssh the host is brought there and makes a token.
 * Resolves to the host; to undefined where the user leaves. Rejects with what keeps the host from answering, after which
 * nothing is kept.
 */
export async function addHost({ hosts, links, ssh }: AddHostParts): Promise<KnownHost | undefined> {
  const address = await askAddress();
  if (address === undefined) return undefined;
  const { url } = address;
  const overSsh = isSshAddress(url);
  const fingerprint = overSsh ? undefined : (address.fingerprint ?? (await confirmedFingerprint(url)));
  if (fingerprint === false) return undefined;
  const given = overSsh ? '' : await askToken(title());
  if (given === undefined) return undefined;
  const name = await askName(url, hosts);
  if (name === undefined) return undefined;
  const host: KnownHost = { name, url, ...(fingerprint !== undefined && { fingerprint }) };
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Connecting to {0} …', name) },
    async () => {
      const token = overSsh ? await ssh.token(url) : given;
      await hosts.add(host, token ?? '');
      try {
        await links.connected(host);
      } catch (error) {
        await hosts.remove(name);
        throw error;
      }
    },
  );
  return host;
}

/** Trimmed; undefined: the user leaves. */
export async function askToken(heading: string): Promise<string | undefined> {
  const token = await vscode.window.showInputBox({
    title: heading,
    prompt: vscode.l10n.t('Token of the host; `agentjet host` shows one when it is first started'),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter the token.') : undefined),
  });
  return token?.trim();
}

interface Address {
  readonly url: string;
  readonly fingerprint: string | undefined;
}

async function askAddress(): Promise<Address | undefined> {
  const { hostUrl } = await import('../../node/remote/connectHost.ts');
  const problem = (text: string): string | undefined => {
    try {
      if (isSshAddress(text)) sshTarget(text);
      else hostUrl(parts(text).url);
      return undefined;
    } catch (error) {
      return toReport(error, 'hosts/address').message;
    }
  };
  const text = await vscode.window.showInputBox({
    title: title(),
    prompt: vscode.l10n.t('Address of the host, as `agentjet host` shows it, or ssh:USER@MACHINE'),
    placeHolder: example,
    ignoreFocusOut: true,
    validateInput: (typed) => (typed.trim() === '' ? undefined : problem(typed.trim())),
  });
  if (text === undefined || text.trim() === '') return undefined;
  return parts(text.trim());
}

/** An address may bring its certificate's fingerprint behind `#`. */
function parts(text: string): Address {
  const [url = '', hash = ''] = text.split('#');
  const fingerprint = hash.replaceAll(':', '').toLowerCase();
  return { url, fingerprint: /^[0-9a-f]{64}$/.test(fingerprint) ? fingerprint : undefined };
}

/** Undefined: an authority vouches for it, or there is no TLS; false: the user does not trust it. */
async function confirmedFingerprint(url: string): Promise<string | undefined | false> {
  if (!url.startsWith('wss:')) return undefined;
  const { certificateAt } = await import('../../node/remote/connectHost.ts');
  const { fingerprint, isTrusted } = await certificateAt(url);
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

async function askName(url: string, hosts: KnownHosts): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title: title(),
    prompt: vscode.l10n.t('Name of the host in this editor'),
    value: isSshAddress(url) ? sshTarget(url).host : new URL(url).hostname.replace(/^\[|\]$/g, ''),
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
