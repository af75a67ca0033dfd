import type { PathRules } from '../../../base/core/ports.ts';
import { importCandidates } from './importCandidates.ts';
import type { Modules } from './modules.ts';

/** The location of a module: its file, its folder, or both (a package). A folder alone is a namespace package. */
export interface ModuleLocation {
  readonly file: string | undefined;
  readonly folder: string | undefined;
}

export type ModuleResult =
  | { readonly status: 'found'; readonly place: ModuleLocation }
  /** The workspace has the first package but not the module; `file` is where it would be. */
  | { readonly status: 'missing'; readonly file: string }
  | { readonly status: 'elsewhere' };

/** Finds the files that imports mean, among those of the workspace. */
export class ModuleFinder {
  readonly #modules: Pick<Modules, 'stamp'>;
  readonly #paths: PathRules;

  constructor(modules: Pick<Modules, 'stamp'>, paths: PathRules) {
    this.#modules = modules;
    this.#paths = paths;
  }

  /** A dotted Python module, in the first of `roots` that has it; see also {@link under}. */
  async dotted(module: string, roots: readonly string[]): Promise<ModuleResult> {
    const segments = module.split('.');
    let missing: string | undefined;
    for (const root of roots) {
      const place = await this.under(root, segments);
      if (place !== undefined) return { status: 'found', place };
      if (missing !== undefined || segments.length < 2) continue;
      const first = await this.under(root, segments.slice(0, 1));
      if (first !== undefined) missing = `${this.#paths.resolve(root, ...segments)}.py`;
    }
    return missing === undefined ? { status: 'elsewhere' } : { status: 'missing', file: missing };
  }

  async relative(module: string, importer: string): Promise<ModuleLocation | undefined> {
    const [dots = ''] = /^\.+/.exec(module) ?? [];
    const up = Array.from({ length: dots.length - 1 }, () => '..');
    const folder = this.#paths.resolve(this.#paths.dirname(importer), ...up);
    const rest = module.slice(dots.length);
    return this.under(folder, rest === '' ? [] : rest.split('.'));
  }

  async under(root: string, segments: readonly string[]): Promise<ModuleLocation | undefined> {
    const folder = this.#paths.resolve(root, ...segments);
    const [own, inside, isThere] = await Promise.all([
      segments.length === 0 ? undefined : this.#file(`${folder}.py`),
      this.#file(this.#paths.resolve(folder, '__init__.py')),
      this.#modules.stamp(folder),
    ]);
    const isFolder = isThere?.kind === 'folder';
    if (!isFolder) return own === undefined ? undefined : { file: own, folder: undefined };
    // As in Python, a package comes before a file of its name, and a mere folder after it.
    return inside === undefined && own !== undefined
      ? { file: own, folder: undefined }
      : { file: inside, folder };
  }

  /** The file that an import in TypeScript or JavaScript means; undefined for a package, or where there is none. */
  async script(specifier: string, importer: string): Promise<string | undefined> {
    if (!/^\.{0,2}\//.test(specifier)) return undefined;
    const path = this.#paths.resolve(this.#paths.dirname(importer), specifier);
    for (const candidate of importCandidates(path)) {
      if ((await this.#file(candidate)) !== undefined) return candidate;
    }
    return undefined;
  }

  async #file(path: string): Promise<string | undefined> {
    return (await this.#modules.stamp(path))?.kind === 'file' ? path : undefined;
  }
}
