import process from 'node:process';
import * as vscode from 'vscode';
import type { LocatedFinding } from '../core/dispatch/located.ts';
import { settings, settingsSection } from '../../base/core/ids.ts';
import { renamedSetting } from '../../base/editor/settings.ts';

/** What a run is given of this machine's environment and of `.env` in the folder that is sent. */
export interface TrainingVariables {
  readonly env: Readonly<Record<string, string>>;
  /** Those that the user named and that are set nowhere, to be told before the run is started. */
  readonly findings: readonly LocatedFinding[];
}

/** Those that the user named in the settings. */
export async function trainingVariables(config: vscode.Uri, root: string): Promise<TrainingVariables> {
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

/** This machine's variables, and those of `.env` in the folder that is sent, where that is known. */
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
      'The setting `agentjet.training.env` names {0}, which is not set in the environment of the editor: the run does not get it.',
      name,
    ),
    hint: vscode.l10n.t(
      'Set it and start the editor again, write it into `.env` in the folder that is sent, or take it off the list.',
    ),
    range: undefined,
  };
}
