/** Loads the user's code into this process: TypeScript or JavaScript, ESM or CommonJS, as its author wrote it. */
import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CodedError, type Location } from '../../../base/core/errors.ts';
import type { UserFunction } from '../../core/function-form/bindByName.ts';
import type { JudgeClass } from '../../core/task-judge/judge.ts';
import type { CallSource } from '../../../tracking/core/records/trace.ts';
import { BaseJudge, Workflow } from '../../../sdk/core/index.ts';
import { loaderErrors, textOf, type ExportKind } from './errors.ts';
import { runEsbuild } from './esbuild.ts';
import { ModuleHooks } from './hooks.ts';
import { locateBinding, locateSpecifier } from './importLocations.ts';
import { CallSources, headLocation, topUserFrame } from './stack.ts';
import { isFile, isJsx, isTypeScript, UserFiles } from './userFiles.ts';

export type { ExportKind } from './errors.ts';

export interface LoaderOptions {
  /** The URL of the SDK's module, the very one that this program's own code imports: classes are compared by identity. */
  readonly sdkUrl: string;
  /** esbuild-wasm's `bin/esbuild`, absolute. */
  readonly esbuild: string;
  /** Where this program's modules lie; frames and files in it are not the user's. Default: the SDK's folder. */
  readonly ownFolder?: string;
}

/** What a config says with `file.ts->Name`. */
export interface Locator {
  /** Absolute, or relative to one of the folders given with it. */
  readonly file: string;
  readonly name: string;
}

/** What an export of each kind is. */
export interface ExportOf {
  readonly workflow: (new () => Workflow) | UserFunction;
  readonly judge: JudgeClass | UserFunction;
  readonly script: (...given: unknown[]) => unknown;
}

export interface LoadedExport<Kind extends ExportKind> {
  readonly value: ExportOf[Kind];
  /** The file it was loaded from, absolute. */
  readonly file: string;
}

/**
 * Makes user code importable in this process, once and for all: TypeScript, and `agentjet` as the SDK. Also makes
 * stacks tell places in the sources.
 */
export function installLoader(options: LoaderOptions): Loader {
  const userFiles = new UserFiles(options.ownFolder ?? path.dirname(fileURLToPath(options.sdkUrl)));
  const hooks = new ModuleHooks(options.sdkUrl, options.esbuild, userFiles);
  hooks.register();
  mapStacks();
  return new Loader(hooks, userFiles, options.esbuild);
}

/** Only for the user's own files: to map those of all packages takes time with every error. */
function mapStacks(): void {
  if (typeof nodeModule.setSourceMapsSupport === 'function') nodeModule.setSourceMapsSupport(true);
  else process.setSourceMapsEnabled(true);
}

export class Loader {
  readonly #hooks: ModuleHooks;
  readonly #userFiles: UserFiles;
  readonly #sources: CallSources;
  readonly #esbuild: string;

  /** Use {@link installLoader}. */
  constructor(hooks: ModuleHooks, userFiles: UserFiles, esbuild: string) {
    this.#hooks = hooks;
    this.#userFiles = userFiles;
    this.#sources = new CallSources(userFiles);
    this.#esbuild = esbuild;
  }

  /**
   * Imports the locator's file and gives the export. Rejects with a `CodedError` of `loader/…` that tells the place
   * in the user's code: a missing file, export or import, something of another kind, a syntax error, a throw.
   *
   * @param folders where a relative file is looked for, in order
   */
  async loadExport<Kind extends ExportKind>(
    locator: Locator,
    kind: Kind,
    folders: readonly string[],
  ): Promise<LoadedExport<Kind>> {
    const file = findFile(locator, kind, folders);
    const exported = await this.importModule(file);
    const value = exported[locator.name];
    if (value === undefined) {
      const names = Object.keys(exported).filter((name) => isOfKind(exported[name], kind));
      const others = names.length > 0 ? names : Object.keys(exported);
      throw loaderErrors.noSuchExport(kind, file, locator.name, others);
    }
    if (!isOfKind(value, kind)) throw loaderErrors.wrongKind(kind, file, locator.name, describe(value));
    return { value, file };
  }

