import process from 'node:process';
import * as vscode from 'vscode';
import type { LocatedFinding } from '../core/dispatch/located.ts';
import type { RunOrder } from '../core/protocol/runs.ts';
import { settings, settingsSection } from '../../base/core/ids.ts';
import { renamedSetting } from '../../base/editor/settings.ts';

/**
 * Returns the variables for a run, from the environment and from `.env` in the folder that is sent. There is one finding
 * for each variable of the setting that is not set.
 */
export async function trainingVariables(
  config: vscode.Uri,
  root: string,
): Promise<Pick<RunOrder, 'env'> & { readonly findings: readonly LocatedFinding[] }> {
  const section = vscode.workspace.getConfiguration(settingsSection, config);
  const names = renamedSetting<readonly string[]>(section, settings.trainingEnv, []);
  const environment = await environmentOf(root);
  const env: Record<string, string> = {};
  const findings: LocatedFinding[] = [];
  for (const name of names) {
    const value = environment[name];
    if (value === undefined) findings.push(notSet(name));
    else env[name] = value;
  }
  return { env, findings };
}

/** Returns the environment of this process, with the variables of `.env` in the folder that is sent, if it is known. */
export async function environmentOf(root: string | undefined): Promise<NodeJS.ProcessEnv> {
  if (root === undefined) return process.env;
  const { dotEnv } = await import('../../base/node/dotEnv.ts');
  const { localFiles } = await import('../../base/node/files.ts');
  return { ...(await dotEnv(root, localFiles, process.env)), ...process.env };
}

function notSet(name: string): LocatedFinding {
  return {
    id: 'variable-not-set',
    severity: 'warning',
    message: vscode.l10n.t(
      'The run does not get the variable {0}: the setting `agentjet.training.env` names it, but it is not set.',
      name,
    ),
    hint: vscode.l10n.t(
      'Set it and restart the editor, write it into `.env` in the folder that is sent, or remove it from the setting.',
    ),
    range: undefined,
  };
}
