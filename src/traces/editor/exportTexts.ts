import * as vscode from 'vscode';
import type { FoundSecrets } from '../core/export/exportTrace.ts';
import { withJob, type TraceJobs } from './openTrace.ts';

export const textChoices = ['keep', 'redact'] as const;
export type TextChoice = (typeof textChoices)[number];

/** Looks for secrets first, so that one knows what is taken out either way. Undefined: the user called it off. */
export async function askForTexts(
  trace: vscode.Uri,
  filter: string,
  { spawn }: TraceJobs,
): Promise<TextChoice | undefined> {
  const title = vscode.l10n.t('Looking for keys and access tokens');
  const searched = await withJob(spawn, title, ['--secrets', '--trace', trace.fsPath, '--filter', filter]);
  if (searched === undefined) return undefined;
  const secrets = searched.secrets ?? [];
  const items: readonly (vscode.QuickPickItem & { readonly texts: TextChoice })[] = [
    {
      label: vscode.l10n.t('With the texts of messages'),
      detail: secretsText(secrets),
      texts: 'keep',
    },
    {
      label: vscode.l10n.t('Without the texts of messages'),
      detail: vscode.l10n.t('Nor those of their tokens and errors: only numbers and names'),
      texts: 'redact',
    },
    ...secrets.map(({ kind, count, episodes }): vscode.QuickPickItem & { readonly texts: TextChoice } => ({
      label: vscode.l10n.t('Taken out: {0} ({1})', kind, count),
      description: vscode.l10n.t('first in episodes {0}', episodes.join(', ')),
      kind: vscode.QuickPickItemKind.Separator,
      texts: 'keep',
    })),
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Export Trace') });
  return chosen?.texts;
}

function secretsText(secrets: readonly FoundSecrets[]): string {
  if (secrets.length === 0) {
    return vscode.l10n.t('Nothing that looks like a key or an access token was found');
  }
  const list = secrets.map(({ kind, count }) => `${kind} (${count})`).join(', ');
  return vscode.l10n.t('Taken out: {0}', list);
}
