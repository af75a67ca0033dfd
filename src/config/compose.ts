import type { FileReader, PathRules } from '../base/ports.ts';
import { bundledDefault } from './bundledDefaults.ts';
import type { Dialect } from './dialect.ts';
import { Config } from './effectiveConfig.ts';
import { resolveInterpolations, type Environment } from './interpolation.ts';
import { ajetKeys } from './keyTable.ts';
import { LayerCollector, readLayer } from './layers.ts';
import { parseConfig, type ConfigDocument } from './parse.ts';
import { firstError, type ConfigProblem } from './problem.ts';
import { readSearchPath } from './searchPath.ts';
import { mergeMappings, type MappingValue, type Value } from './value.ts';

export interface ComposeRequest {
  /** Absolute path of the config. */
  readonly file: string;
  readonly text: string;
  /** The same text parsed, where that has been done already. */
  readonly document?: ConfigDocument;
  /** Which of the formats it is; AgentJet's where nothing is said. */
  readonly dialect?: Dialect;
  /** Folder that training would be started in; see `readSearchPath`. */
  readonly cwd: string;
  readonly files: FileReader;
  readonly paths: PathRules;
  readonly environment: Environment;
}

export interface Composition {
  readonly config: Config;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Composes a config as upstream's launcher has Hydra do it: the files named in `defaults`, found along
 * `hydra.searchpath`, are laid over one another in order, the config itself at `_self_`; later layers win; then `${…}`
 * is resolved. As upstream puts them back, `hydra` and `defaults` stay in the result. Where a named default is in no
 * folder of this machine, what comes with this program stands in, its origin being `bundled`.
 *
 * Never throws for what is in a text: whatever can be composed is, and `problems` says what is wrong, errors being what
 * would keep training from starting. Rejects only when a file is there but cannot be read.
 */
export async function compose(request: ComposeRequest): Promise<Composition> {
  const primary = readLayer(request.file, request.document ?? parseConfig(request.text));
  const problems = [...primary.problems];
  // In a text that is not whole YAML, a section may be missing only because reading stopped before it.
  if (firstError(problems) === undefined) problems.push(...sectionProblems(request.file, primary.value));

  const steering = resolveInterpolations(searchPathOnly(primary.value), request.environment);
  const { folders, problems: searchProblems } = await readSearchPath(steering.root, request);
  const collector = new LayerCollector(folders, request);
  const layers = await collector.collect(primary.value, [request.file]);
  if (!primary.value.entries.has('defaults')) layers.unshift(bundledDefault('ajet_default', ajetKeys()));

  const merged = layers.reduce<MappingValue>(mergeMappings, { ...primary.value, entries: new Map() });
  const resolved = resolveInterpolations(merged, request.environment);
  const root = {
    ...resolved.root,
    entries: new Map([...resolved.root.entries, ...steeringSections(primary.value)]),
  };
  problems.push(...steering.problems, ...searchProblems, ...collector.problems, ...resolved.problems);
  return { config: new Config(request.file, root), problems };
}

/** The rest of Hydra's own section is for Hydra alone, with resolvers of its own. */
function searchPathOnly(primary: MappingValue): MappingValue {
  const hydra = primary.entries.get('hydra');
  const list = hydra?.kind === 'mapping' ? hydra.entries.get('searchpath') : undefined;
  if (hydra?.kind !== 'mapping' || list === undefined) return { ...primary, entries: new Map() };
  const section = { ...hydra, entries: new Map([['searchpath', list]]) };
  return { ...primary, entries: new Map([['hydra', section]]) };
}

function steeringSections(primary: MappingValue): [string, Value][] {
  return [...primary.entries].filter(([key]) => key === 'hydra' || key === 'defaults');
}

function sectionProblems(file: string, primary: MappingValue): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const ajet = primary.entries.get('ajet');
  if (ajet?.kind !== 'mapping') {
    problems.push({
      code: 'config/no-ajet',
      severity: 'error',
      message: 'The config has no section `ajet`.',
      location: ajet?.origin.kind === 'file' ? ajet.origin.location : { file, line: 1 },
      hint: 'Put the experiment under a top-level key `ajet:`.',
    });
  }
  const missing = ['hydra', 'defaults'].filter((section) => !primary.entries.has(section));
  if (missing.length > 0) {
    problems.push({
      code: 'config/no-defaults',
      severity: 'warning',
      message: `The config has no \`${missing.join('` and no `')}\`, without which training does not start; AgentJet's own defaults stand in.`,
      location: { file, line: 1 },
      hint: 'Add `hydra.searchpath` with `file://ajet/default_config`, and `defaults` with `ajet_default` and `_self_`.',
    });
  }
  return problems;
}
