import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { Clock } from '../../base/ports.ts';
import type { TraceClient } from '../../trace/methods.ts';
import { commands } from '../ids.ts';
import type { ConfigContexts } from '../language/configContexts.ts';
import type { WorkspaceConfigs } from '../language/workspaceConfigs.ts';
import { reportingErrors } from '../reportErrors.ts';
import { compareWith } from './compareWith.ts';
import { EffectiveDocuments } from './effectiveDocuments.ts';
import { effectiveSelector, originDefinitions, originHovers } from './originProviders.ts';
import { showEffective } from './showEffective.ts';

export interface EffectiveParts {
  readonly contexts: ConfigContexts;
  readonly configs: WorkspaceConfigs;
  readonly client: TraceClient;
  readonly clock: Clock;
  readonly log: vscode.LogOutputChannel;
}

/** What becomes of a config, as read-only documents beside it, and the commands that open them. */
export function registerEffective({ contexts, configs, client, clock, log }: EffectiveParts): Disposable {
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
  register(commands.compareConfig, (given) => compareWith(given, { documents, configs, client }));
  return store;
}
