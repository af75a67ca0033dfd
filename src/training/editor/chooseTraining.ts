import * as vscode from 'vscode';
import { CodedError, toReport } from '../../base/core/errors.ts';
import type { RunRecord } from '../core/protocol/runs.ts';
import { commands } from '../../base/core/ids.ts';
import type { ChosenRun } from './hostClient.ts';
import type { HostClients } from './hostClients.ts';
import type { HostNode } from './hostsProvider.ts';
import { trainingDescription, trainingIcons } from './hostText.ts';
import type { KnownHost } from './knownHosts.ts';
import type { TrainingServices } from './services.ts';

type Known = Pick<TrainingServices, 'hosts' | 'clients'>;

/**
 * Resolves to the run of a row, or to one that the user chooses. Undefined if the user chooses none or there is none.
 * Rejects if no host can be reached.
 */
export async function chooseRun(
  known: Known,
  node: unknown,
  fits: (run: RunRecord) => boolean = () => true,
): Promise<ChosenRun | undefined> {
  return isTraining(node)
    ? known.clients.choose(node.host, node.run)
    : pickTraining(known, fits, vscode.l10n.t('Select a training run'));
}

/** Asks for another run to compare with. `isShown` returns true for the runs that are already compared. */
export function chooseOtherRun(
  known: Known,
  isShown: (run: string) => boolean,
): Promise<ChosenRun | undefined> {
  const question = vscode.l10n.t('Select a training run to compare with');
  return pickTraining(known, ({ id }) => !isShown(id), question);
}

export function noHostReached(errors: readonly unknown[]): Error {
  const [first] = errors;
  if (errors.length === 1 && first instanceof Error) return first;
  return new CodedError({
    code: 'hosts/none-reached',
    message: vscode.l10n.t('No GPU host responds. {0}', errors.map(reasonOf).join(' ')),
    hint: vscode.l10n.t(
      'Check that `agentjet host` is running on the machine and that the address is correct.',
    ),
  });
}

interface RunItem extends vscode.QuickPickItem {
  readonly chosen: ChosenRun;
}

interface HostItem extends vscode.QuickPickItem {
  readonly failed: KnownHost;
  readonly error: unknown;
}

/** Shows a list of runs that grows as hosts respond. The user can select a host that does not respond to retry it. */
async function pickTraining(
  { hosts: known, clients }: Known,
  fits: (run: RunRecord) => boolean,
  question: string,
): Promise<ChosenRun | undefined> {
  const hosts = known.list();
  if (hosts.length === 0) {
    await offerToAddHost();
    return undefined;
  }
  const pick = vscode.window.createQuickPick<RunItem | HostItem>();
  pick.placeholder = question;
  pick.matchOnDetail = true;
  // A page that opens takes the focus. This must not close the list while hosts are still loading.
  pick.ignoreFocusOut = true;
  const answers = new Map<string, readonly (RunItem | HostItem)[]>();
  const ask = async (host: KnownHost): Promise<void> => {
    answers.delete(host.name);
    pick.busy = true;
    answers.set(host.name, await itemsOf(host, clients, fits));
    const active = [...pick.activeItems];
    pick.items = hosts
      .flatMap(({ name }) => answers.get(name) ?? [])
      .toSorted((one, other) => Number('failed' in one) - Number('failed' in other));
    // Keep the user's choice active. A host that does not respond may have been the first item.
    const kept = active.filter((item) => 'chosen' in item && pick.items.includes(item));
    if (kept.length > 0) pick.activeItems = kept;
    pick.busy = answers.size < hosts.length;
  };
  try {
    return await new Promise<ChosenRun | undefined>((resolve, reject) => {
      pick.onDidHide(() => resolve(undefined));
      pick.onDidAccept(() => {
        const [item] = pick.selectedItems;
        if (item === undefined) return;
        if ('chosen' in item) resolve(item.chosen);
        else void ask(item.failed);
      });
      pick.show();
      Promise.all(hosts.map(ask)).then(() => {
        if (pick.items.some((item) => 'chosen' in item)) return;
        const failed = pick.items.flatMap((item) => ('failed' in item ? [item.error] : []));
        if (failed.length === hosts.length) reject(noHostReached(failed));
        else {
          showNone(failed);
          resolve(undefined);
        }
      }, reject);
    });
  } finally {
    pick.dispose();
  }
}

async function itemsOf(
  host: KnownHost,
  clients: HostClients,
  fits: (run: RunRecord) => boolean,
): Promise<readonly (RunItem | HostItem)[]> {
  try {
    const client = await clients.connect(host);
    for (const run of await client.connection.ask('run.list', {})) client.upsertRun(run);
    return client.runs.filter(fits).map((run) => ({
      label: run.name,
      description: trainingDescription(run),
      detail: `${host.name} · ${run.id}`,
      iconPath: new vscode.ThemeIcon(trainingIcons[run.state].icon),
      chosen: { host, client, run },
    }));
  } catch (error) {
    const state = clients.peek(host.name)?.state;
    return [
      {
        label: vscode.l10n.t('{0} does not respond', host.name),
        description: state && 'reason' in state ? state.reason : reasonOf(error),
        iconPath: new vscode.ThemeIcon('warning'),
        alwaysShow: true,
        failed: host,
        error,
      },
    ];
  }
}

async function offerToAddHost(): Promise<void> {
  const add = vscode.l10n.t('Add GPU Host');
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t('No GPU host has been added yet.'),
    add,
  );
  if (chosen === add) await vscode.commands.executeCommand(commands.addHost);
}

function showNone(failed: readonly unknown[]): void {
  const none = vscode.l10n.t('No training run is suitable for this command.');
  if (failed.length === 0) void vscode.window.showInformationMessage(none);
  else void vscode.window.showWarningMessage([none, ...failed.map(reasonOf)].join(' '));
}

function reasonOf(error: unknown): string {
  return toReport(error, 'hosts/link').message;
}

function isTraining(node: unknown): node is Extract<HostNode, { kind: 'training' }> {
  return typeof node === 'object' && node !== null && (node as Partial<HostNode>).kind === 'training';
}
