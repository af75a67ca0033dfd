import type { FileReader, PathRules } from '../../base/core/ports.ts';
import type { TableReleases } from './key-tables/keyTable.ts';
import {
  markedRelease,
  releaseNames,
  releaseOf,
  usualTrinity,
  type KnownRelease,
  type Program,
} from './key-tables/releases.ts';
import { readConversionTable, ruleOf, type ConversionTable } from './convert/conversionTable.ts';
import type { Backbone, ConversionRule } from './convert/conversionRules.ts';

/** The packages that training will use, as far as they can be read from here. */
export interface Installed {
  readonly releases: TableReleases;
  /** The files that name the releases; absent for a release that is chosen or assumed. */
  readonly found: Readonly<Partial<Record<Program, string>>>;
  /** The names of the GPU hosts that name the releases. */
  readonly hosts: Readonly<Partial<Record<Program, string>>>;
  /** The conversion tables of AgentJet's package. */
  readonly tables: Readonly<Partial<Record<Backbone, ConversionTable>>>;
  /** The version of AgentScope, if a Python environment has it. */
  readonly agentscope?: string | undefined;
}

/** The release whose defaults apply if nothing names one. */
export function usualRelease(program: Program): string {
  const [oldest = ''] = releaseNames('ajet');
  return program === 'ajet' ? oldest : usualTrinity.name;
}

/** The releases in the Python of a GPU host. */
export interface HostReleases {
  readonly name: string;
  readonly releases: Readonly<Partial<Record<Program, string | undefined>>>;
}

export interface InstalledRequest {
  /** Absolute path of the config. */
  readonly file: string;
  readonly cwd: string;
  readonly files: FileReader;
  readonly paths: PathRules;
  /** Folders of Python environments to search before the `.venv` of the project. */
  readonly environments?: readonly string[] | undefined;
  /** A GPU host whose releases count if this machine has none. */
  readonly host?: HostReleases | undefined;
  /** Names of releases that the user chose. */
  readonly chosen?: Readonly<Partial<Record<Program, string | undefined>>> | undefined;
}

/** The maximum number of folders above a config to search. */
const mostParents = 8;

/**
 * Finds AgentJet, Trinity-RFT and AgentScope. A clone around the config or the working folder comes first, because
 * Python imports that one. The packages of the Python environments follow. Reads files only and never rejects.
 */
export async function findInstalled(request: InstalledRequest): Promise<Installed> {
  const finder = new PackageFinder(request);
  const [ajet, trinity, agentscope] = await Promise.all([
    finder.agentjet(),
    finder.trinity(),
    finder.version('agentscope'),
  ]);
  const { chosen = {}, host } = request;
  const known = (program: Program, name: string | undefined): string | undefined =>
    releaseNames(program).find((one) => one === name);
  const hosts: Partial<Record<Program, string>> = {};
  const release = (program: Program, own: string | undefined): KnownRelease | undefined => {
    const here = known(program, chosen[program]) ?? own;
    const there = here === undefined ? known(program, host?.releases[program]) : undefined;
    if (host !== undefined && there !== undefined) hosts[program] = host.name;
    const name = here ?? there;
    return name === undefined ? undefined : { program, name, assumed: false };
  };
  return {
    releases: {
      ajet: release('ajet', ajet?.release),
      trinity: release('trinity', trinity?.release) ?? usualTrinity,
    },
    found: {
      ...(ajet !== undefined && { ajet: ajet.folder }),
      ...(trinity !== undefined && { trinity: trinity.folder }),
    },
    hosts,
    tables: ajet?.tables ?? {},
    agentscope,
  };
}

/** The launcher of August 2026 sets this key after the table: to its limit, or to that of the model. */
const actorTokens: readonly ConversionRule[] = (
  [
    ['ajet.rollout.max_model_len', undefined],
    ['ajet.rollout.ppo_max_token_len_per_gpu', 'skipped'],
  ] as const
).map(([source, whenNull]) => ({
  ...ruleOf(source, 'actor_rollout_ref.actor.ppo_max_token_len_per_gpu'),
  whenNull,
}));

interface FoundPackage {
  readonly folder: string;
  readonly release: string;
}

