/** Resolves imports of user files with TypeScript's rules if Node.js alone would find nothing. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { importExtensions, sourcesOf } from '../../../configs/core/code/importCandidates.ts';
import type { Projects } from './project.ts';
import { isFile, isJsx, isTypeScript } from './userFiles.ts';

/**
 * Returns the file of an import, or undefined if Node.js resolves it correctly.
 *
 * - A tsconfig's `paths` and `baseUrl` come first, as in TypeScript.
 * - From TypeScript, `./x.js` means `./x.ts` even if a compiled `x.js` exists: that can be stale, and breakpoints
 *   are in the source. From JavaScript the named file comes first.
 * - Extensions are optional, and a folder means its index.
 */
export function resolveUserImport(
  specifier: string,
  importer: string,
  isRequire: boolean,
  projects: Projects,
): string | undefined {
  if (/[?#]/.test(specifier)) return undefined;
  const fromTypeScript = isTypeScript(importer) || isJsx(importer);
  const own = pathOf(specifier, importer, isRequire);
  if (own !== undefined) return locate(own, fromTypeScript);
  for (const mapped of projects.mappedPaths(specifier, importer)) {
    const found = locate(mapped, fromTypeScript) ?? (isFile(mapped) ? mapped : undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns undefined for a bare specifier. In an import a path is a URL, in `require` it is a path. */
function pathOf(specifier: string, importer: string, isRequire: boolean): string | undefined {
  if (specifier.startsWith('file:')) return fileURLToPath(specifier);
  if (!/^\.{0,2}\/|^\.{1,2}$/.test(specifier)) return path.isAbsolute(specifier) ? specifier : undefined;
  const plain = isRequire ? specifier : decodeURIComponent(specifier);
  return path.resolve(path.dirname(importer), plain);
}

function locate(file: string, sourceFirst: boolean): string | undefined {
  const source = sourceOf(file);
  if (sourceFirst && source !== undefined) return source;
  if (isFile(file)) return undefined;
  return source ?? withExtension(file) ?? withExtension(path.join(file, 'index'));
}

function sourceOf(file: string): string | undefined {
  const extension = path.extname(file);
  const stem = file.slice(0, file.length - extension.length);
  return (sourcesOf[extension] ?? []).map((source) => stem + source).find(isFile);
}

function withExtension(file: string): string | undefined {
  return importExtensions.map((extension) => file + extension).find(isFile);
}
