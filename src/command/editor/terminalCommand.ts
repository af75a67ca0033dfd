import path from 'node:path';
import process from 'node:process';
import * as vscode from 'vscode';

/**
 * Adds the command `agentjet` to the terminals of the editor. It is last on PATH, so that an installed one wins. Its
 * scripts are in `media/bin`.
 */
export function addCommandToTerminals({
  environmentVariableCollection: variables,
  extensionPath,
}: Pick<vscode.ExtensionContext, 'environmentVariableCollection' | 'extensionPath'>): void {
  variables.description = vscode.l10n.t('Adds the command agentjet.');
  variables.append('PATH', path.delimiter + path.join(extensionPath, 'media/bin'));
  variables.replace('AGENTJET_EDITOR_NODE', process.execPath);
}
