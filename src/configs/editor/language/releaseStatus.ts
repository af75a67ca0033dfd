import * as vscode from 'vscode';
import { commands, settings, settingsSection } from '../../../base/core/ids.ts';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import { followActiveDocument } from '../../../base/editor/activeDocument.ts';
import { reportingErrors } from '../../../base/editor/reportErrors.ts';
import { usualRelease, type Installed } from '../../core/installed.ts';
import { programLabels, releaseNames, type Program } from '../../core/key-tables/releases.ts';
import type { ConfigContexts } from './configContexts.ts';

const releaseSettings: Readonly<Record<Program, string>> = {
  ajet: settings.releaseAgentjet,
  trinity: settings.releaseTrinity,
};
const automatic = 'auto';

/** Shows the release whose keys the active config is checked with. A click chooses another one. */
export function registerReleaseStatus(
  contexts: ConfigContexts,
  clock: Clock,
  log: vscode.LogOutputChannel,
): Disposable {
  const store = new DisposableStore();
  const item = store.add(
    vscode.window.createStatusBarItem('agentjet.release', vscode.StatusBarAlignment.Right, 100),
  );
  item.name = vscode.l10n.t('AgentJet: Release of Config Keys');
  item.command = commands.chooseRelease;
  let shown: vscode.TextDocument | undefined;
  const update = async (document: vscode.TextDocument | undefined): Promise<void> => {
    shown = document;
    const context = document && (await contexts.of(document));
    if (shown !== document) return;
    const installed = context?.composition.installed;
    if (context === undefined || installed === undefined) {
      item.hide();
      return;
    }
    const program = context.dialect.id === 'trinity' ? 'trinity' : 'ajet';
    item.text = releaseText(program, installed);
    item.tooltip = tooltipOf(installed);
    item.show();
  };
  const show = (document: vscode.TextDocument | undefined): void => {
    update(document).catch((error: unknown) => log.error(`The release cannot be shown: ${String(error)}`));
  };
  store.add(followActiveDocument(clock, show));
  store.add(contexts.onStale(() => show(vscode.window.activeTextEditor?.document)));
  store.add(
    vscode.commands.registerCommand(commands.chooseRelease, () =>
      reportingErrors(() => chooseRelease(contexts), log),
    ),
  );
  return store;
}

function releaseText(program: Program, { releases }: Installed): string {
  const release = releases[program];
  const name = `${programLabels[program]} ${release?.name ?? usualRelease(program)}`;
  return release?.assumed === false ? name : vscode.l10n.t('{0} (assumed)', name);
}

function tooltipOf(installed: Installed): string {
  const { agentscope, tables } = installed;
  return [
    vscode.l10n.t('Completion, hover, checks and conversion use the keys of:'),
    ...(['ajet', 'trinity'] as const).map((program) => releaseLine(program, installed)),
    ...(agentscope === undefined ? [] : [`AgentScope ${agentscope}`]),
    ...Object.values(tables).map(({ file }) => vscode.l10n.t('Conversion table: {0}', file)),
    vscode.l10n.t('Click to choose another release.'),
  ].join('\n');
}

function releaseLine(program: Program, installed: Installed): string {
  const host = installed.hosts[program];
  const source = installed.found[program] ?? (host && vscode.l10n.t('GPU host {0}', host));
  const missing = installed.releases[program]?.assumed === false ? undefined : noPackage(program);
  return [releaseText(program, installed), source ?? missing].filter(Boolean).join(' · ');
}

function noPackage(program: Program): string {
  const name = programLabels[program];
  return vscode.l10n.t('no {0} in the project, its Python environment or on a connected GPU host', name);
}

async function chooseRelease(contexts: ConfigContexts): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const context = document && (await contexts.of(document));
  if (document === undefined || context === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a config first.'));
    return;
  }
  const programs: readonly Program[] = context.dialect.id === 'trinity' ? ['trinity'] : ['ajet', 'trinity'];
  const items = programs.flatMap((program) => itemsOf(program, document));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Release whose keys configs are checked with'),
  });
  if (chosen?.release === undefined) return;
  const section = vscode.workspace.getConfiguration(settingsSection, document.uri);
  const isInWorkspace = vscode.workspace.getWorkspaceFolder(document.uri) !== undefined;
  await section.update(
    releaseSettings[chosen.program],
    chosen.release === automatic ? undefined : chosen.release,
    isInWorkspace ? vscode.ConfigurationTarget.WorkspaceFolder : vscode.ConfigurationTarget.Global,
  );
}

interface ReleaseItem extends vscode.QuickPickItem {
  readonly program: Program;
  /** Undefined for a separator. */
  readonly release?: string;
}

function itemsOf(program: Program, { uri }: vscode.TextDocument): ReleaseItem[] {
  const current = vscode.workspace
    .getConfiguration(settingsSection, uri)
    .get<string>(releaseSettings[program]);
  const item = (release: string, label: string): ReleaseItem => ({
    program,
    release,
    label: `${release === (current ?? automatic) ? '$(check)' : '$(blank)'} ${label}`,
  });
  return [
    { program, label: programLabels[program], kind: vscode.QuickPickItemKind.Separator },
    item(automatic, vscode.l10n.t('Automatic: the installed release, otherwise {0}', usualRelease(program))),
    ...releaseNames(program)
      .toReversed()
      .map((name) => item(name, `${programLabels[program]} ${name}`)),
  ];
}
