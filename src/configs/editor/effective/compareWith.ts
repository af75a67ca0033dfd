import * as vscode from 'vscode';
import { diffEffective } from '../../core/effective/diff.ts';
import type { WorkspaceConfigs } from '../language/workspaceConfigs.ts';
import type { EffectiveDocuments } from './effectiveDocuments.ts';
import type { EffectiveText } from './effectiveText.ts';
import { effectiveUri, readEffectiveUri, type EffectiveView } from './effectiveUri.ts';
import { headOf } from './gitHead.ts';
import { activeConfig } from './showEffective.ts';

/** Finds the copy of a config that its newest run keeps. Rejects with a CodedError if there is no run. */
export type ConfigOfLastRun = (config: vscode.Uri) => Promise<vscode.Uri>;

export interface CompareParts {
  readonly documents: EffectiveDocuments;
  readonly configs: WorkspaceConfigs;
  readonly configOfLastRun: ConfigOfLastRun;
}

interface Choice extends vscode.QuickPickItem {
  /** Returns the text to compare with and its name; undefined if the user cancels. */
  readonly other?: () => Promise<Other | undefined>;
}

interface Other extends Pick<EffectiveView, 'source' | 'as'> {
  readonly name: string;
}

/** Compares two configs by what becomes of them, whatever their texts look like. */
export async function compareWith(
  given: unknown,
  { documents, configs, configOfLastRun }: CompareParts,
): Promise<void> {
  const inFront = vscode.window.activeTextEditor?.document.uri;
  const source = activeConfig(given);
  const target = (inFront && readEffectiveUri(inFront)?.target) ?? 'own';
  const name = vscode.workspace.asRelativePath(source);
  const chosen = await vscode.window.showQuickPick(choices(source, configs, configOfLastRun), {
    placeHolder: vscode.l10n.t('Compare the effective values of {0} with …', name),
    matchOnDescription: true,
  });
  const other = await chosen?.other?.();
  if (other === undefined) return;
  const left = effectiveUri({ source: other.source, as: other.as, target, shows: 'values' });
  const right = effectiveUri({ source, target, shows: 'values' });
  const [before, after] = await Promise.all([documents.read(left), documents.read(right)]);
  if (isSame(before, after)) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('{0} and {1} have the same effective values.', other.name, name),
    );
    return;
  }
  const title = vscode.l10n.t('{0} ↔ {1} (effective)', other.name, name);
  await vscode.commands.executeCommand('vscode.diff', left, right, title);
}

function isSame(before: EffectiveText, after: EffectiveText): boolean {
  if (before.root === undefined || after.root === undefined) return false;
  return diffEffective(before.root, after.root).length === 0;
}

async function choices(
  source: vscode.Uri,
  configs: WorkspaceConfigs,
  configOfLastRun: ConfigOfLastRun,
): Promise<Choice[]> {
  const others = (await configs.all()).filter(({ uri }) => uri.toString() !== source.toString());
  return [
    {
      label: vscode.l10n.t('$(history) Last Run'),
      description: vscode.l10n.t('The config of its latest run'),
      other: async () => ({
        source: await configOfLastRun(source),
        as: source,
        name: vscode.l10n.t('Last run'),
      }),
    },
    {
      label: '$(git-commit) HEAD',
      description: vscode.l10n.t('The last committed version'),
      other: async () => ({ source: await headOf(source), as: source, name: 'HEAD' }),
    },
    { label: vscode.l10n.t('$(folder-opened) Another File…'), other: chooseFile },
    ...(others.length > 0
      ? [{ label: vscode.l10n.t('in the workspace'), kind: vscode.QuickPickItemKind.Separator }]
      : []),
    ...others.map(({ uri }) => {
      const name = vscode.workspace.asRelativePath(uri);
      return { label: name, other: () => Promise.resolve({ source: uri, name }) };
    }),
  ];
}

async function chooseFile(): Promise<Other | undefined> {
  const filters = { YAML: ['yaml', 'yml'] };
  const [uri] = (await vscode.window.showOpenDialog({ openLabel: vscode.l10n.t('Compare'), filters })) ?? [];
  return uri && { source: uri, name: vscode.workspace.asRelativePath(uri) };
}
