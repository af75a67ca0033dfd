/** What surrounds a file of the user's: its tsconfig and its package's module type. Read once per process. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createPathsMatcher, getTsconfig, type PathsMatcher, type TsConfigResult } from 'get-tsconfig';
import { loaderErrors } from './errors.ts';

/** The module system that the file's name and package ask for; `undecided` leaves it to the file's syntax. */
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
  /** get-tsconfig's own cache of what it has read. */
  readonly #read = new Map<string, unknown>();

  /** The `compilerOptions` of the nearest tsconfig.json, `extends` followed. Throws `loader/bad-tsconfig`. */
  optionsFor(file: string): CompilerOptions {
    return this.#projectOf(path.dirname(file)).options;
  }

  /** Absolute paths, without extension as a rule, that `paths` and `baseUrl` give a specifier, best first. */
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

/** Undefined when the folder has no readable package.json: Node, too, then looks further up. */
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
