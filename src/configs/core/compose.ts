import type { FileReader, PathRules } from '../../base/core/ports.ts';
import { bundledDefault, bundledDefaults } from './compose/bundledDefaults.ts';
import { bundledProblems, missingValues, sectionProblems } from './compose/expectations.ts';
import { DefaultsTree, type Choice } from './compose/defaultsTree.ts';
import { layerOf, type Layer, Merger } from './compose/merger.ts';
import { loadedFile, Repository, readLayer } from './compose/repository.ts';
import { compositionSections } from './compose/compositionKeys.ts';
import type { Report } from './compose/defaultsList.ts';
import { dialectOfReleases, dialects, type Dialect } from './dialect.ts';
import { Config } from './effectiveConfig.ts';
import { findInstalled, type Installed } from './installed.ts';
import type { Environment } from './interpolation/host.ts';
import { resolveInterpolations, Resolver, type ResolverRules } from './interpolation/resolver.ts';
import { runtimeResolvers } from './interpolation/resolverDocs.ts';
import { parseConfig, type ConfigDocument } from './parse.ts';
import { firstError, type ConfigProblem, type LocatedProblem } from './finding.ts';
import { readSearchPath, type SearchFolder } from './compose/searchPath.ts';
import { locationOf, valueAt, type MappingValue, type Origin, type Value } from './value.ts';
import { sourceSpans } from './interpolation/references.ts';
import { nodesIn, type Node } from './node.ts';
import type { Span } from './text.ts';

export interface ComposeRequest {
  readonly file: string;
  readonly text: string;
  /** The same text parsed, where that has been done already. */
  readonly document?: ConfigDocument;
  /** Default: AgentJet's. */
  readonly dialect?: Dialect;
  /** Folder that training would be started in; see `readSearchPath`. */
  readonly cwd: string;
  readonly files: FileReader;
  readonly paths: PathRules;
  readonly environment: Environment;
  /** The packages that training will use; by default those around the config. */
  readonly installed?: Installed | Promise<Installed> | undefined;
  /** Parses other files, for who keeps what was parsed before; `parseConfig` where it is left out. */
  readonly parsed?: (file: string, text: string) => ConfigDocument;
}

export interface Composition {
  readonly config: Config;
  /** The dialect with the keys of the installed releases. */
  readonly dialect?: Dialect;
  readonly installed?: Installed;
  readonly problems: readonly ConfigProblem[];
  readonly environment?: Environment;
  /** The files that took part, each laid over those before it. */
  readonly layers: readonly Layer[];
  /** The folders of `hydra.searchpath`; absent if the format does not use it. */
  readonly folders?: readonly SearchFolder[];
  /** Returns the origins of a dotted path in the order of the layers; the last one counts. */
  readonly setBy: (path: string) => readonly Origin[];
}

/**
 * Composes a config as its launcher does. With `hydra`, the files in `defaults` are found along `hydra.searchpath` and
 * merged in order, the config itself at `_self_`. Groups, packages, `optional` and `override` work as in Hydra 1.3.
 * With `omegaconf`, the file overrides the defaults of the program's classes. Later layers win; then `${…}` is
 * resolved. `hydra` and `defaults` stay in the result, as in AgentJet's launcher. A missing default is replaced by the
 * bundled one, with the origin `bundled`. Never throws for problems in a text: it composes what it can and returns
 * `problems`; errors would stop training. Rejects only if an existing file cannot be read.
 */
export async function compose(request: ComposeRequest): Promise<Composition> {
  const installed = await (request.installed ?? findInstalled(request));
  return new Composer(request, installed).compose();
}

const [usualDialect] = dialects;

class Composer {
  readonly #request: ComposeRequest;
  readonly #installed: Installed;
  readonly #document: ConfigDocument;
  readonly #dialect: Dialect;
  readonly #isHydra: boolean;
  readonly #rules: ResolverRules;
  readonly #problems: LocatedProblem[] = [];
  #searched: readonly SearchFolder[] = [];

