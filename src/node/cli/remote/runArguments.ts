import { ajetFlags, refuseFlags, trinityFlags, type FlagTable } from '../../../remote/launch/flags.ts';
import { launcherNames, type LauncherName, type RunOrder } from '../../../protocol/host/runs.ts';
import { byteSize, whole } from '../argumentValues.ts';
import { oneOf, parseOptions, wrongUse } from '../commandLine.ts';

/** What `remote run` is asked for. Paths are as they were written. */
export interface RemoteRunArguments {
  readonly conf: string;
  readonly root: string | undefined;
  readonly host: string | undefined;
  readonly name: string | undefined;
  /** Undefined: by the config's format. */
  readonly launcher: LauncherName | undefined;
  readonly backbone: RunOrder['backbone'] | undefined;
  readonly gpus: number | undefined;
  /** Bytes that are sent at most; undefined: as many as by default. */
  readonly limit: number | undefined;
  /** Names of variables. */
  readonly env: readonly string[];
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly follow: boolean;
  readonly sources: readonly string[] | undefined;
  readonly json: boolean;
  /** The launcher's own, as they were written: the host lets them through, or refuses them by name. */
  readonly flags: readonly string[];
}

const options = {
  conf: { type: 'string' },
  root: { type: 'string' },
  host: { type: 'string' },
  name: { type: 'string' },
  launcher: { type: 'string' },
  backbone: { type: 'string' },
  gpus: { type: 'string' },
  limit: { type: 'string' },
  env: { type: 'string', multiple: true },
  'dry-run': { type: 'boolean' },
  force: { type: 'boolean' },
  follow: { type: 'boolean' },
  source: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;

/** Throws `cli/usage`. */
export function runArguments(argv: readonly string[]): RemoteRunArguments {
  const { own, flags } = divided(argv);
  const { values, positionals } = parseOptions(own, options, 'agentjet remote run');
  const [stray] = positionals;
  if (stray !== undefined)
    throw wrongUse(`"${stray}" belongs to no option.`, `Write --conf ${stray} if it is the config.`);
  const { conf, launcher, backbone } = values;
  if (conf === undefined) refuseWithoutConfig(flags, launcher);
  return {
    conf,
    root: values.root,
    host: values.host,
    name: values.name,
    launcher: launcher === undefined ? undefined : oneOf('--launcher', launcher, launcherNames),
    backbone:
      backbone === undefined ? undefined : oneOf('--backbone', backbone, ['trinity', 'verl'] as const),
    gpus: whole('--gpus', values.gpus, 0),
    limit: byteSize('--limit', values.limit),
    env: values.env ?? [],
    dryRun: values['dry-run'] === true,
    force: values.force === true,
    follow: values.follow === true,
    sources: values.source,
    json: values.json === true,
    flags,
  };
}

/**
 * Upstream's launcher only ends processes, say, where it is given no config: whoever asks for that is told that a host does
 * not, and not to name one.
 */
function refuseWithoutConfig(flags: readonly string[], launcher: string | undefined): never {
  if (launcher !== 'trinity') refuseFlags(flags, 'ajet', ajetFlags);
  if (launcher !== 'ajet') refuseFlags(flags, 'trinity', trinityFlags);
  throw wrongUse('--conf is missing.', 'Name the config: agentjet remote run --conf FILE.yaml');
}

/** Ours, and what else begins with a dash, which is the launcher's: with its value, where upstream's takes one. */
function divided(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly flags: readonly string[];
} {
  const own: string[] = [];
  const flags: string[] = [];
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      flags.push(...rest);
      break;
    }
    const [name = '', value] = word.split('=', 2);
    const isOurs = !name.startsWith('-') || (name.startsWith('--') && Object.hasOwn(options, name.slice(2)));
    const to = isOurs ? own : flags;
    to.push(word);
    const takesValue = isOurs
      ? isText(name.slice(2))
      : [ajetFlags, trinityFlags].some((table) => hasValue(table, name));
    const next = rest[0];
    if (takesValue && value === undefined && next !== undefined) {
      to.push(next);
      rest.shift();
    }
  }
  return { own, flags };
}

function isText(name: string): boolean {
  return Object.entries(options).some(([one, { type }]) => one === name && type === 'string');
}

function hasValue(table: FlagTable, name: string): boolean {
  const flag = Object.hasOwn(table, name) ? table[name] : undefined;
  if (flag === undefined) return false;
  return 'refused' in flag ? flag.hasValue === true : flag.takes === 'a value';
}
