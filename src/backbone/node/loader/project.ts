/** Reads the tsconfig and module type of user files, once per process. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createPathsMatcher, getTsconfig, type PathsMatcher, type TsConfigResult } from 'get-tsconfig';
import { loaderErrors } from './errors.ts';

/** The module system by the file's name and package; `undecided` leaves it to the file's syntax. */
export type ModuleScope = 'module' | 'commonjs' | 'undecided';

export type CompilerOptions = NonNullable<TsConfigResult['config']['compilerOptions']>;

interface Project {
  readonly options: CompilerOptions;
  readonly paths: PathsMatcher | null;
}

const noProject: Project = { options: {}, paths: null };

export class Projects {
  readonly #byFolder = new Map<string, Project>();
  readonly #scopeByFolder = new Map<string, ModuleScope>();
  /** The cache of get-tsconfig. */
  readonly #read = new Map<string, unknown>();

  /** Returns the options of the nearest tsconfig.json, including `extends`. Throws `loader/bad-tsconfig`. */
  optionsFor(file: string): CompilerOptions {
    return this.#projectOf(path.dirname(file)).options;
  }

  /** Returns the absolute paths for a specifier by `paths` and `baseUrl`, best first. Most have no extension. */
  mappedPaths(specifier: string, importer: string): readonly string[] {
    return this.#projectOf(path.dirname(importer)).paths?.(specifier) ?? [];
  }

  scopeOf(file: string): ModuleScope {
    const extension = path.extname(file);
    if (/^\.m[jt]s$/.test(extension)) return 'module';
    if (/^\.c[jt]s$/.test(extension)) return 'commonjs';
    return this.#scopeOfFolder(path.dirname(file));
  }

  #projectOf(folder: string): Project {
    let project = this.#byFolder.get(folder);
    if (project === undefined) {
      project = this.#readProject(folder);
      this.#byFolder.set(folder, project);
    }
    return project;
  }

  #readProject(folder: string): Project {
    try {
      const found = getTsconfig(folder, 'tsconfig.json', this.#read);
      if (found === null) return noProject;
      return { options: found.config.compilerOptions ?? {}, paths: createPathsMatcher(found) };
    } catch (error) {
      throw loaderErrors.badTsconfig(folder, error);
    }
  }

  #scopeOfFolder(folder: string): ModuleScope {
    let scope = this.#scopeByFolder.get(folder);
    if (scope === undefined) {
      const parent = path.dirname(folder);
      scope = scopeByManifest(folder) ?? (parent === folder ? 'undecided' : this.#scopeOfFolder(parent));
      this.#scopeByFolder.set(folder, scope);
    }
    return scope;
  }
}

/** Undefined if the folder has no readable package.json: Node.js then looks further up, too. */
function scopeByManifest(folder: string): ModuleScope | undefined {
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  } catch {
    return undefined; // none here, or one that Node itself will complain about
  }
  const type = typeof manifest === 'object' && manifest !== null && 'type' in manifest ? manifest.type : '';
  return type === 'module' || type === 'commonjs' ? type : 'undecided';
}
