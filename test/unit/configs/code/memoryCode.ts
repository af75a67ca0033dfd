import type { CodeFiles } from '../../../../src/configs/core/code/codeFiles.ts';
import { WorkspaceClasses } from '../../../../src/configs/core/code/workspaceClasses.ts';
import { posix } from '../memoryFiles.ts';

export interface MemoryCode extends CodeFiles {
  /** Files that were read, in order. */
  readonly read: string[];
}

/** Sources by absolute path, which may be changed; the folders they are in exist too. */
export function memoryCode(files: Record<string, string>): MemoryCode {
  const read: string[] = [];
  return {
    read,
    stamp: (path) => {
      const text = files[path];
      if (text !== undefined) return Promise.resolve({ kind: 'file', version: text, size: text.length });
      const isFolder = Object.keys(files).some((file) => file.startsWith(`${path}/`));
      return Promise.resolve(isFolder ? { kind: 'folder', version: '', size: 0 } : undefined);
    },
    readText: (file) => {
      read.push(file);
      return Promise.resolve(files[file]);
    },
    sources: () => Promise.resolve(Object.keys(files).filter((file) => /\.(?:py|ts|js)$/.test(file))),
  };
}

/** The classes of `/project`, which is the workspace. */
export function projectClasses(files: Record<string, string>, code = memoryCode(files)): WorkspaceClasses {
  return new WorkspaceClasses(code, posix, () => ['/project']);
}
