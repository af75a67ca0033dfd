import * as vscode from 'vscode';

/** A document that comes with the extension and has a heading for each of some ids. */
export class Manual {
  readonly #file: vscode.Uri;
  readonly #isId: (heading: string) => boolean;
  #places: Promise<ReadonlyMap<string, number>> | undefined;

  constructor(file: vscode.Uri, isId: (heading: string) => boolean) {
    this.#file = file;
    this.#isId = isId;
  }

  /** Returns links from ids to their documentation. Links of diagnostics open files only; they cannot run commands. */
  async links(): Promise<(id: string) => vscode.Uri> {
    const places = await (this.#places ??= this.#read());
    return (id) => this.#file.with({ fragment: `L${places.get(id) ?? 1}` });
  }

  async show(id: string): Promise<void> {
    await vscode.commands.executeCommand('markdown.showPreview', this.#file.with({ fragment: id }));
  }

  async #read(): Promise<ReadonlyMap<string, number>> {
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(this.#file));
    const headings = text.split('\n').map((line, index) => [line.replace(/^#+ /, ''), index + 1] as const);
    return new Map(headings.filter(([name]) => this.#isId(name)));
  }
}
