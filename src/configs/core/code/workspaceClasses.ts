import type { PathRules } from '../../../base/core/ports.ts';
import type { ClassFinder, CodeSite, LocatorTarget } from './classes.ts';
import type { Locator } from '../locator.ts';
import type { CodeFiles } from './codeFiles.ts';
import { ModuleFinder } from './moduleFinder.ts';
import { Modules, type Module } from './modules.ts';
import { NameFinder } from './nameFinder.ts';

const elsewhere: LocatorTarget = { status: 'elsewhere' };
const atOnce = 16;
const mostSites = 3000;
/** Folders above a config that Python's modules are looked for in, when the working folder does not have them. */
const mostParents = 8;

/** Finds classes in the files of a workspace. A file is scanned at the first request and after each change. */
export class WorkspaceClasses implements ClassFinder {
  readonly #files: CodeFiles;
  readonly #paths: PathRules;
  readonly #folders: () => readonly string[];
  readonly #modules: Modules;
  readonly #finder: ModuleFinder;
  #all: Promise<readonly CodeSite[]> | undefined;

  /** @param folders returns those of the workspace */
  constructor(files: CodeFiles, paths: PathRules, folders: () => readonly string[]) {
    this.#files = files;
    this.#paths = paths;
    this.#folders = folders;
    this.#modules = new Modules(files);
    this.#finder = new ModuleFinder(this.#modules, paths);
  }

  /** To be called when a source file of the workspace was made, changed or deleted. */
  changed(): void {
    this.#all = undefined;
  }

  async find(locator: Locator, cwd: string, beside?: string): Promise<LocatorTarget> {
    const roots = this.#roots(cwd);
    return locator.kind === 'file'
      ? this.#inFile(locator, cwd, beside, roots)
      : this.#inModule(locator, cwd, beside, roots);
  }

  all(): Promise<readonly CodeSite[]> {
    return (this.#all ??= this.#scanAll());
  }

  #roots(cwd: string): string[] {
    const folders = [cwd, ...this.#folders()];
    return [...new Set(folders.flatMap((folder) => [folder, this.#paths.resolve(folder, 'src')]))];
  }

  async #inFile(
    { where, name }: Locator,
    cwd: string,
    beside: string | undefined,
    roots: readonly string[],
  ): Promise<LocatorTarget> {
    const bases = beside === undefined || beside === cwd ? [cwd] : [cwd, beside];
    const candidates = bases.map((base) => this.#paths.resolve(base, where));
    for (const file of candidates) {
      const stamp = await this.#modules.stamp(file);
      if (stamp?.kind === 'file') return this.#nameIn(file, name, roots);
    }
    const [file = where] = candidates;
    return (await this.#isOfWorkspace(where, bases)) ? { status: 'no-file', file } : elsewhere;
  }

  /**
   * Returns true if a missing file should exist in the workspace. Only Python files may be on another machine. A
   * relative path belongs to the workspace if its first folder exists, an absolute one if its parent folder exists.
   */
  async #isOfWorkspace(where: string, bases: readonly string[]): Promise<boolean> {
    if (this.#paths.isAbsolute(where)) return this.#isFolder(this.#paths.dirname(where));
    if (!where.endsWith('.py')) return true;
    const [first = '', ...rest] = where.split(/[\\/]/).filter((part) => part !== '.' && part !== '');
    if (rest.length === 0 || first === '..') return true;
    const found = await Promise.all(bases.map((base) => this.#isFolder(this.#paths.resolve(base, first))));
    return found.includes(true);
  }

  async #isFolder(path: string): Promise<boolean> {
    return (await this.#modules.stamp(path))?.kind === 'folder';
  }

  async #inModule(
    { where, name }: Locator,
    cwd: string,
    beside: string | undefined,
    roots: readonly string[],
  ): Promise<LocatorTarget> {
    const found = await this.#finder.dotted(where, roots);
    if (found.status === 'found') return this.#nameAt(found.place.file, name, roots);
    const parents = beside === undefined ? [] : this.#parents(beside, cwd);
    const near = await this.#finder.dotted(where, parents);
    if (near.status === 'found') return this.#nameAt(near.place.file, name, [...roots, ...parents]);
    return found.status === 'missing' ? { status: 'no-file', file: found.file } : elsewhere;
  }

  /** Folders from a config's up to the working folder, where a project within the workspace would begin. */
  #parents(folder: string, cwd: string): string[] {
    const parents: string[] = [];
    for (let at = folder; at !== cwd && parents.length < mostParents; at = this.#paths.dirname(at)) {
      if (at === this.#paths.dirname(at)) break;
      parents.push(at);
    }
    return parents;
  }

  /** A mere folder, or a package whose text is not to be read, cannot be judged. */
  async #nameAt(file: string | undefined, name: string, roots: readonly string[]): Promise<LocatorTarget> {
    return file === undefined ? elsewhere : this.#nameIn(file, name, roots);
  }

  async #nameIn(file: string, name: string, roots: readonly string[]): Promise<LocatorTarget> {
    const module = await this.#modules.get(file);
    if (module === undefined) return elsewhere;
    const names = new NameFinder(this.#modules, this.#finder, roots);
    const result = await names.exported(module, name);
    if (result.kind === 'declared') {
      return { status: 'found', site: await names.site(result.module, result.declaration) };
    }
    if (result.kind !== 'missing') return elsewhere;
    const { declarations } = module.scan;
    const sites = await Promise.all(declarations.map((one) => names.site(module, one)));
    return { status: 'no-name', file, sites };
  }

  async #scanAll(): Promise<readonly CodeSite[]> {
    const files = await this.#files.sources().catch(() => []);
    const [cwd] = this.#folders();
    const names = new NameFinder(this.#modules, this.#finder, cwd === undefined ? [] : this.#roots(cwd));
    const sites: CodeSite[] = [];
    for (let at = 0; at < files.length && sites.length < mostSites; at += atOnce) {
      const modules = await Promise.all(files.slice(at, at + atOnce).map((file) => this.#modules.get(file)));
      const present = modules.filter((module) => module !== undefined);
      sites.push(...(await Promise.all(present.map((module) => sitesOf(module, names)))).flat());
    }
    return sites.toSorted((a, b) => rank(a) - rank(b)).slice(0, mostSites);
  }
}

async function sitesOf(module: Module, names: NameFinder): Promise<CodeSite[]> {
  const sites = await Promise.all(module.scan.declarations.map((one) => names.site(module, one)));
  return sites.filter(
    (site) => site.kind === 'class' || site.role !== 'neither' || site.registered !== undefined,
  );
}

function rank({ role = 'unknown', registered }: CodeSite): number {
  return ['workflow', 'judge', 'unknown', 'neither'].indexOf(
    registered !== undefined && role === 'unknown' ? 'workflow' : role,
  );
}
