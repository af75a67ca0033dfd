import * as vscode from 'vscode';
import { ruleCatalog } from '../../config/rules/catalog.ts';

/** The manual of rules that comes with the extension. */
export class RuleManual {
  readonly #file: vscode.Uri;
  #places: Promise<ReadonlyMap<string, number>> | undefined;

  /** @param extension the folder of this extension */
  constructor(extension: vscode.Uri) {
    this.#file = vscode.Uri.joinPath(extension, 'media/rules.md');
  }

  /** What leads from a rule to what is said about it. Links beside findings open files only, no commands. */
  async links(): Promise<(rule: string) => vscode.Uri> {
    const places = await (this.#places ??= this.#read());
    return (rule) => this.#file.with({ fragment: `L${places.get(rule) ?? 1}` });
  }

  /** Shows a rule: the one given, or one that the user chooses. */
  async explain(rule: unknown): Promise<void> {
    const id = typeof rule === 'string' ? rule : await chooseRule();
    if (id === undefined) return;
    await vscode.commands.executeCommand('markdown.showPreview', this.#file.with({ fragment: id }));
  }

  async #read(): Promise<ReadonlyMap<string, number>> {
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(this.#file));
    const headings = text.split('\n').map((line, index) => [line.replace(/^#+ /, ''), index + 1] as const);
    return new Map(headings.filter(([name]) => Object.hasOwn(ruleCatalog, name)));
  }
}

async function chooseRule(): Promise<string | undefined> {
  const items = Object.entries(ruleCatalog).map(([label, { title }]) => ({ label, description: title }));
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: 'Which rule?',
    matchOnDescription: true,
  });
  return chosen?.label;
}
