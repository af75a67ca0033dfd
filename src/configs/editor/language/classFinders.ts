import * as vscode from 'vscode';
import { codeEndings, foreignFolders, mostSources, type CodeFiles } from '../../core/code/codeFiles.ts';
import { WorkspaceClasses } from '../../core/code/workspaceClasses.ts';
import type { ClassFinder } from '../../core/code/classes.ts';
import type { FileReader } from '../../../base/core/ports.ts';
import type { WorkspaceFs } from './workspaceFs.ts';

const sources = `**/*.{${codeEndings.join(',')}}`;
const foreign = `**/{${foreignFolders.join(',')}}/**`;

/** The classes of the workspace, in each of its file systems; files are scanned when first asked about. */
export class ClassFinders {
  readonly #byFs = new Map<string, WorkspaceClasses>();

  in(fs: WorkspaceFs, files: FileReader): ClassFinder {
    const known = this.#byFs.get(fs.id);
    if (known !== undefined) return known;
    const folders = (): string[] => {
      const uris = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
      return uris.filter((uri) => fs.has(uri)).map((uri) => fs.path(uri));
    };
    const classes = new WorkspaceClasses(codeFiles(fs, files), fs.paths, folders);
    this.#byFs.set(fs.id, classes);
    return classes;
  }

  changed(): void {
    for (const classes of this.#byFs.values()) classes.changed();
  }
}

function codeFiles(fs: WorkspaceFs, files: FileReader): CodeFiles {
  return {
    readText: (file) => files.readText(file),
    stamp: async (path) => {
      const uri = fs.uri(path);
      const key = uri.toString();
      const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === key);
      if (open?.isDirty === true) {
        return { kind: 'file', version: `open ${open.version}`, size: open.getText().length };
      }
      try {
        const { type, size, mtime } = await vscode.workspace.fs.stat(uri);
        const kind = (type & vscode.FileType.Directory) === 0 ? 'file' : 'folder';
        return { kind, version: `${mtime} ${size}`, size };
      } catch {
        return undefined; // missing or inaccessible, so nothing is known about it
      }
    },
    sources: async () => {
      const found = await vscode.workspace.findFiles(sources, foreign, mostSources);
      return found.filter((uri) => fs.has(uri)).map((uri) => fs.path(uri));
    },
  };
}
