import path from 'node:path';
import { closest } from 'fastest-levenshtein';
import { CodedError, type Location } from '../../../base/core/errors.ts';

export type ExportKind = 'workflow' | 'judge' | 'script';

const wanted: Readonly<Record<ExportKind, { what: string; base?: string }>> = {
  workflow: { what: 'workflow', base: 'Workflow' },
  judge: { what: 'judge', base: 'BaseJudge' },
  script: { what: 'model script' },
};

export const loaderErrors = {
  fileNotFound: (kind: ExportKind, file: string, lookedAt: readonly string[]) =>
    new CodedError({
      code: 'loader/file-not-found',
      message: `The file of the ${wanted[kind].what} does not exist: ${file}. Searched: ${lookedAt.join(', ')}.`,
      hint: 'Correct the path or create the file. A path is relative to the working directory, then to the folder of the config.',
    }),

  noSuchExport: (kind: ExportKind, file: string, name: string, exported: readonly string[]) =>
    new CodedError({
      code: 'loader/no-such-export',
      message: `${path.basename(file)} does not export ${name}; ${listed(exported)}.`,
      location: { file },
      hint: hintForName(kind, name, exported),
    }),

  wrongKind: (kind: ExportKind, file: string, name: string, actual: string) =>
    new CodedError({
      code: 'loader/wrong-export',
      message: `${name} is ${actual}, not ${expected(kind)}.`,
      location: { file },
      hint: hintForKind(kind, name),
    }),

  syntax: (location: Location, message: string) =>
    new CodedError({
      code: 'loader/syntax-error',
      message: `Syntax error: ${withoutStop(message)}.`,
      location,
      hint: 'Correct the file and start the run again.',
    }),

  notExported: (specifier: string, name: string, location: Location, cause: unknown) =>
    new CodedError({
      code: 'loader/import-not-exported',
      message: `"${specifier}" does not export ${name}.`,
      location,
      hint: 'Correct the name. For a type, write "import type" or "export type".',
      cause,
    }),

  importNotFound: (specifier: string, location: Location, cause: unknown) =>
    new CodedError({
      code: 'loader/import-not-found',
      message: `"${specifier}" cannot be found.`,
      location,
      hint: isRelative(specifier)
        ? 'Correct the path in the import, or create the file.'
        : `Install the package in the folder of the file ("npm install ${packageOf(specifier)}"), or correct its name.`,
      cause,
    }),

  threw: (file: string, what: string, location: Location, cause: unknown) =>
    new CodedError({
      code: 'loader/threw',
      message: `Loading ${file} failed with an error: ${withoutStop(what)}.`,
      location,
      hint: 'Fix the code at the top level of the file, or move it into execute().',
      cause,
    }),

  badTsconfig: (folder: string, cause: unknown) =>
    new CodedError({
      code: 'loader/bad-tsconfig',
      message: `The tsconfig.json for ${folder} cannot be read: ${withoutStop(textOf(cause))}.`,
      hint: 'Correct the tsconfig.json or the files that it extends.',
      cause,
    }),
};

function listed(exported: readonly string[]): string {
  return exported.length === 0 ? 'it exports nothing' : `it exports ${exported.join(', ')}`;
}

function hintForName(kind: ExportKind, name: string, exported: readonly string[]): string {
  if (exported.length === 0) return `Add "export" before ${name}.`;
  const nearest = closest(name, exported);
  return `Use one of them as the ${wanted[kind].what} (nearest: ${nearest}), or export ${name}.`;
}

function expected(kind: ExportKind): string {
  const base = wanted[kind].base;
  return base === undefined ? 'a function' : `a function or a class that extends ${base} from "agentjet"`;
}

function hintForKind(kind: ExportKind, name: string): string {
  const base = wanted[kind].base;
  if (base === undefined) return `Export ${name} as a function.`;
  return `Write "import { ${base} } from 'agentjet'" and "export class ${name} extends ${base}", or export a function.`;
}

function isRelative(specifier: string): boolean {
  return /^\.{0,2}\/|^\.{1,2}$|^file:|^[A-Za-z]:[\\/]/.test(specifier);
}

export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

export function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function withoutStop(text: string): string {
  return text.trim().replace(/\.$/, '');
}
