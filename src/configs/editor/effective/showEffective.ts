import * as vscode from 'vscode';
import { CodedError } from '../../../base/core/errors.ts';
import { effectiveUri, readEffectiveUri, type EffectiveTarget } from './effectiveUri.ts';

/**
 * Returns the config of a command: the given one, the active editor, or the source of the effective config in the
 * active editor.
 */
export function activeConfig(given: unknown): vscode.Uri {
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  const source = uri && (readEffectiveUri(uri)?.source ?? uri);
  if (source !== undefined) return source;
  throw new CodedError({
    code: 'config/no-active-config',
    message: vscode.l10n.t('The active editor does not show a config.'),
    hint: vscode.l10n.t('Open the config, then run the command again.'),
  });
}

/** Opens the effective config next to the config, which keeps the focus. */
export async function showEffective(given: unknown, target: EffectiveTarget): Promise<void> {
  const uri = effectiveUri({ source: activeConfig(given), target, shows: 'origins' });
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, {
    viewColumn: vscode.ViewColumn.Beside,
    preserveFocus: true,
    preview: false,
  });
}
