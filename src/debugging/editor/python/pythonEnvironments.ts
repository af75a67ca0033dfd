import path from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../../base/core/ports.ts';
import { settings, settingsSection } from '../../../base/core/ids.ts';
import { pythonExtensionIds, selectedInterpreter } from './pythonApi.ts';

/**
 * Returns the folders of the Python environments that a config would run in. These are the environments of the
 * interpreter in the Python extension, if that has started already, and of the interpreter in the setting.
 */
export async function pythonEnvironments(
  config: vscode.Uri,
  clock: Clock,
  log: vscode.LogOutputChannel,
): Promise<readonly string[]> {
  const isActive = vscode.extensions.getExtension(pythonExtensionIds.environments)?.isActive === true;
  const warn = (message: string): void => log.warn(message);
  const selected = isActive
    ? await selectedInterpreter(vscode.extensions, config, { clock, warn })
    : undefined;
  const setting = vscode.workspace.getConfiguration(settingsSection, config).get<string>(settings.python);
  return [selected, setting].flatMap((executable) => {
    if (executable === undefined || !path.isAbsolute(executable)) return [];
    const folder = path.dirname(executable);
    // An environment of conda has its Python at the top on Windows, others in `bin` or `Scripts`.
    return [path.dirname(folder), folder];
  });
}