/** Recognizes the release of AgentJet's `default_config`; undefined if the folder is another one. */
export async function ajetRelease(
  read: (name: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const text = await read('ajet_default.yaml');
  if (text === undefined) return undefined;
  const schema = await read('ajet_config_schema.py');
  return markedRelease('ajet', `${text} ${schema ?? ''}`) ?? usualRelease('ajet');
}

class PackageFinder {
  readonly #files: FileReader;
  readonly #paths: PathRules;
  /** Folders from which Python imports: of clones, and of environments. */
  readonly #clones: readonly string[];
  readonly #packages: Promise<readonly string[]>;

  constructor({ file, cwd, files, paths, environments = [] }: InstalledRequest) {
    this.#files = files;
    this.#paths = paths;
    const parents = [cwd];
    for (let at = paths.dirname(file); at !== cwd && parents.length < mostParents; at = paths.dirname(at)) {
      if (at === paths.dirname(at)) break;
      parents.push(at);
    }
    this.#clones = parents;
    const projects = parents.flatMap((folder) => [
      paths.resolve(folder, '.venv'),
      paths.resolve(folder, 'venv'),
    ]);
    this.#packages = this.#packageFolders([...environments, ...projects]);
  }

  async agentjet(): Promise<(FoundPackage & Pick<Installed, 'tables'>) | undefined> {
    for (const folder of [...this.#clones, ...(await this.#packages)]) {
      const defaults = this.#paths.resolve(folder, 'ajet/default_config');
      const release = await ajetRelease((name) => this.#read(defaults, name));
      if (release === undefined) continue;
      const tables = await this.#tables(defaults, release);
      return { folder: this.#paths.resolve(folder, 'ajet'), release, tables };
    }
    return undefined;
  }

  async trinity(): Promise<FoundPackage | undefined> {
    for (const folder of [...this.#clones, ...(await this.#packages)]) {
      const source = this.#paths.resolve(folder, 'trinity');
      const config = await this.#read(source, 'common/config.py');
      if (config === undefined) continue;
      const init = (await this.#read(source, '__init__.py')) ?? '';
      const version =
        /__version__\s*=\s*["']([^"']+)/.exec(init)?.[1] ?? (await this.#infoIn(folder, 'trinity_rft'));
      const release = markedRelease('trinity', config) ?? releaseOf('trinity', version ?? usualTrinity.name);
      if (release !== undefined) return { folder: source, release };
    }
    return undefined;
  }

  /** Returns the version of a package of the environments. */
  async version(name: string): Promise<string | undefined> {
    for (const folder of await this.#packages) {
      const version = await this.#infoIn(folder, name);
      if (version !== undefined) return version;
    }
    return undefined;
  }

  async #tables(defaults: string, release: string): Promise<Installed['tables']> {
    const names = releaseNames('ajet');
    const isSince = (first: string): boolean => names.indexOf(release) >= names.indexOf(first);
    // The launcher of January stops at a null.
    const whenNull = isSince('May 2026') ? 'copied' : undefined;
    const read = async (backbone: Backbone): Promise<ConversionTable | undefined> => {
      const name = `${backbone}/config_auto_convertion_${backbone}.jsonc`;
      const text = await this.#read(defaults, name);
      return text === undefined
        ? undefined
        : readConversionTable(text, this.#paths.resolve(defaults, name), whenNull);
    };
    const [verl, trinity] = await Promise.all([read('verl'), read('trinity')]);
    const rules = isSince('August 2026') ? actorTokens : [];
    return {
      ...(verl && { verl: { ...verl, rules: [...verl.rules, ...rules] } }),
      ...(trinity && { trinity }),
    };
  }

  /** Reads the version from the name of a folder such as `trinity_rft-0.6.0.dist-info`. */
  async #infoIn(folder: string, name: string): Promise<string | undefined> {
    const names = await this.#folders(folder);
    const info = names.find((one) => one.startsWith(`${name}-`) && one.endsWith('.dist-info'));
    return info?.slice(name.length + 1, -'.dist-info'.length);
  }

  async #packageFolders(environments: readonly string[]): Promise<readonly string[]> {
    const found = environments.map(async (environment) => {
      const libraries = this.#paths.resolve(environment, 'lib');
      const versions = (await this.#folders(libraries)).filter((name) => name.startsWith('python3'));
      return [
        ...versions.map((version) => this.#paths.resolve(libraries, version, 'site-packages')),
        this.#paths.resolve(environment, 'Lib/site-packages'),
      ];
    });
    return (await Promise.all(found)).flat();
  }

  /** Folders that cannot be read count as empty, and files as missing: another one may name the release. */
  async #folders(folder: string): Promise<readonly string[]> {
    return (await this.#files.folders?.(folder).catch(() => [])) ?? [];
  }

  async #read(folder: string, name: string): Promise<string | undefined> {
    return this.#files.readText(this.#paths.resolve(folder, name)).catch(() => undefined);
  }
}
