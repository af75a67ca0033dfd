import * as fs from 'node:fs/promises';
import path from 'node:path';
import { hasCode, type ErrorReport } from '../../base/core/errors.ts';
import { unreadable, type FileToCheck } from './checkFile.ts';

/** Folders that hold no configs of the user's. */
const skipped = new Set(['node_modules', '__pycache__', 'venv', 'site-packages']);
const isYaml = (name: string): boolean => /\.ya?ml$/i.test(name);

/** Returns the files that the command line names, each once, in its order. */
export async function findFiles(
  named: readonly string[],
  cwd: string,
): Promise<{ files: FileToCheck[]; missing: ErrorReport[] }> {
  const files = new Map<string, FileToCheck>();
  const missing: ErrorReport[] = [];
  for (const name of named) {
    const found = name === '-' ? [standardInput] : await filesAt(name, cwd);
    for (const one of found) {
      if ('code' in one) missing.push(one);
      else if (!files.has(one.path ?? '-')) files.set(one.path ?? '-', one);
    }
  }
  return { files: [...files.values()], missing };
}

const standardInput: FileToCheck = { name: '-', path: undefined, named: true };

type FileOrError = FileToCheck | ErrorReport;

async function filesAt(name: string, cwd: string): Promise<FileOrError[]> {
  const absolute = path.resolve(cwd, name);
  try {
    const found = await fs.stat(absolute);
    if (!found.isDirectory()) return [{ name, path: absolute, named: true }];
    const files = await yamlIn(absolute, name);
    return files.length > 0
      ? files
      : [noFile(name, 'The folder contains no YAML files.', 'Name another folder.')];
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) return [unreadable(name, error)];
    if (!/[*?[{]/.test(name))
      return [
        noFile(name, 'The file or folder does not exist.', 'Paths are relative to the working directory.'),
      ];
    if (!('glob' in fs))
      return [noFile(name, 'Patterns need Node.js 22 or later.', 'Name the files or their folder.')];
    const files = await matching(name, cwd);
    if (files.length > 0) return files;
    return [
      noFile(name, 'No YAML file matches the pattern.', 'Patterns are relative to the working directory.'),
    ];
  }
}

/** Returns the YAML files below a folder. Folders that cannot be read are reported, and the search continues. */
async function yamlIn(folder: string, name: string): Promise<FileOrError[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    return unreadable(name, error);
  });
  if ('code' in entries) return [entries];
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const files: FileOrError[] = [];
  for (const entry of entries) {
    const inside = { name: path.join(name, entry.name), path: path.join(folder, entry.name) };
    if (entry.isDirectory()) {
      // Links are not followed, so there is an end to it.
      if (!entry.name.startsWith('.') && !skipped.has(entry.name)) {
        files.push(...(await yamlIn(inside.path, inside.name)));
      }
    } else if (isYaml(entry.name)) files.push({ ...inside, named: false });
  }
  return files;
}

async function matching(pattern: string, cwd: string): Promise<FileToCheck[]> {
  const names: string[] = [];
  for await (const name of fs.glob(pattern, { cwd })) if (isYaml(name)) names.push(name);
  return names.sort().map((name) => ({ name, path: path.resolve(cwd, name), named: false }));
}

function noFile(file: string, message: string, hint: string): ErrorReport {
  return { code: 'cli/no-file', message, hint, location: { file } };
}
