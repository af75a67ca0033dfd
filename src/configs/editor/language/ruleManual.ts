import * as vscode from 'vscode';
import { ruleCatalog } from '../../core/finding.ts';
import { currentId, renamedRules } from '../../../base/core/renamedIds.ts';
import { Manual } from './manual.ts';

/** The manual of rules that comes with the extension. */
export class RuleManual {
  readonly #manual: Manual;

  /** @param extension the folder of this extension */
  constructor(extension: vscode.Uri) {
    const file = vscode.Uri.joinPath(extension, 'docs/rules.md');
    this.#manual = new Manual(file, (heading) => Object.hasOwn(ruleCatalog, heading));
  }

  links(): Promise<(rule: string) => vscode.Uri> {
    return this.#manual.links();
  }

  /** Shows a rule: the one given, or one that the user chooses. */
  async explain(rule: unknown): Promise<void> {
    const id = typeof rule === 'string' ? rule : await chooseRule();
    if (id !== undefined) await this.#manual.show(currentId(renamedRules, id));
  }
}

async function chooseRule(): Promise<string | undefined> {
  const items = Object.entries(ruleCatalog).map(([label, { title }]) => ({ label, description: title }));
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Select a rule'),
    matchOnDescription: true,
  });
  return chosen?.label;
}
