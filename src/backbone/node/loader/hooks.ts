/** Module hooks of Node.js, synchronous and in this thread. `import` and `require` of user files use them. */

import * as nodeModule from 'node:module';
import process from 'node:process';
import { readFileSync, realpathSync } from 'node:fs';
import {
  registerHooks,
  type LoadFnOutput,
  type LoadHookContext,
  type ResolveFnOutput,
  type ResolveHookContext,
} from 'node:module';
import { pathToFileURL } from 'node:url';
import { Projects, type CompilerOptions, type ModuleScope } from './project.ts';
import { resolveUserImport } from './resolve.ts';
import { isJsx, isTypeScript, type UserFiles } from './userFiles.ts';
import { parseScript, type ParsedText } from '../../../configs/core/code/syntaxTree.ts';
import { loaderErrors } from './errors.ts';
import { dropUnusedImports, moduleSyntaxOf, type ModuleSyntax } from './moduleSyntax.ts';
import { headLocation } from './stack.ts';
import { transpile } from './transpile.ts';
import { hasCode } from '../../../base/core/errors.ts';

/** The name with which user code imports the SDK. */
const sdkName = 'agentjet';

export interface FailedImport {
  readonly specifier: string;
  readonly importer: string;
}

export class ModuleHooks {
  readonly #sdkUrl: string;
  readonly #compiler: string;
  readonly #userFiles: UserFiles;
  readonly #projects = new Projects();
  /** Failed imports by the error of Node.js. User code must get the error unchanged, because it can catch it. */
  readonly #failedImports = new WeakMap<Error, FailedImport>();
  readonly #loaded: string[] = [];

  constructor(sdkUrl: string, compiler: string, userFiles: UserFiles) {
    this.#sdkUrl = sdkUrl;
    this.#compiler = compiler;
    this.#userFiles = userFiles;
  }

  register(): void {
    registerHooks({
      resolve: (specifier, context, next) => this.#resolve(specifier, context, next),
      load: (url, context, next) => this.#load(url, context, next),
    });
  }

  failedImport(error: unknown): FailedImport | undefined {
    return error instanceof Error ? this.#failedImports.get(error) : undefined;
  }

  /** Returns the loaded user files, newest first. */
  loadedFiles(): readonly string[] {
    return this.#loaded.toReversed();
  }

