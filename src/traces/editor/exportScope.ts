import * as vscode from 'vscode';
import { parseFilter, type FilterProblem } from '../core/filterText.ts';

type Scope = 'run' | 'group' | 'episode' | 'filter';

/** Which episodes, in the language of the viewer's filter; empty: all. Undefined: the user called it off. */
export async function askForScope(): Promise<string | undefined> {
  const items: readonly (vscode.QuickPickItem & { readonly scope: Scope })[] = [
    { label: vscode.l10n.t('All episodes'), scope: 'run' },
    { label: vscode.l10n.t('A group …'), detail: vscode.l10n.t('The repeats of one task'), scope: 'group' },
    { label: vscode.l10n.t('An episode …'), scope: 'episode' },
    {
      label: vscode.l10n.t('By a filter …'),
      detail: vscode.l10n.t('As in the viewer, for example: {0}', 'reward<0 agent:solver'),
      scope: 'filter',
    },
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Export Trace'),
    placeHolder: vscode.l10n.t('Which episodes?'),
  });
  switch (chosen?.scope) {
    case undefined:
      return undefined;
    case 'run':
      return '';
    case 'filter':
      return vscode.window.showInputBox({
        title: vscode.l10n.t('Which episodes?'),
        placeHolder: vscode.l10n.t('For example: {0}', 'reward<0 agent:solver'),
        validateInput: (text) => {
          const parsed = parseFilter(text);
          return 'problem' in parsed ? problemText(parsed.problem) : undefined;
        },
      });
    case 'group':
    case 'episode':
      return numbered(chosen.scope);
  }
}

async function numbered(field: 'group' | 'episode'): Promise<string | undefined> {
  const number = await vscode.window.showInputBox({
    title: field === 'group' ? vscode.l10n.t('Which group?') : vscode.l10n.t('Which episode?'),
    prompt: vscode.l10n.t('Its number, counted from 0, as the viewer shows it'),
    validateInput: (text) => (/^\d{1,9}$/.test(text) ? undefined : vscode.l10n.t('Type its number.')),
  });
  return number === undefined ? undefined : `${field}=${number}`;
}

function problemText({ text, from }: FilterProblem): string {
  return text === ''
    ? vscode.l10n.t('It is no filter: look at character {0}.', from + 1)
    : vscode.l10n.t('It is no filter: look at “{0}”, character {1}.', text, from + 1);
}
