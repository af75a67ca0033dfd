/** Module hooks of Node.js, synchronous and in this thread. `import` and `require` of user files use them. */
import { readFileSync, realpathSync } from 'node:fs';
import {
  registerHooks,
  type LoadFnOutput,
  type LoadHookContext,
  type ResolveFnOutput,
  type ResolveHookContext,
} from 'node:module';
import { pathToFileURL } from 'node:url';
import { compileTypeScript } from './compile.ts';
import { Projects } from './project.ts';
import { resolveUserImport } from './resolve.ts';
import { isJsx, isTypeScript, type UserFiles } from './userFiles.ts';

/** The name with which user code imports the SDK. */
const sdkName = 'agentjet';

export interface FailedImport {
  readonly specifier: string;
  readonly importer: string;
}

export class ModuleHooks {
  readonly #sdkUrl: string;
  readonly #esbuild: string;
  readonly #userFiles: UserFiles;
  readonly #projects = new Projects();
  /** Failed imports by the error of Node.js. User code must get the error unchanged, because it can catch it. */
  readonly #failedImports = new WeakMap<Error, FailedImport>();
  readonly #loaded: string[] = [];

  constructor(sdkUrl: string, esbuild: string, userFiles: UserFiles) {
    this.#sdkUrl = sdkUrl;
    this.#esbuild = esbuild;
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
      if (isNotFound(error)) this.#failedImports.set(error, { specifier, importer });
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
    return isTypeScript(file) || isJsx(file) ? this.#compile(file, url, context, next) : next(url, context);
  }

  #compile(
    file: string,
    url: string,
    context: LoadHookContext,
    next: (url: string, context?: Partial<LoadHookContext>) => LoadFnOutput,
  ): LoadFnOutput {
    const compiled = compileTypeScript(
      {
        file,
        url,
        source: readFileSync(file, 'utf8'),
        scope: this.#projects.scopeOf(file),
        options: this.#projects.optionsFor(file),
      },
      this.#esbuild,
    );
    if (compiled.how === 'replaced') {
      return { format: compiled.format, source: compiled.source, shortCircuit: true };
    }
    return next(url, compiled.format === undefined ? context : { ...context, format: compiled.format });
  }
}

function isNotFound(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'code' in error &&
    ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'].includes(String(error.code))
  );
}
