import * as vscode from 'vscode';
import { codeEndings, foreignFolders, mostSources, type CodeFiles } from '../../config/code/codeFiles.ts';
import { WorkspaceClasses } from '../../config/code/workspaceClasses.ts';
import type { ClassFinder } from '../../config/classes.ts';
import type { FileReader } from '../../base/ports.ts';
import type { FileSpace } from './fileSpace.ts';

const sources = `**/*.{${codeEndings.join(',')}}`;
const foreign = `**/{${foreignFolders.join(',')}}/**`;

/** The classes of the workspace, in each of its file systems; files are scanned when first asked about. */
export class ClassFinders {
  readonly #bySpace = new Map<string, WorkspaceClasses>();

  in(space: FileSpace, files: FileReader): ClassFinder {
    const known = this.#bySpace.get(space.id);
    if (known !== undefined) return known;
    const classes = new WorkspaceClasses({
      files: codeFiles(space, files),
      paths: space.paths,
      folders: () => workspaceFolders(space).map((uri) => space.path(uri)),
    });
    this.#bySpace.set(space.id, classes);
    return classes;
  }

  /** Code of the workspace may have changed. */
  changed(): void {
    for (const classes of this.#bySpace.values()) classes.changed();
  }
}

function workspaceFolders(space: FileSpace): vscode.Uri[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri).filter((uri) => space.has(uri));
}

function codeFiles(space: FileSpace, files: FileReader): CodeFiles {
  return {
    readText: (file) => files.readText(file),
    stamp: async (path) => {
      const uri = space.uri(path);
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
        return undefined; // not there, or not ours to see: nothing can be told about it
      }
    },
    sources: async () => {
      const found = await vscode.workspace.findFiles(sources, foreign, mostSources);
      return found.filter((uri) => space.has(uri)).map((uri) => space.path(uri));
    },
  };
}
