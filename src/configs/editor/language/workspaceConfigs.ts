import * as vscode from 'vscode';
import { dialectOf, type Dialect } from '../../core/dialect.ts';

/** Packages, and the copies of its config that every run leaves in its folder. */
const notConfigs = '{**/node_modules/**,**/saved_experiments/**,**/yaml_backup.yaml}';
/** A workspace with more YAML files than this is searched no further. */
const mostFiles = 2000;
/** Files that are read at the same time. */
const atOnce = 32;

export interface WorkspaceConfig {
  readonly uri: vscode.Uri;
  readonly text: string;
  readonly dialect: Dialect;
}

/** The configs of the open folders, of every dialect; looked for when first asked for, and again after a change. */
export class WorkspaceConfigs {
  #all: Promise<readonly WorkspaceConfig[]> | undefined;

  /** In the order of their paths. */
  all(): Promise<readonly WorkspaceConfig[]> {
    this.#all ??= findAll().catch((error: unknown) => {
      this.#all = undefined; // a search that was cut off is tried again
      throw error;
    });
    return this.#all;
  }

  changed(): void {
    this.#all = undefined;
  }
}

async function findAll(): Promise<readonly WorkspaceConfig[]> {
  const uris = await vscode.workspace.findFiles('**/*.{yaml,yml}', notConfigs, mostFiles);
  uris.sort((a, b) => (a.path < b.path ? -1 : 1));
  const found: WorkspaceConfig[] = [];
  for (let start = 0; start < uris.length; start += atOnce) {
    const texts = await Promise.all(
      uris.slice(start, start + atOnce).map(async (uri) => ({ uri, text: await currentText(uri) })),
    );
    for (const { uri, text } of texts) {
      const dialect = dialectOf(text);
      if (dialect !== undefined) found.push({ uri, text, dialect });
    }
  }
  return found;
}

/** Returns the text in the editor, or else on disk; empty for a file that cannot be read. */
async function currentText(uri: vscode.Uri): Promise<string> {
  const key = uri.toString();
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === key);
  if (open) return open.getText();
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return ''; // deleted since it was listed, or not ours to read: no config to offer
  }
}
