import * as vscode from 'vscode';
import { formatReport, toReport } from '../../base/core/errors.ts';
import type { HostStart } from '../core/protocol/sshHost.ts';
import { isSshAddress, sshAddress, sshTarget } from '../node/client/ssh/target.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';
import type { TrainingServices } from './services.ts';

const example = 'wss://gpu.example:7788';
const startExample = '--launcher ajet=/opt/venv/bin/ajet --gpus 8 --ray http://HEAD:8265';
const title = (): string => vscode.l10n.t('AgentJet: Add GPU Host');

/** The input of the user, to prefill the next try. */
interface Entered {
  address?: string;
  token?: string | undefined;
  start?: string;
  name?: string | undefined;
}

/**
 * Asks for the address and token of a host, connects to it and adds it to the list. Over SSH it copies the host program to
 * the machine and starts it, which creates a token. Resolves to undefined if the user dismisses a question. If the
 * connection fails, the host is not added, and the user can correct the input and try again.
 */
export async function addHost(services: TrainingServices): Promise<KnownHost | undefined> {
  const entered: Entered = {};
  for (;;) {
    try {
      return await tryToAdd(services, entered);
    } catch (error) {
      const report = toReport(error, 'hosts/add');
      services.log.error(formatReport(report, { verbose: true }));
      const again = vscode.l10n.t('Try Again');
      if ((await vscode.window.showErrorMessage(formatReport(report, { codeLast: true }), again)) !== again)
        return undefined;
    }
  }
}

async function tryToAdd(
  { hosts, clients, ssh }: TrainingServices,
  entered: Entered,
): Promise<KnownHost | undefined> {
  const address = await askAddress(entered);
  if (address === undefined) return undefined;
  const { url } = address;
  const overSsh = isSshAddress(url);
  const fingerprint = overSsh ? undefined : (address.fingerprint ?? (await confirmedFingerprint(url)));
  if (fingerprint === false) return undefined;
  const start = overSsh ? await askStart(entered) : undefined;
  if (start === 'dismissed') return undefined;
  entered.token = overSsh ? '' : await askToken(title(), entered.token);
  if (entered.token === undefined) return undefined;
  const { token } = entered;
  const name = (entered.name = await askName(url, hosts, entered.name));
  if (name === undefined) return undefined;
  const host: KnownHost = {
    ...{ name, url },
    ...(fingerprint !== undefined && { fingerprint }),
    ...(start !== undefined && { start }),
  };
  await connecting(name, async () => {
    await hosts.add(host, overSsh ? ((await ssh.token(url, start)) ?? '') : token);
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

async function ask(options: vscode.InputBoxOptions): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({ title: title(), ignoreFocusOut: true, ...options });
  return text?.trim();
}

export async function askToken(heading: string, value = ''): Promise<string | undefined> {
  return ask({
    title: heading,
    prompt: vscode.l10n.t('Token of the host. `agentjet host` prints one when it first starts.'),
    password: true,
    value,
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter the token.') : undefined),
  });
}

interface Address {
  readonly url: string;
  readonly fingerprint: string | undefined;
}

async function askAddress(entered: Entered): Promise<Address | undefined> {
  const { hostUrl } = await import('../node/client/connectHost.ts');
  const problem = (text: string): string | undefined =>
    problemOf(() => (isSshAddress(text) ? sshTarget(text) : hostUrl(parts(text).url))) ??
    (parts(text).isWhole ? undefined : vscode.l10n.t('A fingerprint has 64 hexadecimal digits.'));
  const text = await ask({
    prompt: vscode.l10n.t(
      'Address of the host, as `agentjet host` prints it, or an SSH destination: USER@MACHINE',
    ),
    placeHolder: example,
    value: entered.address ?? '',
    validateInput: (typed) => (typed.trim() === '' ? undefined : problem(typed.trim())),
  });
  if (text === undefined || text === '') return undefined;
  entered.address = text;
  const address = parts(text);
  const { url } = address;
  return { ...address, url: isSshAddress(url) ? sshAddress(sshTarget(url)) : hostUrl(url).origin };
}

/** Asks for the options to start the host with. Resolves to undefined if there are none. */
async function askStart(entered: Entered): Promise<HostStart | 'dismissed' | undefined> {
  const { sshStartOf } = await import('../node/client/sshStart.ts');
  const text = await ask({
    prompt: vscode.l10n.t(
      'Options to start the host with: paths of launchers that are not on PATH, number of GPUs, Ray cluster. Leave empty to detect them.',
    ),
    placeHolder: startExample,
    value: entered.start ?? '',
    validateInput: (text) => problemOf(() => sshStartOf(text)),
  });
  if (text === undefined) return 'dismissed';
  entered.start = text;
  return text === '' ? undefined : sshStartOf(text);
}

function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    const { message, hint = '' } = toReport(error, 'hosts/input');
    return `${message} ${hint}`.trim();
  }
}

/** Splits an address from the fingerprint of its certificate, which can follow after `#`. */
function parts(text: string): Address & { readonly isWhole: boolean } {
  const [url = '', hash = ''] = text.split('#');
  const fingerprint = hash.replaceAll(':', '').toLowerCase();
  const isFingerprint = /^[0-9a-f]{64}$/.test(fingerprint);
  const isWhole = hash === '' || isFingerprint;
  return { url, fingerprint: isFingerprint ? fingerprint : undefined, isWhole };
}

/**
 * Resolves to the fingerprint of a certificate that the user trusts, or to false if the user does not trust it. Undefined
 * if a trusted authority signed it, or if there is no TLS.
 */
async function confirmedFingerprint(url: string): Promise<string | undefined | false> {
  if (!url.startsWith('wss:')) return undefined;
  const { certificateAt } = await import('../node/client/connectHost.ts');
  const { fingerprint, isTrusted } = await connecting(new URL(url).host, () => certificateAt(url));
  if (isTrusted) return undefined;
  const trust = vscode.l10n.t('Trust This Certificate');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('The certificate of this host is not signed by a trusted authority.'),
    {
      modal: true,
      detail: vscode.l10n.t(
        'Compare its SHA-256 fingerprint with the one that `agentjet host` prints on the machine:\n\n{0}',
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
  return ask({
    prompt: vscode.l10n.t('Name of the host in this editor'),
    value:
      entered ?? (isSshAddress(url) ? sshTarget(url).host : new URL(url).hostname.replace(/^\[|\]$/g, '')),
    validateInput: (text) => {
      if (text.trim() === '') return vscode.l10n.t('Enter a name.');
      return hosts.find(text.trim()) === undefined
        ? undefined
        : vscode.l10n.t('A host with this name already exists.');
    },
  });
}
