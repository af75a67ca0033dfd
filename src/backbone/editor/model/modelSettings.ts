/** The model of runs as the settings have it. */
import path from 'node:path';
import * as vscode from 'vscode';
import { settings, settingsSection } from '../../../base/core/ids.ts';
import { writeUrl } from '../../../base/core/httpTexts.ts';
import { modelKind } from '../../node/options/resolveRun.ts';
import { runOptions, type RunOptions } from '../../node/options/runOptions.ts';

export type ChosenEndpoint = NonNullable<RunOptions['endpoint']>;
export type ChosenModel = Pick<RunOptions, 'model' | 'endpoint' | 'script' | 'editorModel'>;

/** The kind comes last, so that it never names a model that is not set yet. */
const names = [settings.endpoint, settings.script, settings.editorModel, settings.model] as const;

/** Returns the value that a user has set, without the default. Null and an empty text count as not set. */
export function configuredValue<T>(
  inspected:
    | {
        readonly workspaceFolderValue?: T | undefined;
        readonly workspaceValue?: T | undefined;
        readonly globalValue?: T | undefined;
      }
    | undefined,
): T | undefined {
  const { workspaceFolderValue, workspaceValue, globalValue } = inspected ?? {};
  // A null of the workspace hides the value of the user.
  const value = [workspaceFolderValue, workspaceValue, globalValue].find((one) => one !== undefined);
  return value === '' || value === null ? undefined : value;
}

/** Returns the configured model of a folder. A setting with an invalid value counts as not set. */
export function configuredModel(scope: vscode.Uri | undefined): ChosenModel {
  const section = vscode.workspace.getConfiguration(settingsSection, scope);
  const values = names.map((name) => {
    const value = configuredValue<unknown>(section.inspect(name));
    return [name, runOptions.shape[name].safeParse(value).data] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as ChosenModel;
}

/** Saves a model in the settings of the workspace, or of the user if no folder is open. */
export async function saveModel(chosen: ChosenModel, scope: vscode.Uri | undefined): Promise<void> {
  const section = vscode.workspace.getConfiguration(settingsSection, scope);
  for (const name of names) {
    const inspected = section.inspect<unknown>(name);
    const isOfFolder =
      inspected?.workspaceFolderValue !== undefined && vscode.workspace.workspaceFile !== undefined;
    const target = isOfFolder
      ? vscode.ConfigurationTarget.WorkspaceFolder
      : vscode.workspace.workspaceFolders === undefined
        ? vscode.ConfigurationTarget.Global
        : vscode.ConfigurationTarget.Workspace;
    await section.update(name, chosen[name] ?? cleared(name, target, inspected), target);
  }
}

/** Returns the value for a setting that the model does not use. It hides one that the user's own settings have. */
function cleared(
  name: (typeof names)[number],
  target: vscode.ConfigurationTarget,
  inspected: { readonly globalValue?: unknown } | undefined,
): unknown {
  const isInherited = target !== vscode.ConfigurationTarget.Global && inspected?.globalValue !== undefined;
  if (!isInherited) return undefined;
  return name === settings.endpoint ? null : '';
}

/** Returns the name of a model for people, and what it is. */
export function describeModel(chosen: ChosenModel): { readonly label: string; readonly detail: string } {
  const { endpoint, script, editorModel } = chosen;
  switch (modelKind(chosen as RunOptions)) {
    case 'embedded':
      return {
        label: vscode.l10n.t('Built-in model'),
        detail: vscode.l10n.t('No network, no key, deterministic'),
      };
    case 'human':
      return { label: vscode.l10n.t('You'), detail: vscode.l10n.t('Each LLM call asks you for the answer') };
    case 'editor':
      return {
        label: editorModel ?? '?',
        detail: vscode.l10n.t('Language model of the editor, without token ids and log probabilities'),
      };
    case 'tinker':
      return {
        label: vscode.l10n.t('Checkpoint'),
        detail: vscode.l10n.t('Saved weights on a Tinker server'),
      };
    case 'script':
      return { label: path.basename(script ?? '?'), detail: script ?? vscode.l10n.t('No script is set') };
    case 'endpoint':
      return {
        label: endpoint?.model ?? vscode.l10n.t('The only model of the server'),
        detail: endpoint === undefined ? vscode.l10n.t('No endpoint is set') : writeUrl(endpoint.baseUrl),
      };
  }
}
