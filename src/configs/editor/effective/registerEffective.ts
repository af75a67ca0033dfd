import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import { commands } from '../../../base/core/ids.ts';
import type { ConfigContexts } from '../language/configContexts.ts';
import type { WorkspaceConfigs } from '../language/workspaceConfigs.ts';
import { reportingErrors } from '../../../base/editor/reportErrors.ts';
import { compareWith, type ConfigOfLastRun } from './compareWith.ts';
import { EffectiveDocuments } from './effectiveDocuments.ts';
import { effectiveSelector, originDefinitions, originHovers } from './originProviders.ts';
import { showEffective } from './showEffective.ts';

export interface EffectiveParts {
  readonly contexts: ConfigContexts;
  readonly configs: WorkspaceConfigs;
  readonly configOfLastRun: ConfigOfLastRun;
  readonly clock: Clock;
  readonly log: vscode.LogOutputChannel;
}

/** Registers the read-only documents with effective configs, and their commands. */
export function registerEffective({
  contexts,
  configs,
  configOfLastRun,
  clock,
  log,
}: EffectiveParts): Disposable {
  const store = new DisposableStore();
  const documents = store.add(new EffectiveDocuments(contexts, clock));
  const { languages } = vscode;
  store.add(languages.registerDefinitionProvider(effectiveSelector, originDefinitions(documents)));
  store.add(languages.registerHoverProvider(effectiveSelector, originHovers(documents)));
  const register = (id: string, run: (given: unknown) => Promise<void>): void => {
    store.add(
      vscode.commands.registerCommand(id, (given: unknown) => reportingErrors(() => run(given), log)),
    );
  };
  register(commands.showEffectiveConfig, (given) => showEffective(given, 'own'));
  register(commands.showTrinityConfig, (given) => showEffective(given, 'trinity'));
  register(commands.showVerlConfig, (given) => showEffective(given, 'verl'));
  register(commands.compareConfig, (given) => compareWith(given, { documents, configs, configOfLastRun }));
  return store;
}