  /** The topmost frame of an error's stack in the user's code, in the source as written; undefined if there is none. */
  userFrame(error: unknown): Location | undefined {
    return topUserFrame(error, this.#userFiles);
  }

  /** The line of the user's code that called what is running, across awaits; undefined where there is none. */
  callSource(): CallSource | undefined {
    return this.#sources.here();
  }

  /** A file's exports; rejects as {@link loadExport} does. */
  async importModule(file: string): Promise<Record<string, unknown>> {
    try {
      return namesOf(await load(file));
    } catch (error) {
      throw this.#explain(error, file);
    }
  }

  /** Of the user's files that are loaded, the one that exports a value, and its name there; not the file `except`. */
  async findExport(value: unknown, except: string): Promise<Locator | undefined> {
    for (const file of this.#hooks.loadedFiles()) {
      if (file === except) continue;
      const name = Object.entries(await this.importModule(file)).find(
        ([, exported]) => exported === value,
      )?.[0];
      if (name !== undefined) return { file, name };
    }
    return undefined;
  }

  #explain(error: unknown, file: string): CodedError {
    if (error instanceof CodedError) return error;
    const failed = this.#hooks.failedImport(error);
    if (failed !== undefined) {
      return loaderErrors.importNotFound(
        failed.specifier,
        locateSpecifier(failed.specifier, failed.importer),
        error,
      );
    }
    const located = error instanceof SyntaxError ? this.#explainSyntax(error) : undefined;
    return located ?? loaderErrors.threw(file, textOf(error), this.userFrame(error) ?? { file }, error);
  }

  /** Also of linking: a module that lacks what another one imports from it is a SyntaxError to V8. */
  #explainSyntax(error: SyntaxError): CodedError | undefined {
    const specifier = /requested module '([^']+)'/.exec(error.message)?.[1];
    const name = /export (?:named )?'([^']+)'/.exec(error.message)?.[1];
    if (specifier === undefined || name === undefined) {
      const place = headLocation(error);
      if (place !== undefined) return loaderErrors.syntax(place, error.message);
      // One with a frame of the user's was thrown by their code, as by JSON.parse.
      return this.userFrame(error) === undefined ? this.#findSyntaxError() : undefined;
    }
    const place = headLocation(error) ?? locateBinding(name, specifier, this.#hooks.loadedFiles());
    return place === undefined ? undefined : loaderErrors.notExported(specifier, name, place, error);
  }

  /** V8 does not tell where in which JavaScript module a syntax error is; esbuild does. */
  #findSyntaxError(): CodedError | undefined {
    for (const file of this.#hooks.loadedFiles()) {
      if (isTypeScript(file) || isJsx(file)) continue;
      try {
        const source = readFileSync(file, 'utf8');
        runEsbuild(this.#esbuild, {
          file,
          url: pathToFileURL(file).href,
          source,
          format: 'esm',
          options: {},
        });
      } catch (error) {
        if (error instanceof CodedError && error.code === 'loader/syntax-error') return error;
        throw error;
      }
    }
    return undefined;
  }
}

function findFile(locator: Locator, kind: ExportKind, folders: readonly string[]): string {
  const candidates = path.isAbsolute(locator.file)
    ? [locator.file]
    : [...new Set(folders.map((folder) => path.resolve(folder, locator.file)))];
  const found = candidates.find(isFile);
  if (found === undefined) throw loaderErrors.fileNotFound(kind, locator.file, candidates);
  return found;
}

/**
 * `require` loads modules of both kinds, and with it CommonJS below an ES module gets Node's real CommonJS loader; below
 * an `import`, Node 22 has a stand-in that knows neither our hooks nor ES modules. Only what awaits at its top level
 * must be imported.
 */
async function load(file: string): Promise<unknown> {
  try {
    return nodeModule.createRequire(import.meta.url)(file) as unknown;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_REQUIRE_ASYNC_MODULE'))
      throw error;
    return (await import(pathToFileURL(file).href)) as unknown;
  }
}

/** What a file exports by name; `module.exports` itself, where it is a class or a function, by the name `default`. */
function namesOf(loaded: unknown): Record<string, unknown> {
  if (typeof loaded === 'function') return { default: loaded };
  return typeof loaded === 'object' && loaded !== null ? { ...loaded } : {};
}

function isOfKind<Kind extends ExportKind>(value: unknown, kind: Kind): value is ExportOf[Kind] {
  if (typeof value !== 'function') return false;
  if (!isClass(value)) return true;
  const prototype: unknown = value.prototype;
  if (kind === 'workflow') return prototype instanceof Workflow;
  return kind === 'judge' && prototype instanceof BaseJudge;
}

function isClass(value: unknown): boolean {
  return typeof value === 'function' && Function.prototype.toString.call(value).startsWith('class');
}

function describe(value: unknown): string {
  if (isClass(value)) return 'a class without that base';
  if (typeof value === 'function') return 'a function';
  return value === null ? 'null' : `a value of type ${typeof value}`;
}
