import path from 'node:path';
import * as vscode from 'vscode';
import type { PathRules } from '../../../base/core/ports.ts';

/** One file system as the core sees it, by absolute paths: this machine's disk, or that of a virtual workspace. */
export class WorkspaceFs {
  /** Platform's own on disk, `/` elsewhere. */
  readonly paths: PathRules;
  readonly #base: vscode.Uri;

  /** @param base any file of the file system */
  constructor(base: vscode.Uri) {
    this.#base = base;
    this.paths = this.isLocal ? path : path.posix;
  }

  get isLocal(): boolean {
    return this.#base.scheme === 'file';
  }

  /** The same for all files of one file system. */
  get id(): string {
    return `${this.#base.scheme}://${this.#base.authority}`;
  }

  has({ scheme, authority }: vscode.Uri): boolean {
    return scheme === this.#base.scheme && authority === this.#base.authority;
  }

  uri(file: string): vscode.Uri {
    if (this.isLocal) return vscode.Uri.file(file);
    return this.#base.with({ path: file, query: '', fragment: '' });
  }

  path(uri: vscode.Uri): string {
    return this.isLocal ? uri.fsPath : uri.path;
  }
}

/** The location of a config: its file, and the default working folder of a run. */
export interface ConfigLocation {
  readonly fs: WorkspaceFs;
  readonly file: string;
  readonly cwd: string;
}

/**
 * Returns the location of a config. An untitled text is in the first folder of the workspace. An old version from
 * source control is at the current path of its file.
 */
export function locateConfig(uri: vscode.Uri): ConfigLocation {
  const first = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (uri.scheme === 'untitled') {
    const folder = first ?? vscode.Uri.file(path.parse(process.cwd()).root);
    const fs = new WorkspaceFs(folder);
    const cwd = fs.path(folder);
    return { fs, cwd, file: fs.paths.resolve(cwd, fs.paths.basename(uri.path)) };
  }
  const own = uri.scheme === 'git' ? vscode.Uri.file(uri.fsPath) : uri;
  const fs = new WorkspaceFs(own);
  const file = fs.path(own);
  const folder = vscode.workspace.getWorkspaceFolder(own)?.uri;
  return { fs, file, cwd: folder === undefined ? fs.paths.dirname(file) : fs.path(folder) };
}
