import { readFile, stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { maskSource } from '../../config/code/maskSource.ts';
import { packageOf } from '../loader/errors.ts';
import { hasDecorators, hasModuleSyntax, needsCommonJs } from '../loader/moduleSyntax.ts';
import { Projects } from '../loader/project.ts';
import { resolveUserImport } from '../loader/resolve.ts';
import { isJsx, isTypeScript } from '../loader/userFiles.ts';

/** What code needs beside its own files. */
export interface ImportScan {
  /** Packages that it imports for more than their types; Node's own and the SDK are none. */
  readonly packages: ReadonlySet<string>;
  /** Whether it names `asOaiBaseUrlApiKey`. */
  readonly asksForKey: boolean;
  /** Whether a file is written in what Node's own stripping of types does not run. */
  readonly needsEsbuild: boolean;
}

/** More files than these are not looked at. */
const mostFiles = 2_000;
/** At a literal: where a statement or a call imports. */
const imports =
  /\b(?:import|export)\b(?<clause>\s*|\s+[^'"();]*?\bfrom\s*|\s*[{*][^'"();]*?\bfrom\s*)(?=["'])|\b(?:import|require)\s*\(\s*(?=["'])/g;

/** Follows the imports of files inside a root, by their texts. */
export async function scanImports(entries: readonly string[], root: string): Promise<ImportScan> {
  const projects = new Projects();
  const packages = new Set<string>();
  const files = [...entries];
  const seen = new Set(files);
  let [asksForKey, needsEsbuild] = [false, false];
  for (let file = files.pop(); file !== undefined && seen.size < mostFiles; file = files.pop()) {
    const text = await readFile(file, 'utf8').catch(() => '');
    asksForKey ||= text.includes('asOaiBaseUrlApiKey');
    const code = maskSource(text);
    needsEsbuild ||= isForEsbuild(file, code, projects);
    for (const specifier of specifiersOf(text, code)) {
      if (specifier === 'agentjet') continue; // a tsconfig leads to its types, and the bridge to itself
      const isOwn = /^\.{0,2}\/|^\.{1,2}$/.test(specifier);
      const mapped = resolveUserImport(specifier, file, false, projects);
      const found =
        mapped ?? (isOwn ? await existing(path.resolve(path.dirname(file), specifier)) : undefined);
      if (found !== undefined && !seen.has(found) && found.startsWith(root + path.sep)) {
        seen.add(found);
        files.push(found);
      }
      if (mapped === undefined && !isOwn && isPackage(specifier)) packages.add(packageOf(specifier));
    }
  }
  return { packages, asksForKey, needsEsbuild };
}

function isPackage(specifier: string): boolean {
  return !isBuiltin(specifier) && !/^[#a-z][a-z+.-]*:|^#/.test(specifier);
}

function isForEsbuild(file: string, code: string, projects: Projects): boolean {
  const isOld = (): boolean => projects.optionsFor(file).useDefineForClassFields === false;
  const isMixed = hasModuleSyntax(code) && needsCommonJs(code);
  return isJsx(file) || (isTypeScript(file) && (hasDecorators(code) || isMixed || isOld()));
}

function* specifiersOf(text: string, code: string): Generator<string> {
  for (const match of code.matchAll(imports)) {
    const clause = (match.groups?.['clause'] ?? '').trim();
    if (isOfTypes(clause)) continue;
    const at = match.index + match[0].length;
    const end = text.indexOf(text[at] ?? '', at + 1);
    if (end > at) yield text.slice(at + 1, end);
  }
}

/** `type X from`, or a list in braces each of which is a type. */
function isOfTypes(clause: string): boolean {
  if (/^type\b(?!\s*(?:,|from\b))/.test(clause)) return true;
  const listed = /^\{([^}]*)\}/
    .exec(clause)?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '');
  return listed !== undefined && listed.length > 0 && listed.every((name) => /^\s*type\s/.test(name));
}

async function existing(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() === true ? file : undefined;
}
