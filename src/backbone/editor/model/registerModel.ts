import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { commands, settings, settingsSection } from '../../../base/core/ids.ts';
import type { Clock } from '../../../base/core/ports.ts';
import { followActiveDocument } from '../../../base/editor/activeDocument.ts';
import { reportingErrors } from '../../../base/editor/reportErrors.ts';
import { targetOf } from '../../../configs/editor/choose/target.ts';
import { ignoresEndpoint } from '../../node/options/resolveRun.ts';
import type { RunOptions } from '../../node/options/runOptions.ts';
import { chooseModel, type ChoiceParts } from './chooseModel.ts';
import { configuredModel, describeModel } from './modelSettings.ts';

/** Registers the choice of the model and the status bar item that shows it. */
export function registerModel(parts: ChoiceParts, clock: Clock): Disposable {
  const store = new DisposableStore();
  store.add(parts.apiKeys.registerCommands());
  store.add(
    vscode.commands.registerCommand(commands.chooseModel, () =>
      reportingErrors(() => chooseModel(parts), parts.log),
    ),
  );
  store.add(registerStatus(clock));
  return store;
}

/** The item appears with the first config or workflow that this window shows. */
function registerStatus(clock: Clock): Disposable {
  const store = new DisposableStore();
  const item = store.add(
    vscode.window.createStatusBarItem('agentjet.model', vscode.StatusBarAlignment.Left, 49),
  );
  item.name = vscode.l10n.t('AgentJet Model');
  item.command = commands.chooseModel;
  store.add(
    followActiveDocument(clock, (document) => {
      draw(item);
      if (document !== undefined && targetOf(document) !== undefined) item.show();
    }),
  );
  store.add(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settingsSection)) draw(item);
    }),
  );
  return store;
}

function draw(item: vscode.StatusBarItem): void {
  const chosen = configuredModel(vscode.window.activeTextEditor?.document.uri);
  const { label, detail } = describeModel(chosen);
  const isUnused = ignoresEndpoint(chosen as RunOptions);
  item.text = `${isUnused ? '$(warning)' : '$(hubot)'} ${label}`;
  const unused = vscode.l10n.t(
    'The setting {0} is not used, because {1} has another value.',
    `agentjet.${settings.endpoint}`,
    `agentjet.${settings.model}`,
  );
  const lines = [
    vscode.l10n.t('Model of AgentJet runs: {0}', label),
    detail,
    ...(isUnused ? [unused] : []),
    vscode.l10n.t('A launch configuration can name another one. Click to choose.'),
  ];
  item.tooltip = lines.join('\n');
  item.accessibilityInformation = { label: vscode.l10n.t('AgentJet model: {0}, {1}', label, detail) };
}
