import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { Clock, FileReader } from '../../../base/core/ports.ts';
import type { ConfigOfLastRun } from '../effective/compareWith.ts';
import { registerEffective } from '../effective/registerEffective.ts';
import { commands, contextKeys } from '../../../base/core/ids.ts';
import { currentId, renamedRules } from '../../../base/core/renamedIds.ts';
import type { HostReleases } from '../../core/installed.ts';
import { ruleCatalog } from '../../core/finding.ts';
import { followActiveDocument } from '../../../base/editor/activeDocument.ts';
import { reportingErrors } from '../../../base/editor/reportErrors.ts';
import { ClassFinders } from './classFinders.ts';
import { ConfigChecks } from './configChecks.ts';
import { registerConfigLenses, registerUsedBy } from './configLenses.ts';
import { ConfigContexts } from './configContexts.ts';
import { ConfigTexts } from './configTexts.ts';
import { ConfigUses } from './configUses.ts';
import { registerDiagnostics } from './diagnostics.ts';
import { registerProviders } from './providers.ts';
import { switchRuleOff } from './quickFixes.ts';
import { Manual } from './manual.ts';
import { InstalledPackages } from './installedPackages.ts';
import { registerReleaseStatus } from './releaseStatus.ts';
import { WorkspaceConfigs } from './workspaceConfigs.ts';

export interface ConnectedHosts {
  /** Returns the releases of a connected GPU host, if it reports them. */
  releases(): HostReleases | undefined;
  onReleasesChanged(listener: () => void): Disposable;
}

export interface ConfigLanguageParts {
  readonly clock: Clock;
  /** This machine's. */
  readonly files: FileReader;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly rows: (file: string) => Promise<number | undefined>;
  /** Returns the folders of the Python environments that a config would run in. */
  readonly environments: (config: vscode.Uri) => Promise<readonly string[]>;
  readonly hosts: ConnectedHosts;
  readonly extension: vscode.Uri;
  readonly configOfLastRun: ConfigOfLastRun;
  readonly log: vscode.LogOutputChannel;
}

/** Registers the language features. Reads no files before a supported config is open, and runs no user code. */
export function registerConfigLanguage(parts: ConfigLanguageParts): Disposable {
  const { clock, files, environment, rows, environments, hosts, extension, configOfLastRun, log } = parts;
  const store = new DisposableStore();
  const texts = store.add(new ConfigTexts());
  const classes = new ClassFinders();
  const installed = new InstalledPackages({ clock, environments, hostReleases: () => hosts.releases() });
  const contexts = store.add(
    new ConfigContexts({ texts, clock, files, environment, classes, rows, installed }),
  );
  store.add(hosts.onReleasesChanged(() => contexts.changed()));
  const configs = new WorkspaceConfigs();
  const uses = new ConfigUses(configs, ({ fs }) => classes.in(fs, contexts.filesIn(fs)));
  // This listener must be the first: later ones read the caches that it clears.
  store.add(
    contexts.onStale((uri) => {
      if (uri === undefined || !isYaml(uri)) classes.changed();
      if (uri === undefined || isYaml(uri)) configs.changed();
      uses.changed();
    }),
  );
  const checks = new ConfigChecks(contexts);
  const rulesFile = vscode.Uri.joinPath(extension, 'docs/rules.md');
  const manual = new Manual(rulesFile, (heading) => Object.hasOwn(ruleCatalog, heading));
  store.add(registerDiagnostics({ contexts, checks, manual, clock, log }));
  store.add(registerActiveDialect(texts, clock));
  store.add(registerReleaseStatus(contexts, clock, log));
  store.add(registerProviders(texts, contexts, checks));
  store.add(registerConfigLenses(texts));
  store.add(registerUsedBy(uses, contexts));
  store.add(registerEffective({ contexts, configs, configOfLastRun, clock, log }));
  store.add(
    vscode.commands.registerCommand(commands.switchRuleOff, (rule: unknown, uri: unknown) =>
      reportingErrors(() => switchRuleOff(rule, uri), log),
    ),
  );
  store.add(
    vscode.commands.registerCommand(commands.explainRule, (rule: unknown) =>
      reportingErrors(() => explainRule(manual, rule), log),
    ),
  );
  return store;
}

/** Updates the context key for the dialect of the active file. Menus and commands depend on it. */
function registerActiveDialect(texts: ConfigTexts, clock: Clock): Disposable {
  let shown: string | undefined;
  return followActiveDocument(clock, (document) => {
    const dialect = document && texts.textOf(document)?.dialect.id;
    if (dialect === shown) return;
    shown = dialect;
    void vscode.commands.executeCommand('setContext', contextKeys.activeDialect, dialect);
  });
}

function isYaml({ path }: vscode.Uri): boolean {
  return /\.ya?ml$/.test(path);
}

async function explainRule(manual: Manual, rule: unknown): Promise<void> {
  const id = typeof rule === 'string' ? rule : await chooseRule();
  if (id !== undefined) await manual.show(currentId(renamedRules, id));
}

async function chooseRule(): Promise<string | undefined> {
  const items = Object.entries(ruleCatalog).map(([label, { title }]) => ({ label, description: title }));
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Select a rule'),
    matchOnDescription: true,
  });
  return chosen?.label;
}