  #resolve(
    specifier: string,
    context: ResolveHookContext,
    next: (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput,
  ): ResolveFnOutput {
    if (specifier === sdkName) return { url: this.#sdkUrl, format: 'module', shortCircuit: true };
    const importer = this.#userFiles.ofUrl(context.parentURL);
    if (importer === undefined) return next(specifier, context);
    // Some versions of Node.js pass a set instead of an array.
    const isRequire = [...context.conditions].includes('require');
    const found = resolveUserImport(specifier, importer, isRequire, this.#projects);
    if (found !== undefined) return { url: pathToFileURL(realpathSync(found)).href, shortCircuit: true };
    try {
      return next(specifier, context);
    } catch (error) {
      if (error instanceof Error && hasCode(error, ...notFoundCodes))
        this.#failedImports.set(error, { specifier, importer });
      throw error;
    }
  }

  #load(
    url: string,
    context: LoadHookContext,
    next: (url: string, context?: Partial<LoadHookContext>) => LoadFnOutput,
  ): LoadFnOutput {
    const file = this.#userFiles.ofUrl(url);
    if (file === undefined) return next(url, context);
    this.#loaded.push(file);
    if (!isTypeScript(file) && !isJsx(file)) return next(url, context);
    const compiled = compileTypeScript(
      {
        file,
        url,
        source: readFileSync(file, 'utf8'),
        scope: this.#projects.scopeOf(file),
        options: this.#projects.optionsFor(file),
      },
      this.#compiler,
    );
    if (compiled.how === 'replaced') {
      return { format: compiled.format, source: compiled.source, shortCircuit: true };
    }
    return next(url, compiled.format === undefined ? context : { ...context, format: compiled.format });
  }
}

const notFoundCodes = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'];

interface CompileInput {
  readonly file: string;
  readonly url: string;
  readonly source: string;
  readonly scope: ModuleScope;
  readonly options: CompilerOptions;
}

type Compiled =
  /** Node.js runs the file unchanged. The format is set if Node.js would choose another one. */
  | { readonly how: 'native'; readonly format: 'module-typescript' | undefined }
  | { readonly how: 'replaced'; readonly format: 'module' | 'commonjs'; readonly source: string };

/** `esm-as-cjs`: written with `import`, but needs names of CommonJS, so TypeScript compiles it to `require`. */
type ModuleKind = 'esm' | 'cjs' | 'esm-as-cjs' | 'undecided';

/** Tries type stripping (positions stay), then Node's transform, then the TypeScript compiler, the last two with a source map. */
function compileTypeScript(input: CompileInput, compiler: string): Compiled {
  const stripped = isJsx(input.file) ? undefined : nodeTypes(input, { mode: 'strip' });
  if (stripped !== undefined) {
    const parsed = parseScript(stripped);
    const syntax = moduleSyntaxOf(parsed);
    const kind = kindOf(input.scope, syntax);
    if (!syntax.hasDecorators && kind !== 'esm-as-cjs') return compileStripped(input, parsed, kind);
  }
  return compileTransformed(input, compiler);
}

function compileStripped(input: CompileInput, stripped: ParsedText, kind: ModuleKind): Compiled {
  const dropped = withoutUnusedImports(input, stripped);
  if (dropped === undefined && process.features.typescript !== false) {
    const overrides = kind === 'esm' && input.scope === 'commonjs';
    return { how: 'native', format: overrides ? 'module-typescript' : undefined };
  }
  // Without the comment a breakpoint would stop in a read-only copy of the file.
  const source = `${dropped ?? stripped.text}\n//# sourceURL=${input.url}`;
  return { how: 'replaced', format: kind === 'esm' ? 'module' : 'commonjs', source };
}

function compileTransformed(input: CompileInput, compiler: string): Compiled {
  const syntax = moduleSyntaxOf(parseScript(input.source));
  const kind = kindOf(input.scope, syntax);
  const format = kind === 'esm' ? 'module' : 'commonjs';
  const nodeCan =
    isTypeScript(input.file) &&
    !isJsx(input.file) &&
    !syntax.hasDecorators &&
    kind !== 'esm-as-cjs' &&
    input.options.useDefineForClassFields !== false;
  const transformed = nodeCan ? nodeTypes(input, { mode: 'transform', sourceMap: true }) : undefined;
  if (transformed !== undefined) {
    const dropped = withoutUnusedImports(input, parseScript(transformed));
    return { how: 'replaced', format, source: dropped ?? transformed };
  }
  return { how: 'replaced', format, source: transpile(compiler, { ...input, format }) };
}

function kindOf(scope: ModuleScope, { isModule, needsCommonJs }: ModuleSyntax): ModuleKind {
  if (scope === 'module') return 'esm';
  if (isModule) return needsCommonJs ? 'esm-as-cjs' : 'esm';
  return scope === 'undecided' ? 'undecided' : 'cjs';
}

function withoutUnusedImports({ options }: CompileInput, parsed: ParsedText): string | undefined {
  return options.verbatimModuleSyntax === true ? undefined : dropUnusedImports(parsed);
}

type StripOptions = NonNullable<Parameters<typeof nodeModule.stripTypeScriptTypes>[1]>;

/** Undefined if the file or this version of Node.js does not allow it. Throws `loader/syntax-error`. */
function nodeTypes(input: CompileInput, options: StripOptions): string | undefined {
  if (typeof nodeModule.stripTypeScriptTypes !== 'function') return undefined;
  const sourceUrl = options.mode === 'transform' ? { sourceUrl: input.url } : {};
  try {
    return nodeModule.stripTypeScriptTypes(input.source, { ...options, ...sourceUrl });
  } catch (error) {
    if (!(error instanceof Error && hasCode(error, 'ERR_INVALID_TYPESCRIPT_SYNTAX'))) return undefined; // not for stripping, or a Node that was built without it
    const place = headLocation(error);
    throw loaderErrors.syntax({ ...place, file: input.file }, error.message);
  }
}