  constructor(request: ComposeRequest, installed: Installed) {
    this.#request = request;
    this.#installed = installed;
    this.#document = request.document ?? parseConfig(request.text);
    this.#dialect = dialectOfReleases(request.dialect ?? usualDialect, installed.releases);
    this.#isHydra = this.#dialect.composition === 'hydra';
    this.#rules = { section: this.#dialect.section, atRunTime: this.#isHydra ? runtimeResolvers : [] };
  }

  async compose(): Promise<Composition> {
    const { file, environment } = this.#request;
    const primary = this.#primary();
    const layers = this.#isHydra ? await this.#hydraLayers(primary) : this.#overDefaults(primary);

    const merger = new Merger(primary.origin, environment, this.#rules, (value, below, path) => {
      const message = conflict(value, below, path);
      this.#problem('config/merge', value, message, 'Use the same kind of value for both.');
    });
    for (const { value } of layers) merger.add(value);
    const resolved = resolveInterpolations(merger.root, environment, this.#rules);
    this.#problems.push(...resolved.problems, ...missingValues(resolved.root, this.#dialect.section));

    const steering = this.#isHydra ? compositionSections(primary) : [];
    const entries = new Map([...resolved.root.entries, ...steering]);
    const values = layers.map(({ value }) => value);
    return {
      config: new Config(file, { ...resolved.root, entries }),
      dialect: this.#dialect,
      installed: this.#installed,
      problems: withSpans(this.#problems, file, this.#document),
      environment,
      layers,
      folders: this.#searched,
      setBy: (path) => values.flatMap((value) => valueAt(value, path)?.origin ?? []),
    };
  }

  #primary(): MappingValue {
    const { file } = this.#request;
    // The launcher rewrites the primary file before Hydra reads it, so duplicate keys in it are not reported.
    const { value, problems } = readLayer(file, this.#document, !this.#isHydra);
    this.#problems.push(...problems);
    if (value.kind === 'mapping') {
      // In a text that is not whole YAML, a section may be missing only because reading stopped before it.
      const whole = firstError(problems.filter(({ code }) => code !== 'config/interpolation')) === undefined;
      if (whole) this.#problems.push(...sectionProblems(file, value, this.#dialect));
      return value;
    }
    const { section } = this.#dialect;
    this.#problems.push({
      code: 'config/not-a-mapping',
      severity: 'error',
      message: 'A config must be a mapping of sections.',
      location: { file, line: 1 },
      hint: section === undefined ? 'Write `key: value` lines.' : `Start it with \`${section}:\`.`,
    });
    return { kind: 'mapping', entries: new Map(), origin: { kind: 'file', location: { file } } };
  }

  #overDefaults(primary: MappingValue): Layer[] {
    const { file } = this.#request;
    const value = bundledDefaults(this.#dialect);
    return [
      { file: undefined, name: this.#dialect.label, written: undefined, value },
      { file, name: '_self_', written: undefined, value: primary },
    ];
  }

  async #hydraLayers(primary: MappingValue): Promise<Layer[]> {
    const folders = await this.#folders(primary);
    this.#searched = folders;
    const repository = this.#repository(folders);
    const tree = new DefaultsTree({
      repository,
      environment: this.#request.environment,
      report: this.#reportDefaults,
      missing: ({ origin, path }) => {
        const isAllHere = folders.every(({ folder }) => folder !== undefined);
        const code = isAllHere ? 'config/defaults-missing' : 'config/defaults-elsewhere';
        this.#problem(code, origin, notFound(path, folders), hintFor(path));
      },
    });
    const choices = await tree.follow(
      loadedFile(this.#request.file, primary, undefined, this.#reportDefaults),
    );
    this.#problems.push(...bundledProblems(choices, folders));
    const layers = choices.flatMap((choice) => this.#layer(choice));
    if (primary.entries.has('defaults')) return layers;
    const value = bundledDefaults(this.#dialect);
    return [
      { file: undefined, name: this.#dialect.bundled.at(-1) ?? '', written: undefined, value },
      ...layers,
    ];
  }

  /** Resolved within the primary file alone, as nothing else has been read by then. */
  async #folders(primary: MappingValue): Promise<readonly SearchFolder[]> {
    const hydra = primary.entries.get('hydra');
    const list = hydra?.kind === 'mapping' ? hydra.entries.get('searchpath') : undefined;
    if (list === undefined) return [];
    const rules = { ...this.#rules, section: undefined };
    const resolver = new Resolver(primary, this.#request.environment, rules);
    const resolved = resolver.deep(list, ['hydra', 'searchpath']);
    this.#problems.push(...resolver.problems);
    const { folders, problems } = await readSearchPath(resolved, {
      ...this.#request,
      packages: Object.values(this.#installed.found).map((found) => this.#request.paths.dirname(found)),
    });
    this.#problems.push(...problems);
    return folders;
  }

  #repository(folders: readonly SearchFolder[]): Repository {
    const { files, paths, parsed } = this.#request;
    const { bundled, keys } = this.#dialect;
    return new Repository({
      folders,
      files,
      paths,
      parse: parsed ?? ((_, text) => parseConfig(text)),
      bundled: (path) => (bundled.includes(path) ? bundledDefault(path, keys()) : undefined),
      problem: (problem) => this.#problems.push(problem),
      report: this.#reportDefaults,
    });
  }

  #layer(choice: Choice): Layer[] {
    const { layer, problems } = layerOf(choice);
    for (const { at, message, hint } of problems) this.#reportDefaults(at, message, hint);
    return layer === undefined ? [] : [layer];
  }

  readonly #reportDefaults: Report = (at, message, hint) =>
    this.#problem('config/defaults', at, message, hint);

  #problem(code: string, at: Value | undefined, message: string, hint: string): void {
    const location = at && locationOf(at);
    this.#problems.push({ code, severity: 'error', message, hint, ...(location && { location }) });
  }
}

function conflict(value: Value, below: Value, path: readonly string[]): string {
  const kind = ({ kind: one }: Value): string => (one === 'mapping' ? 'a section' : 'a list');
  return `\`${path.join('.')}\` is ${kind(value)} here and ${kind(below)} in an included file. The two cannot be merged.`;
}

function notFound(path: string, folders: readonly SearchFolder[]): string {
  const searched = folders.map(({ written }) => written).join(', ');
  const where =
    searched === '' ? 'there is no search path' : `no folder of the search path has this file (${searched})`;
  return `\`${path}\` of \`defaults\` does not exist: ${where}.`;
}

function hintFor(path: string): string {
  return `Add the folder of ${path}.yaml to \`hydra.searchpath\`, or remove the entry.`;
}

/** Gives problems in one file their exact places there; those in other files keep the line of the value. */
function withSpans(
  problems: readonly LocatedProblem[],
  file: string,
  document: ConfigDocument,
): ConfigProblem[] {
  /** Nodes by their start. A value and the first one within it may start together: the outer one is meant. */
  let starts: Map<number, Node> | undefined;
  return problems.map(({ inside, ...problem }) => {
    const { location } = problem;
    if (location?.file !== file || location.line === undefined || problem.span !== undefined) return problem;
    const line = document.lines.line(location.line - 1);
    starts ??= new Map(
      Array.from(nodesIn(document.root), ({ node }) => [node.span.start, node] as const).reverse(),
    );
    const node = starts.get(line.start + (location.column ?? 1) - 1);
    const span = node && spanOf(node, inside, document);
    return span ? { ...problem, location: document.lines.location(file, span.start), span } : problem;
  });
}

function spanOf(node: Node, inside: Span | undefined, document: ConfigDocument): Span {
  return inside !== undefined && node.kind === 'scalar' ? sourceSpans(document, node)(inside) : node.span;
}
