import path from 'node:path';
import * as vscode from 'vscode';
import type { ApiKeys } from '../../backbone/editor/model/apiKeys.ts';
import { chooseConfig } from '../../configs/editor/choose/chooseConfig.ts';
import { workingFolder } from '../../configs/editor/choose/configIndex.ts';
import { targetOf } from '../../configs/editor/choose/target.ts';
import { shellCommand } from '../core/launch/shellWords.ts';
import { chooseDebugging, debug } from './folderActions.ts';
import type { TrainingServices } from './services.ts';
import { chooseTinkerModel } from './tinkerHosts.ts';
import { chooseHost, trainOnHost } from './trainOnHost.ts';

const title = (): string => vscode.l10n.t('AgentJet: Train');

/** Asks where to train a config, and starts the training there. */
export async function train(services: TrainingServices, uri: vscode.Uri | undefined): Promise<void> {
  const items = [
    {
      label: vscode.l10n.t('$(server) GPU host'),
      detail: vscode.l10n.t('Sends the config and its code to a machine with GPUs, and trains there.'),
      start: () => trainOnHost(services, uri),
    },
    {
      label: vscode.l10n.t('$(cloud) Tinker server'),
      detail: vscode.l10n.t(
        'Runs the workflow here, with breakpoints. The server has the model and the GPUs.',
      ),
      start: () => trainOnServer(services, uri),
    },
    {
      label: vscode.l10n.t('$(remote) Tinker server on a GPU host'),
      detail: vscode.l10n.t(
        'Runs the workflow here, with breakpoints. The host starts the server on its GPUs.',
      ),
      start: () => trainThroughHost(services, uri),
    },
    {
      label: vscode.l10n.t('$(device-desktop) This machine (rehearsal)'),
      detail: vscode.l10n.t('Trains a tiny model on the CPU for a few steps, to see that everything works.'),
      start: () => rehearse(services, uri),
    },
  ];
  const placeHolder = vscode.l10n.t('Select where to train');
  await (await vscode.window.showQuickPick(items, { title: title(), placeHolder }))?.start();
}

async function trainOnServer(services: TrainingServices, uri: vscode.Uri | undefined): Promise<void> {
  const config = await configOf(services, uri);
  if (config === undefined) return;
  const tinkerUrl = await vscode.window.showInputBox({
    title: title(),
    prompt: vscode.l10n.t('Address of the Tinker server'),
    value: 'http://127.0.0.1:8000',
    validateInput: (text) =>
      /^https?:/.test(text) && URL.canParse(text)
        ? undefined
        : vscode.l10n.t('Enter a URL, such as {0}', 'http://127.0.0.1:8000'),
    ignoreFocusOut: true,
  });
  if (tinkerUrl === undefined || !(await hasKey(services.apiKeys, tinkerUrl))) return;
  await trainHere(config, { tinkerUrl });
}

async function trainThroughHost(services: TrainingServices, uri: vscode.Uri | undefined): Promise<void> {
  const config = await configOf(services, uri);
  if (config === undefined) return;
  const host = await chooseHost(services, title());
  if (host === undefined) return;
  const { connection } = await services.clients.connect(host);
  const baseModel = await chooseTinkerModel(host, await connection.ask('status', {}));
  if (baseModel !== undefined) await trainHere(config, { tinkerHost: host.name, baseModel });
}

/** Asks for the debugger, and trains a config with the workflow on this machine. */
async function trainHere(
  config: vscode.Uri,
  server: { readonly tinkerUrl: string } | { readonly tinkerHost: string; readonly baseModel: string },
): Promise<void> {
  const name = vscode.l10n.t('Train {0}', path.basename(config.fsPath));
  const noDebug = await chooseDebugging(name);
  if (noDebug === undefined) return;
  const cwd = workingFolder(config);
  await debug({ name, config: config.fsPath, cwd, backbone: 'tinker', ...server }, noDebug);
}

/** Asks for the key of a server, unless it is saved. Resolves to false if the user cancels. */
async function hasKey(apiKeys: ApiKeys, baseUrl: string): Promise<boolean> {
  if ((await apiKeys.get(baseUrl)) !== undefined) return true;
  const key = await vscode.window.showInputBox({
    title: title(),
    prompt: vscode.l10n.t('API key for {0}. Leave it empty if the server needs none.', baseUrl),
    password: true,
    ignoreFocusOut: true,
  });
  if (key !== undefined && key.trim() !== '') await apiKeys.save(baseUrl, key.trim());
  return key !== undefined;
}

/** Runs the command in a terminal, which shows what it downloads and how far it is. */
async function rehearse(services: TrainingServices, uri: vscode.Uri | undefined): Promise<void> {
  const config = await configOf(services, uri);
  if (config === undefined) return;
  const name = vscode.l10n.t('AgentJet rehearsal');
  const terminal = vscode.window.createTerminal({ name, cwd: workingFolder(config) });
  terminal.show();
  terminal.sendText(shellCommand(['agentjet', 'rehearse', '--conf', config.fsPath]));
}

async function configOf(
  { recent }: TrainingServices,
  uri: vscode.Uri | undefined,
): Promise<vscode.Uri | undefined> {
  if (uri !== undefined) return uri;
  const document = vscode.window.activeTextEditor?.document;
  return chooseConfig(document && targetOf(document), recent);
}
