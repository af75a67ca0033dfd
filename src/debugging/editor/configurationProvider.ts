import path from 'node:path';
import * as vscode from 'vscode';
import { restoreChildType } from '../node/childSession.ts';
import { modelKind } from '../../backbone/node/options/resolveRun.ts';
import { runOptions } from '../../backbone/node/options/runOptions.ts';
import { leftToSettings, withSettings } from '../node/launchConfiguration.ts';
import { debugType, settings, settingsSection } from '../../base/core/ids.ts';
import { renamedDebugTypes } from '../../base/core/renamedIds.ts';
import type { PythonChoice } from './python/pythonChoice.ts';
import { chooseConfig } from '../../configs/editor/choose/chooseConfig.ts';
import { findConfigs, workingFolder } from '../../configs/editor/choose/configIndex.ts';
import type { RecentConfigs } from '../../configs/editor/choose/recentConfigs.ts';
import type { ApiKeys } from '../../backbone/editor/model/apiKeys.ts';
import { completeEndpoint } from '../../backbone/editor/model/chooseModel.ts';
import { configuredValue } from '../../backbone/editor/model/modelSettings.ts';
import { targetOf } from '../../configs/editor/choose/target.ts';

/** A configuration that launches `config`, as written to launch.json: portable between machines. */
export function configurationFor(
  config: vscode.Uri,
  folder?: vscode.WorkspaceFolder,
): vscode.DebugConfiguration {
  const name = `AgentJet: ${path.basename(config.fsPath)}`;
  return { type: debugType, request: 'launch', name, config: portablePath(config, folder) };
}

function portablePath(config: vscode.Uri, folder?: vscode.WorkspaceFolder): string {
  if (!folder) return config.fsPath;
  const relative = path.relative(folder.uri.fsPath, config.fsPath);
  if (relative.startsWith('..') || path.isAbsolute(relative)) return config.fsPath;
  return `\${workspaceFolder}/${relative.split(path.sep).join('/')}`;
}

/** Both phases of resolution, and what launch.json is offered. Launch cases are listed in `agentjetSession.ts`. */
export class ConfigurationProvider implements vscode.DebugConfigurationProvider {
  readonly #recent: RecentConfigs;
  readonly #python: PythonChoice;
  readonly #apiKeys: ApiKeys;

  constructor(recent: RecentConfigs, python: PythonChoice, apiKeys: ApiKeys) {
    this.#recent = recent;
    this.#python = python;
    this.#apiKeys = apiKeys;
  }

  async provideDebugConfigurations(folder?: vscode.WorkspaceFolder): Promise<vscode.DebugConfiguration[]> {
    const configs = await findConfigs(folder);
    if (configs.length > 0) return configs.map((config) => configurationFor(config, folder));
    return [{ type: debugType, request: 'launch', name: 'AgentJet: current file', config: '${file}' }];
  }

  /** Returns the configurations that need no changes. The editor calls it for each folder, and once without a folder. */
  async provideDynamicConfigurations(folder?: vscode.WorkspaceFolder): Promise<vscode.DebugConfiguration[]> {
    const configs = folder ? await findConfigs(folder) : [];
    return configs.map((config) => configurationFor(config, folder));
  }

  /** Before variables are substituted: what is launched. */
  async resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const child = restoreChildType(configuration);
    if (child) return child;
    if (Object.hasOwn(renamedDebugTypes, configuration.type)) return { ...configuration, type: debugType };
    if (!isEmpty(configuration)) return configuration;
    const document = vscode.window.activeTextEditor?.document;
    const config = await chooseConfig(document && targetOf(document), this.#recent);
    // Whatever else VS Code put in, `noDebug` above all, is kept.
    return config && { ...configuration, ...configurationFor(config), cwd: workingFolder(config) };
  }

  /** After: what it leaves open. Attributes are checked by the adapter, the same for every editor. */
  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const { config } = configuration as { config?: unknown };
    if (typeof config !== 'string') return configuration;
    const start = folder ?? vscode.workspace.workspaceFolders?.[0];
    const uri = vscode.Uri.file(path.resolve(start?.uri.fsPath ?? '', config));
    await this.#recent.remember(uri);
    const isScript = uri.path.endsWith('.py');
    const cwd = isScript ? workingFolder(uri) : (folder?.uri.fsPath ?? workingFolder(uri));
    const section = vscode.workspace.getConfiguration(settingsSection, uri);
    const values = {
      // Only if it is set: an endpoint or a script is enough to choose a model.
      model: configuredValue(section.inspect<string>(settings.model)),
      script: section.get<string>(settings.script),
      endpoint: section.get(settings.endpoint),
      editorModel: section.get<string>(settings.editorModel),
      maxCalls: section.get<number | null>(settings.maxCalls),
      maxTokens: section.get<number | null>(settings.maxTokens),
      prices: section.get(settings.prices),
      tokenizer: section.get<string>(settings.tokenizer),
      runtimeExecutable: section.get<string>(settings.runtimeExecutable),
      python: await this.#python.executableFor(uri, { cwd, ...configuration }),
      // The setting is for stepping. Without a debugger the config decides.
      parallel: configuration['noDebug'] === true ? undefined : section.get<number>(settings.parallel),
    };
    const resolved = withSettings(configuration, values);
    const complete = await withModel(resolved, this.#apiKeys);
    return complete && { cwd, ...complete, ...leftToSettings(configuration, values), config: uri.fsPath };
  }
}

/** F5 with no launch.json. */
function isEmpty(configuration: vscode.DebugConfiguration): boolean {
  const { type, request, name } = configuration as Partial<vscode.DebugConfiguration>;
  return !type && !request && !name;
}

/** Asks for the model of an endpoint without one. Resolves to undefined if the user cancels. */
async function withModel(
  configuration: vscode.DebugConfiguration,
  apiKeys: ApiKeys,
): Promise<vscode.DebugConfiguration | undefined> {
  const { success, data } = runOptions.safeParse(configuration);
  if (!success || data.endpoint === undefined || modelKind(data) !== 'endpoint') return configuration;
  if (data.backbone === 'tinker' || data.endpoint.model !== undefined) return configuration;
  const endpoint = await completeEndpoint(data.endpoint, apiKeys);
  return endpoint && { ...configuration, endpoint };
}
