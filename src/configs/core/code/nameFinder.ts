import type { CodeRole, CodeSite } from './classes.ts';
import type { ModuleFinder, ModuleLocation } from './moduleFinder.ts';
import type { Binding, Declaration } from './moduleScan.ts';
import type { Module, Modules } from './modules.ts';

export type NameResult =
  | { readonly kind: 'declared'; readonly module: Module; readonly declaration: Declaration }
  | { readonly kind: 'module'; readonly place: ModuleLocation }
  | { readonly kind: 'missing' }
  /** Outside of the workspace, or not visible in the text. */
  | { readonly kind: 'elsewhere' };

/** The limit for the imports that are followed for one name. */
const longestChain = 8;
const missing: NameResult = { kind: 'missing' };
const elsewhere: NameResult = { kind: 'elsewhere' };

/** Bases that make nothing a workflow or a judge. */
const neutralBase =
  /^(?:object|(?:abc\.)?ABC|(?:typing\.)?(?:Generic|Protocol)|Exception|Error|EventEmitter)$/;

/** Follows names through the imports of the workspace. `roots`: the folders that dotted Python modules start from. */
export class NameFinder {
  readonly #modules: Modules;
  readonly #finder: ModuleFinder;
  readonly #roots: readonly string[];

  constructor(modules: Modules, finder: ModuleFinder, roots: readonly string[]) {
    this.#modules = modules;
    this.#finder = finder;
    this.#roots = roots;
  }

  /** Returns the declaration that importers get for a name of a module. */
  async exported(module: Module, name: string, steps = longestChain): Promise<NameResult> {
    if (steps === 0) return elsewhere;
    const binding = module.scan.names.get(name);
    if (binding !== undefined) return this.#bound(module, binding, steps);
    let result = missing;
    for (const star of module.scan.stars) {
      if (name === 'default') break;
      const found = await this.#imported(module, star, name, steps - 1);
      if (found.kind === 'declared' || found.kind === 'module') return found;
      if (found.kind === 'elsewhere') result = elsewhere;
    }
    return module.scan.hasMore ? elsewhere : result;
  }

  async role(module: Module, declaration: Declaration, steps = longestChain): Promise<CodeRole> {
    if (declaration.kind === 'function') return roleOfFunction(declaration);
    if (declaration.kind === 'value' || steps === 0) return 'unknown';
    let role: CodeRole = 'neither';
    for (const base of declaration.bases) {
      const found = await this.#roleOfBase(module, base, steps);
      if (found === 'workflow' || found === 'judge') return found;
      if (found === 'unknown') role = 'unknown';
    }
    return role;
  }

  async site(module: Module, declaration: Declaration): Promise<CodeSite> {
    const { name, kind, bases, parameters, registered } = declaration;
    const { line, column } = module.places.get(declaration) ?? { line: 1, column: 1 };
    const role = await this.role(module, declaration);
    const { file, language } = module;
    const own = kind === 'function' ? { parameters } : {};
    const site = { name, kind, language, file, line, column, bases, role, ...own };
    return registered === undefined ? site : { ...site, registered };
  }

  async #roleOfBase(module: Module, base: string, steps: number): Promise<CodeRole> {
    const binding = module.scan.hidden.get(base) ?? module.scan.names.get(base);
    // `import { Workflow as Base }` is still a workflow.
    const original = binding?.kind === 'imported' ? binding.name : undefined;
    const last = original ?? base.split('.').at(-1) ?? base;
    if (last === 'Workflow') return 'workflow';
    if (last === 'BaseJudge') return 'judge';
    if (neutralBase.test(base)) return 'neither';
    const found = await this.#dotted(module, base, steps - 1);
    if (found.kind === 'declared') return this.role(found.module, found.declaration, steps - 1);
    if (last.endsWith('Workflow')) return 'workflow';
    return last.endsWith('Judge') ? 'judge' : 'unknown';
  }

  async #bound(module: Module, binding: Binding, steps: number): Promise<NameResult> {
    if (binding.kind === 'declared') return { kind: 'declared', module, declaration: binding.declaration };
    if (binding.kind === 'imported') return this.#imported(module, binding.module, binding.name, steps - 1);
    return this.#dotted(module, binding.target, steps - 1);
  }

  /** `a.b.C` as the module's own code would mean it. */
  async #dotted(module: Module, target: string, steps: number): Promise<NameResult> {
    if (steps <= 0) return elsewhere;
    const [first = '', ...rest] = target.split('.');
    const { names, hidden, stars } = module.scan;
    const binding = hidden.get(first) ?? names.get(first);
    let result =
      binding === undefined && stars.length === 0
        ? missing
        : binding === undefined
          ? await this.exported(module, first, steps)
          : await this.#bound(module, binding, steps);
    for (const name of rest) {
      if (result.kind !== 'module') return elsewhere;
      result = await this.#member(result.place, name, steps - 1);
    }
    return result;
  }

  async #imported(
    importer: Module,
    module: string,
    name: string | undefined,
    steps: number,
  ): Promise<NameResult> {
    const place = await this.#place(importer, module);
    if (place === undefined) return elsewhere;
    return name === undefined ? { kind: 'module', place } : this.#member(place, name, steps);
  }

  async #place(importer: Module, module: string): Promise<ModuleLocation | undefined> {
    if (importer.language === 'typescript') {
      const file = await this.#finder.script(module, importer.file);
      return file === undefined ? undefined : { file, folder: undefined };
    }
    if (module.startsWith('.')) return this.#finder.relative(module, importer.file);
    const found = await this.#finder.dotted(module, this.#roots);
    return found.status === 'found' ? found.place : undefined;
  }

  /** A name of a module, or a module within a package. */
  async #member(place: ModuleLocation, name: string, steps: number): Promise<NameResult> {
    if (steps <= 0) return elsewhere;
    const module = place.file === undefined ? undefined : await this.#modules.get(place.file);
    if (module === undefined && place.file !== undefined) return elsewhere;
    const own = module === undefined ? missing : await this.exported(module, name, steps - 1);
    if (own.kind !== 'missing' || place.folder === undefined) return own;
    const inside = await this.#finder.under(place.folder, [name]);
    return inside === undefined ? missing : { kind: 'module', place: inside };
  }
}

/** AgentScope's tuner looks at the names of parameters alone. */
function roleOfFunction({ parameters }: Declaration): CodeRole {
  if (!parameters.includes('task')) return 'neither';
  if (parameters.includes('response')) return 'judge';
  return parameters.includes('model') || parameters.includes('system_prompt') ? 'workflow' : 'neither';
}
