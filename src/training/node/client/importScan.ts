import { readFile, stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { parseScript, type ParsedText } from '../../../configs/core/code/syntaxTree.ts';
import { packageOf } from '../../../backbone/node/loader/errors.ts';
import { importSources, moduleSyntaxOf } from '../../../backbone/node/loader/moduleSyntax.ts';
import { Projects } from '../../../backbone/node/loader/project.ts';
import { resolveUserImport } from '../../../backbone/node/loader/resolve.ts';
import { isJsx, isTypeScript } from '../../../backbone/node/loader/userFiles.ts';

export interface ImportScan {
  /** Packages with more than type imports, without Node built-ins and the SDK. */
  readonly packages: ReadonlySet<string>;
  readonly asksForKey: boolean;
  /** True if a file uses syntax that the type stripping of Node does not support. */
  readonly needsCompiler: boolean;
}

const mostFiles = 2_000;

export async function scanImports(entries: readonly string[], root: string): Promise<ImportScan> {
  const projects = new Projects();
  const packages = new Set<string>();
  const files = [...entries];
  const seen = new Set(files);
  let [asksForKey, needsCompiler] = [false, false];
  for (let file = files.pop(); file !== undefined && seen.size < mostFiles; file = files.pop()) {
    const text = await readFile(file, 'utf8').catch(() => '');
    asksForKey ||= text.includes('asOaiBaseUrlApiKey');
    const parsed = parseScript(text);
    needsCompiler ||= isForCompiler(file, parsed, projects);
    for (const { specifier, isForTypes } of importSources(parsed)) {
      if (isForTypes || specifier === '') continue;
      if (specifier === 'agentjet') continue; // a tsconfig resolves it to its types, the bridge to itself
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
  return { packages, asksForKey, needsCompiler };
}

function isPackage(specifier: string): boolean {
  return !isBuiltin(specifier) && !/^[#a-z][a-z+.-]*:|^#/.test(specifier);
}

function isForCompiler(file: string, parsed: ParsedText, projects: Projects): boolean {
  if (isJsx(file) || !isTypeScript(file)) return isJsx(file);
  const { hasDecorators, isModule, needsCommonJs } = moduleSyntaxOf(parsed);
  const usesOldFields = projects.optionsFor(file).useDefineForClassFields === false;
  return hasDecorators || (isModule && needsCommonJs) || usesOldFields;
}

async function existing(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() === true ? file : undefined;
}
