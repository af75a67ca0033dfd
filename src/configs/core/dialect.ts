import {
  ajetKeys,
  astunerKeys,
  trinityKeys,
  type KeyTable,
  type TableReleases,
} from './key-tables/keyTable.ts';

export interface TopLevelKey {
  readonly name: string;
  readonly offset: number;
}

const topLevelKey = /^(?:([A-Za-z_][\w.-]*)|'([^'\r\n]*)'|"([^"\\\r\n]*)")[ \t]*:(?=[ \t]|$)/;

/**
 * Returns the offset of the top-level key `ajet` or `astuner` in the first document of a YAML text. Undefined if there is
 * none. Looks at lines only, without parsing, so that it can run on every change of the active editor. Broken text
 * elsewhere does not matter.
 */
export function findAjetKey(text: string): number | undefined {
  // A single search settles most files: those that never mention the key.
  if (!/ajet|astuner/.test(text)) return undefined;
  for (const { name, offset } of topLevelKeys(text)) if (name === 'ajet' || name === 'astuner') return offset;
  return undefined;
}

/**
 * Yields the top-level keys of the first document. Text in the first column is always at the top level, because quoted
 * and block texts must be indented.
 */
export function* topLevelKeys(text: string): Generator<TopLevelKey> {
  let begun = false;
  for (const { written, offset } of linesOfTheFirstColumn(text)) {
    const line = offset === 0 ? written.replace(/^\ufeff/, '') : written;
    if (/^(?:---|\.\.\.)(?:[ \t]|$)/.test(line)) {
      if (begun) return;
      continue;
    }
    if (/^(?:[ \t#%]|$)/.test(line)) continue;
    begun = true;
    const [, plain, single, double] = topLevelKey.exec(line) ?? [];
    const name = plain ?? single ?? double;
    if (name !== undefined) yield { name, offset: offset + written.length - line.length };
  }
}

/** Lines, as far as keys go, that are neither indented nor comments; the others are not even looked at. */
function* linesOfTheFirstColumn(text: string): Generator<{ written: string; offset: number }> {
  const [first] = /^[^ \t\r\n#%][^\r\n]{0,500}/.exec(text) ?? [];
  if (first !== undefined) yield { written: first, offset: 0 };
  // To look behind at each character would take ten times as long.
  for (const { 0: match, index } of text.matchAll(/[\r\n][^ \t\r\n#%][^\r\n]{0,500}/g)) {
    yield { written: match.slice(1), offset: index + 1 };
  }
}

export type DialectId = 'ajet' | 'astuner' | 'trinity';

/** One of the formats that configs are written in, with everything that differs between them. */
export interface Dialect {
  readonly id: DialectId;
  /** For people, as in `an AgentJet config`. */
  readonly label: string;
  /** The top-level section that makes a text one of this dialect; undefined where keys stand at the top. */
  readonly section: string | undefined;
  /** `hydra`: `defaults` and `hydra.searchpath` are followed. `omegaconf`: one file, laid over the defaults in code. */
  readonly composition: 'hydra' | 'omegaconf';
  /** Entries of `defaults` that stand for this program's own defaults where no folder has them. */
  readonly bundled: readonly string[];
  /** Paths of the keys whose values are locators, as in the key table. */
  readonly locatorKeys: readonly string[];
  /** The dialect that took the place of this one, and that its files can be rewritten in. */
  readonly supersededBy?: DialectId;
  /** Read when first asked for. Without releases, those of the dialect. */
  readonly keys: (releases?: TableReleases) => KeyTable;
}

/** Returns the dialect with the keys of the given releases. */
export function dialectOfReleases(dialect: Dialect, releases: TableReleases): Dialect {
  return { ...dialect, keys: (others = releases) => dialect.keys(others) };
}

const ajet: Dialect = {
  id: 'ajet',
  label: 'AgentJet',
  section: 'ajet',
  composition: 'hydra',
  bundled: ['verl_default', 'trinity_default', 'ajet_default'],
  locatorKeys: ['ajet.rollout.user_workflow', 'ajet.task_judge.judge_protocol'],
  keys: ajetKeys,
};

const astuner: Dialect = {
  id: 'astuner',
  label: 'ASTuner',
  section: 'astuner',
  composition: 'hydra',
  bundled: ['verl_default', 'trinity_default', 'astune_default'],
  locatorKeys: [
    'astuner.rollout.agentscope_workflow',
    'astuner.rollout.agentscope_learn_protocol',
    'astuner.rollout.user_workflow',
    'astuner.task_judge.judge_protocol',
  ],
  supersededBy: 'ajet',
  keys: astunerKeys,
};

const trinity: Dialect = {
  id: 'trinity',
  label: 'Trinity-RFT',
  section: undefined,
  composition: 'omegaconf',
  bundled: [],
  locatorKeys: [],
  keys: trinityKeys,
};

export const dialects: readonly [Dialect, ...Dialect[]] = [ajet, astuner, trinity];

/** Keys at the top of Trinity's files: those that hardly any other format has, those that say little, and the rest. */
const distinctive = new Set(['checkpoint_root_dir', 'explorer', 'synchronizer', 'buffer']);
const characteristic = new Set(['algorithm', 'data_processor', 'mode', 'model', 'project', 'trainer']);
const usual = new Set([
  'checkpoint_job_dir',
  'cluster',
  'cod',
  'continue_from_checkpoint',
  'enable_ray_timeline',
  'group',
  'ignore_validator_suggestions',
  'log',
  'monitor',
  'name',
  'ray_namespace',
  'service',
  'stages',
]);

/**
 * Returns the dialect of a text, or undefined for any other file. Looks at lines only, without parsing, so that it can
 * run on every change of the active editor.
 */
export function dialectOf(text: string): Dialect | undefined {
  const found = new Map<string, number>();
  for (const { name, offset } of topLevelKeys(text)) found.set(name, offset);
  if (found.has('ajet')) return ajet;
  if (found.has('astuner')) return astuner;
  const names = new Set(found.keys());
  const embedded = found.get('trinity');
  // A file of defaults that has nothing but what AgentJet passes on to Trinity.
  if (embedded !== undefined && isTrinityName(firstKeyBelow(text, embedded))) return ajet;
  return isTrinity(names, firstKeyBelow(text, found.get('algorithm'))) ? trinity : undefined;
}

/** Offset of the key above which a config is started; undefined: a text that a debug run does not take. */
export function launchKey(text: string): number | undefined {
  const own = findAjetKey(text);
  if (own !== undefined || dialectOf(text)?.id !== 'trinity') return own;
  const [first] = topLevelKeys(text);
  return first?.offset;
}

function isTrinityName(name: string | undefined): boolean {
  return name !== undefined && [distinctive, characteristic, usual].some((names) => names.has(name));
}

/** The key on the first line below another that is neither blank nor a comment, where that is indented. */
function firstKeyBelow(text: string, offset: number | undefined): string | undefined {
  if (offset === undefined) return undefined;
  const lines = /[\r\n][ \t]*([^ \t\r\n#][^\r\n]{0,200})/g;
  lines.lastIndex = offset;
  const line = lines.exec(text);
  const isBelow = line !== null && /^[\r\n][ \t]/.test(line[0]);
  return isBelow ? /^[\w.-]+(?=[ \t]*:)/.exec(line[1] ?? '')?.[0] : undefined;
}

/** Returns true if the file mostly has Trinity keys: at least two, one of them distinctive. */
function isTrinity(names: ReadonlySet<string>, belowAlgorithm: string | undefined): boolean {
  const distinct = count(names, distinctive);
  const clear = distinct + count(names, characteristic);
  const own = clear + count(names, usual);
  if (own * 2 <= names.size) return false;
  if (distinct > 0) return clear > 1;
  return belowAlgorithm === 'algorithm_type';
}

function count(names: ReadonlySet<string>, among: ReadonlySet<string>): number {
  let found = 0;
  for (const name of names) if (among.has(name)) found += 1;
  return found;
}
