/** Loads the user's code into this process: TypeScript or JavaScript, ESM or CommonJS. */
import * as nodeModule from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CodedError, type Location, hasCode } from '../../../base/core/errors.ts';
import type { UserFunction } from '../../core/function-form/bindByName.ts';
import type { JudgeClass } from '../../core/task-judge/judge.ts';
import type { CallSource } from '../../../tracking/core/records/trace.ts';
import { BaseJudge, Workflow } from '../../../sdk/core/index.ts';
import { loaderErrors, textOf, type ExportKind } from './errors.ts';
import { ModuleHooks } from './hooks.ts';
import { transpile } from './transpile.ts';
import { deepStack, headLocation, topUserFrame, userLines } from './stack.ts';
import { isFile, isJsx, isTypeScript, UserFiles } from './userFiles.ts';
import {
  nodesNamed,
  parseScript,
  stringContent,
  type ParsedText,
} from '../../../configs/core/code/syntaxTree.ts';
import { LineMap } from '../../../configs/core/text.ts';

export type { ExportKind } from './errors.ts';

export interface LoaderOptions {
  /** Must be the URL that this program imports, because classes are compared by identity. */
  readonly sdkUrl: string;
  /** The absolute path of the TypeScript package or of its bundle. It is loaded only for code that Node.js cannot run. */
  readonly compiler: string;
  /** The folder of this program's modules. Frames and files in it are not the user's. Default: the SDK's folder. */
  readonly ownFolder?: string;
  /** Called before each file of the user that is loaded by its name. It waits for the result. */
  readonly beforeUserCode?: () => Promise<void>;
}

/** A locator `file.ts->Name` of a config. */
export interface Locator {
  /** An absolute path, or one relative to the folders of the call. */
  readonly file: string;
  readonly name: string;
}

export interface ExportOf {
  readonly workflow: (new () => Workflow) | UserFunction;
  readonly judge: JudgeClass | UserFunction;
  readonly script: (...given: unknown[]) => unknown;
}

export interface LoadedExport<Kind extends ExportKind> {
  readonly value: ExportOf[Kind];
  readonly file: string;
}

/** Makes TypeScript and `agentjet` importable for user code in this process, and maps stacks to the sources. */
export function installLoader(options: LoaderOptions): Loader {
  return new Loader(options);
}

/** The limit of frames that an error shows. */
const mostFrames = 20;

export class Loader {
  readonly #hooks: ModuleHooks;
  readonly #userFiles: UserFiles;
  readonly #compiler: string;
  readonly #beforeUserCode: (() => Promise<void>) | undefined;

  /** Use {@link installLoader}. */
  constructor(options: LoaderOptions) {
    const { sdkUrl, compiler, ownFolder = path.dirname(fileURLToPath(sdkUrl)) } = options;
    this.#beforeUserCode = options.beforeUserCode;
    this.#userFiles = new UserFiles(ownFolder);
    this.#hooks = new ModuleHooks(sdkUrl, compiler, this.#userFiles);
    this.#compiler = compiler;
    this.#hooks.register();
    // Maps stacks of user files only. Mapping those of all packages takes time with every error.
    if (typeof nodeModule.setSourceMapsSupport === 'function') nodeModule.setSourceMapsSupport(true);
    else process.setSourceMapsEnabled(true);
  }

  /** Rejects with `loader/…` and the location in the user's code. `folders`: where to search a relative file. */
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

