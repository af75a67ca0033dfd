import path from 'node:path';
import * as vscode from 'vscode';
import { mostRecentFirst } from './recentFirst.ts';
import { commands } from '../../../base/core/ids.ts';
import { findConfigs, findConfigsOf } from './configIndex.ts';
import type { RecentConfigs } from './recentConfigs.ts';
import type { Target } from './target.ts';

/**
 * Returns the config to launch: the target itself, one that names the target's workflow, or one of the workspace. Asks
 * if there are several. Returns undefined if there is none, after a message to the user, or if the user cancels.
 */
export async function chooseConfig(
  target: Target | undefined,
  recent: RecentConfigs,
): Promise<vscode.Uri | undefined> {
  if (target !== undefined && target.kind !== 'workflow') return target.uri;
  const configs = target ? await findConfigsOf(target.uri, target.workflows) : await findConfigs();
  if (configs.length === 0) {
    void showNone(target ? noneNames(target) : noneAtAll());
    return undefined;
  }
  return configs.length === 1 ? configs[0] : pick(configs, recent);
}

/** With buttons, not least because the editor cuts off a message that has none after its first line. */
async function showNone(text: string): Promise<void> {
  const ways = [
    { title: vscode.l10n.t('New Project'), command: commands.newProject },
    { title: vscode.l10n.t('Open Example'), command: commands.openExample },
  ];
  const chosen = await vscode.window.showErrorMessage(text, ...ways);
  if (chosen !== undefined) await vscode.commands.executeCommand(chosen.command);
}

const noneAtAll = (): string =>
  vscode.l10n.t(
    'This workspace has no AgentJet config. Create a YAML file with a top-level key "ajet", and name your workflow in ajet.rollout.user_workflow.',
  );

function noneNames(target: Extract<Target, { kind: 'workflow' }>): string {
  const file = path.basename(target.uri.fsPath);
  const locators = target.workflows.map((name) => `${file}->${name}`);
  const either = new Intl.ListFormat(vscode.env.language, { type: 'disjunction' }).format(locators);
  return vscode.l10n.t(
    'No AgentJet config of this workspace names {0}. In a config, set ajet.rollout.user_workflow to it. The path is relative to the workspace folder or to the config.',
    either,
  );
}

async function pick(configs: readonly vscode.Uri[], recent: RecentConfigs): Promise<vscode.Uri | undefined> {
  const byUri = new Map(configs.map((uri) => [uri.toString(), uri]));
  const items = mostRecentFirst([...byUri.keys()], recent.list()).flatMap((key) => {
    const uri = byUri.get(key);
    return uri ? [{ label: path.basename(uri.fsPath), description: folderOf(uri), uri }] : [];
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('AgentJet: Choose a Config'),
    placeHolder: vscode.l10n.t('Select a config to launch'),
    matchOnDescription: true,
  });
  return chosen?.uri;
}

/** Returns the folder relative to the workspace; empty for its root. */
function folderOf(uri: vscode.Uri): string {
  const folder = path.dirname(vscode.workspace.asRelativePath(uri));
  return folder === '.' ? '' : folder;
}
