import * as vscode from 'vscode';
import { diffEffective } from '../../core/effective/diff.ts';
import type { WorkspaceConfigs } from '../language/workspaceConfigs.ts';
import type { EffectiveDocuments } from './effectiveDocuments.ts';
import type { EffectiveText } from './effectiveText.ts';
import { activeConfig, effectiveUri, readEffectiveUri, type EffectiveView } from './effectiveUri.ts';
import { CodedError } from '../../../base/core/errors.ts';

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

interface Repository {
  show(ref: string, path: string): Promise<string>;
}

/** The used part of the API of the Git extension. */
interface GitApi {
  getRepository(uri: vscode.Uri): Repository | null;
  openRepository(folder: vscode.Uri): Promise<Repository | null>;
  toGitUri(uri: vscode.Uri, ref: string): vscode.Uri;
}

/** The file as it was last committed. Rejects with a CodedError where there is no such version. */
async function headOf(file: vscode.Uri): Promise<vscode.Uri> {
  const api = await activeGit();
  if (api === undefined) {
    throw noHead(
      file,
      vscode.l10n.t('The Git extension is disabled.'),
      vscode.l10n.t('Enable the Git extension and the setting `git.enabled`.'),
    );
  }
  // Git's extension looks for repositories in its own time: while a window starts, and some time after `git init`.
  const repository =
    api.getRepository(file) ?? (await api.openRepository(vscode.Uri.joinPath(file, '..')).catch(() => null));
  if (repository === null) {
    throw noHead(
      file,
      vscode.l10n.t('It is not in an open Git repository.'),
      vscode.l10n.t('Open the folder of its repository.'),
    );
  }
  try {
    await repository.show('HEAD', file.fsPath);
  } catch {
    throw noHead(file, vscode.l10n.t('It has never been committed.'), vscode.l10n.t('Commit it first.'));
  }
  return api.toGitUri(file, 'HEAD');
}

/** Undefined where Git is switched off, in which case asking throws. */
async function activeGit(): Promise<GitApi | undefined> {
  const extension = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>('vscode.git');
  try {
    return (await extension?.activate())?.getAPI(1);
  } catch {
    return undefined; // "Git model not found": the caller reports it
  }
}

function noHead(file: vscode.Uri, reason: string, hint: string): CodedError {
  const name = vscode.workspace.asRelativePath(file);
  const message = vscode.l10n.t('Cannot compare {0} with its last commit. {1}', name, reason);
  return new CodedError({ code: 'config/no-head', message, hint });
}