  /** Returns the topmost frame of an error's stack in the user's source, or undefined if there is none. */
  userFrame(error: unknown): Location | undefined {
    const frame = topUserFrame(error, this.#userFiles);
    return frame && { file: frame.file, line: frame.line, column: frame.column ?? undefined };
  }

  /** Returns the lines of an error's stack in the user's source, or undefined if there are not several. */
  userStack(error: unknown): string | undefined {
    const lines = userLines(error, this.#userFiles).slice(0, mostFrames);
    return lines.length > 1 ? lines.join('\n') : undefined;
  }

  /** Returns the line of the user's code that called the running code, across awaits; undefined if there is none. */
  callSource(): CallSource | undefined {
    return topUserFrame(deepStack(), this.#userFiles);
  }

  /** Returns a file's exports. Rejects as {@link loadExport} does. */
  async importModule(file: string): Promise<Record<string, unknown>> {
    await this.#beforeUserCode?.();
    try {
      return namesOf(await load(file));
    } catch (error) {
      throw this.#explain(error, file);
    }
  }

  /** Returns the loaded user file that exports a value, and its name there. Skips the file `except`. */
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

  /** Explains a SyntaxError. V8 also throws one if an import is missing in a module. */
  #explainSyntax(error: SyntaxError): CodedError | undefined {
    const specifier = /requested module '([^']+)'/.exec(error.message)?.[1];
    const name = /export (?:named )?'([^']+)'/.exec(error.message)?.[1];
    if (specifier === undefined || name === undefined) {
      const place = headLocation(error);
      if (place !== undefined) return loaderErrors.syntax(place, error.message);
      // If the stack has a user frame, user code threw it, for example by JSON.parse.
      return this.userFrame(error) === undefined ? this.#findSyntaxError() : undefined;
    }
    const place = headLocation(error) ?? locateBinding(name, specifier, this.#hooks.loadedFiles());
    return place === undefined ? undefined : loaderErrors.notExported(specifier, name, place, error);
  }

  /** Finds the location of a syntax error with the TypeScript compiler, because V8 does not report it. */
  #findSyntaxError(): CodedError | undefined {
    for (const file of this.#hooks.loadedFiles()) {
      if (isTypeScript(file) || isJsx(file)) continue;
      try {
        const source = readFileSync(file, 'utf8');
        const url = pathToFileURL(file).href;
        transpile(this.#compiler, { file, url, source, format: 'module', options: {} });
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
 * Loads a module. `require` loads both kinds, and gives CommonJS below an ES module Node's real CommonJS loader.
 * Below an `import`, Node 22 uses a replacement without our hooks and ES modules. Only modules with top-level await
 * must be imported.
 */
async function load(file: string): Promise<unknown> {
  try {
    return nodeModule.createRequire(import.meta.url)(file) as unknown;
  } catch (error) {
    if (!hasCode(error, 'ERR_REQUIRE_ASYNC_MODULE')) throw error;
    return (await import(pathToFileURL(file).href)) as unknown;
  }
}

/** Returns the exports of a file by name. If `module.exports` is a class or a function, its name is `default`. */
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

/** Returns where a file imports or requires a specifier, or the file alone if the specifier is computed. */
function locateSpecifier(specifier: string, importer: string): Location {
  const parsed = parseScript(readFileSync(importer, 'utf8'));
  const literal = nodesNamed(parsed, 'String').find((node) => stringContent(node, parsed.text) === specifier);
  return literal === undefined ? { file: importer } : locationAt(importer, parsed, literal.from);
}

/** Returns where one of these files imports or re-exports a name from a specifier. */
function locateBinding(name: string, specifier: string, files: readonly string[]): Location | undefined {
  for (const file of files) {
    const parsed = parseScript(readFileSync(file, 'utf8'));
    for (const statement of nodesNamed(parsed, 'ImportDeclaration', 'ExportDeclaration')) {
      const literal = statement.getChild('String', 'from') ?? undefined;
      if (literal === undefined || stringContent(literal, parsed.text) !== specifier) continue;
      const clause = parsed.text.slice(statement.from, literal.from);
      const word = [...clause.matchAll(/[\p{ID_Continue}$]+/gu)].find(([found]) => found === name);
      if (word !== undefined) return locationAt(file, parsed, statement.from + word.index);
    }
  }
  return undefined;
}

function locationAt(file: string, { text }: ParsedText, offset: number): Location {
  const { line, character } = new LineMap(text).position(offset);
  return { file, line: line + 1, column: character + 1 };
}
