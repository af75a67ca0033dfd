import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { commands, views } from '../../base/core/ids.ts';
import { reportingErrors } from '../../base/editor/reportErrors.ts';
import { addHost, askToken } from './addHost.ts';
import { checkpointActions } from './checkpointActions.ts';
import { chooseFolder } from './chooseFolder.ts';
import { resumeTraining } from './folderActions.ts';
import { chooseOtherRun, chooseRun, noHostReached } from './chooseTraining.ts';
import { isRunning, type ChosenRun } from './hostClient.ts';
import type { HostNode } from './hostsProvider.ts';
import type { KnownHost } from './knownHosts.ts';
import type { TrainingServices } from './services.ts';
import { runActions, type RunAction } from './trainingActions.ts';
import type { TrainingPages } from './trainingPages.ts';
import { train } from './train.ts';
import { trainOnHost } from './trainOnHost.ts';

/** Registers the commands of the view. Commands for a run apply to the selected row, or ask for a run. */
export function registerHostCommands(services: TrainingServices, pages: TrainingPages): Disposable {
  const store = new DisposableStore();
  const register = (id: string, run: (argument: unknown) => Promise<unknown>): void => {
    store.add(
      vscode.commands.registerCommand(id, (argument: unknown) =>
        reportingErrors(() => run(argument), services.log),
      ),
    );
  };
  const forRun = (id: string, act: RunAction, fits?: (run: ChosenRun['run']) => boolean): void =>
    register(id, async (node) => {
      const chosen = await chooseRun(services, node, fits);
      if (chosen !== undefined) await act(chosen, services);
    });
  const isOver = (run: ChosenRun['run']): boolean => !isRunning(run);
  register(commands.addHost, () => addHost(services));
  register(commands.setHostToken, (node) => setToken(services, node));
  register(commands.removeHost, (node) => removeHost(services, node));
  register(commands.refreshHosts, () => refresh(services));
  register(commands.trainOnHost, (uri) => trainOnHost(services, uri instanceof vscode.Uri ? uri : undefined));
  register(commands.train, (uri) => train(services, uri instanceof vscode.Uri ? uri : undefined));
  const forFolder = (id: string, act: (folder: string) => Promise<void>): void =>
    register(id, async (argument) => {
      const folder = await chooseFolder(argument);
      if (folder !== undefined) await act(folder);
    });
  forFolder(commands.openTrainingFolder, (folder) => pages.showFolder(folder));
  forFolder(commands.resumeTrainingFolder, resumeTraining);
  const { fetchCheckpoint, publishCheckpoint, deleteCheckpoint } = checkpointActions;
  forFolder(commands.fetchFolderCheckpoint, (folder) => fetchCheckpoint(folder, services));
  forFolder(commands.publishFolderCheckpoint, (folder) => publishCheckpoint(folder, services));
  forFolder(commands.deleteFolderCheckpoint, (folder) => deleteCheckpoint(folder, services));
  forRun(commands.openTraining, (chosen) => pages.show(chosen));
  forRun(commands.compareTraining, (chosen) => pages.compare(chosen));
  forRun(commands.compareTrainingConfig, async (chosen) => {
    const other = await chooseOtherRun(services, (run) => run === chosen.run.id);
    if (other !== undefined) await services.configs.compare(chosen, other);
  });
  forRun(commands.showTrainingLog, runActions.showLog);
  forRun(commands.showTrainingConfig, runActions.showConfig);
  forRun(commands.cancelTraining, runActions.cancel, isRunning);
  forRun(commands.resumeTraining, runActions.resume, isOver);
  forRun(commands.forkTraining, runActions.fork);
  forRun(commands.fetchCheckpoint, runActions.fetchCheckpoint);
  forRun(commands.openRollouts, runActions.openRollouts);
  forRun(commands.openJobFolder, runActions.openJobFolder);
  forRun(commands.copyTrainingCommand, runActions.copyCommand);
  forRun(commands.removeTraining, runActions.remove, isOver);
  return store;
}

async function chosenHost({ hosts }: TrainingServices, node: unknown): Promise<KnownHost | undefined> {
  const named = (node as Partial<Extract<HostNode, { kind: 'host' }>> | undefined)?.host?.name;
  const names = hosts.list().map((host) => host.name);
  const placeHolder = vscode.l10n.t('Select a host');
  const name =
    named ?? (names.length === 1 ? names[0] : await vscode.window.showQuickPick(names, { placeHolder }));
  return name === undefined ? undefined : hosts.find(name);
}

async function setToken(services: TrainingServices, node: unknown): Promise<void> {
  const host = await chosenHost(services, node);
  const token = host && (await askToken(vscode.l10n.t('AgentJet: Enter Token of GPU Host')));
  if (host === undefined || token === undefined) return;
  await services.hosts.setToken(host.name, token);
  await services.clients.connect(host);
}

async function removeHost(services: TrainingServices, node: unknown): Promise<void> {
  const host = await chosenHost(services, node);
  if (host === undefined) return;
  const remove = vscode.l10n.t('Remove');
  const detail = vscode.l10n.t('Its runs continue. The token is deleted from the secret storage.');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Remove the GPU host {0} from this editor?', host.name),
    { modal: true, detail },
    remove,
  );
  if (chosen === remove) await services.hosts.remove(host.name);
}

/** Refreshes all hosts. Throws if none responds; otherwise the rows of failed hosts show the reasons. */
async function refresh({ hosts, clients }: TrainingServices): Promise<void> {
  const all = hosts.list();
  const answers = await vscode.window.withProgress({ location: { viewId: views.hosts } }, () =>
    Promise.allSettled(all.map(async (host) => (await clients.connect(host)).refresh())),
  );
  const failed = answers.flatMap((answer) =>
    answer.status === 'rejected' ? [answer.reason as unknown] : [],
  );
  if (failed.length > 0 && failed.length === all.length) throw noHostReached(failed);
}
