import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import type { CheckpointId } from '../core/sync/checkpoints.ts';
import { commands, views } from '../../base/core/ids.ts';
import { reportingErrors } from '../../base/editor/reportErrors.ts';
import { addHost, askToken } from './addHost.ts';
import { chooseOtherRun, chooseRun, noHostReached } from './chooseTraining.ts';
import type { HostClients } from './hostClients.ts';
import type { HostNode } from './hostsProvider.ts';
import type { KnownHosts } from './knownHosts.ts';
import { openRollouts } from './rollouts.ts';
import type { PageActions } from './trainingPages.ts';
import {
  cancelTraining,
  copyCommand,
  fetchCheckpointOf,
  resumeOrFork,
  isRunning,
  openJobFolder,
  removeTraining,
  type ChosenRun,
} from './trainingActions.ts';
import type { TrainingConfigs } from './trainingConfigs.ts';
import { trainOnHost, type TrainParts } from './trainOnHost.ts';

export interface CommandParts extends TrainParts {
  readonly showLog: (chosen: ChosenRun) => void;
  /** Shows the page of a run. See `TrainingPages.show`. */
  readonly showPage: (chosen: ChosenRun, opensItself?: boolean) => Promise<void>;
  readonly compare: (chosen: ChosenRun) => Promise<void>;
  readonly configs: TrainingConfigs;
}

/** Registers the commands of the view. Commands for a run apply to the selected row, or ask for a run. */
export function registerHostCommands(parts: CommandParts): Disposable {
  const { hosts, clients, log, showLog, showPage, compare, configs } = parts;
  const actions = pageActions(parts);
  const store = new DisposableStore();
  const register = (id: string, run: (...args: unknown[]) => Promise<unknown>): void => {
    store.add(
      vscode.commands.registerCommand(id, (...args: unknown[]) => reportingErrors(() => run(...args), log)),
    );
  };
  const forRun = (
    id: string,
    act: (chosen: ChosenRun) => unknown,
    fits?: (run: ChosenRun['run']) => boolean,
  ): void =>
    register(id, async (node) => {
      const chosen = await chooseRun(hosts, clients, node, fits);
      if (chosen !== undefined) await act(chosen);
    });
  const isOver = (run: ChosenRun['run']): boolean => !isRunning(run);
  register(commands.addHost, () => addHost(parts));
  register(commands.setHostToken, (node) => setToken(hosts, clients, node));
  register(commands.removeHost, (node) => removeHost(hosts, node));
  register(commands.refreshHosts, () => refresh(hosts, clients));
  register(commands.trainOnHost, (uri) => trainOnHost(parts, uri instanceof vscode.Uri ? uri : undefined));
  forRun(commands.openTraining, showPage);
  forRun(commands.showTrainingLog, showLog);
  forRun(commands.compareTraining, compare);
  forRun(commands.showTrainingConfig, (chosen) => configs.show(chosen));
  forRun(commands.compareTrainingConfig, async (chosen) => {
    const other = await chooseOtherRun(hosts, clients, (run) => run === chosen.run.id);
    if (other !== undefined) await configs.compare(chosen, other);
  });
  forRun(commands.cancelTraining, (chosen) => actions.cancel(chosen, undefined), isRunning);
  forRun(commands.resumeTraining, (chosen) => actions.resume(chosen, undefined), isOver);
  forRun(commands.forkTraining, (chosen) => actions.fork(chosen, undefined));
  forRun(commands.fetchCheckpoint, (chosen) => actions.fetchCheckpoint(chosen, undefined));
  forRun(commands.openRollouts, (chosen) => actions.openRollouts(chosen, undefined));
  forRun(commands.openJobFolder, openJobFolder);
  forRun(commands.copyTrainingCommand, (chosen) => copyCommand(chosen, parts.dispatchedRuns));
  forRun(commands.removeTraining, removeTraining, isOver);
  return store;
}

/** Returns the actions of the page of a run. */
export function pageActions(
  parts: Pick<CommandParts, 'showLog' | 'showPage' | 'configs' | 'storage' | 'dispatchedRuns' | 'notes'>,
): PageActions {
  const startFrom = async (
    chosen: ChosenRun,
    as: 'resume' | 'fork',
    checkpoint: CheckpointId | undefined,
  ): Promise<void> => {
    const run = await resumeOrFork(chosen, as, parts, checkpoint);
    if (run !== undefined) await parts.showPage({ ...chosen, run }, true);
  };
  return {
    cancel: cancelTraining,
    resume: (chosen, checkpoint) => startFrom(chosen, 'resume', checkpoint),
    fork: (chosen, checkpoint) => startFrom(chosen, 'fork', checkpoint),
    fetchCheckpoint: fetchCheckpointOf,
    showLog: (chosen) => {
      parts.showLog(chosen);
      return Promise.resolve();
    },
    showConfig: (chosen) => parts.configs.show(chosen),
    openRollouts: (chosen) => openRollouts(chosen, parts),
    copyCommand: (chosen) => copyCommand(chosen, parts.dispatchedRuns),
  };
}

/** Resolves to the host of a row, or to one that the user chooses. */
async function chosenHost(hosts: KnownHosts, node: unknown): Promise<string | undefined> {
  const named = (node as Partial<Extract<HostNode, { kind: 'host' }>> | undefined)?.host?.name;
  const names = hosts.list().map((host) => host.name);
  if (named !== undefined || names.length === 1) return named ?? names[0];
  return vscode.window.showQuickPick(names, { placeHolder: vscode.l10n.t('Select a host') });
}

async function setToken(hosts: KnownHosts, clients: HostClients, node: unknown): Promise<void> {
  const name = await chosenHost(hosts, node);
  const host = name === undefined ? undefined : hosts.find(name);
  const token = host && (await askToken(vscode.l10n.t('AgentJet: Enter Token of GPU Host')));
  if (host === undefined || token === undefined) return;
  await hosts.setToken(host.name, token);
  await clients.connect(host);
}

async function removeHost(hosts: KnownHosts, node: unknown): Promise<void> {
  const name = await chosenHost(hosts, node);
  if (name === undefined) return;
  const remove = vscode.l10n.t('Remove');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Remove the GPU host {0} from this editor?', name),
    {
      modal: true,
      detail: vscode.l10n.t('Its runs continue. The token is deleted from the secret storage.'),
    },
    remove,
  );
  if (chosen === remove) await hosts.remove(name);
}

/** Refreshes all hosts. Throws if none responds; otherwise the rows of failed hosts show the reasons. */
async function refresh(hosts: KnownHosts, clients: HostClients): Promise<void> {
  const all = hosts.list();
  const failed: Parameters<typeof noHostReached>[0][number][] = [];
  await vscode.window.withProgress({ location: { viewId: views.hosts } }, () =>
    Promise.all(
      all.map(async (host) => {
        try {
          await (await clients.connect(host)).refresh();
        } catch (error) {
          failed.push({ host, error });
        }
      }),
    ),
  );
  if (failed.length > 0 && failed.length === all.length) throw noHostReached(failed);
}
