import { kebabCase } from '../../../base/core/kebabCase.ts';
import { ajetFlags, refuseFlags, trinityFlags, type FlagTable } from '../../core/launch/flags.ts';
import { usageError } from '../../../base/node/terminal/commandLine.ts';
import { runOptions } from './remoteOptions.ts';

const ownFlags = new Map(
  Object.entries(runOptions).map(([key, { placeholder }]) => [
    `--${kebabCase(key)}`,
    { takesValue: placeholder !== undefined },
  ]),
);

/**
 * Moves the launcher's flags of `agentjet remote run` behind `--`, each with its value. Returns any other command line as
 * it is. Throws `cli/usage` for a word that belongs to no flag.
 */
export function launcherFlagsApart(argv: readonly string[]): readonly string[] {
  if (argv[0] !== 'remote' || argv[1] !== 'run') return argv;
  const own: string[] = ['remote', 'run'];
  const flags: string[] = [];
  const rest = argv.slice(2);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      flags.push(...rest);
      break;
    }
    const [name = '', value] = word.split('=', 2);
    if (!name.startsWith('-'))
      throw usageError(`Unexpected argument "${word}".`, `Write --conf ${word} if it is the config.`);
    const ours = ownFlags.get(name);
    const isHelp = name === '--help' || name === '-h';
    const to = ours !== undefined || isHelp ? own : flags;
    to.push(word);
    const takesValue =
      ours?.takesValue ?? [ajetFlags, trinityFlags].some((table) => !isHelp && hasValue(table, name));
    if (!takesValue || value !== undefined) continue;
    const next = rest.shift();
    // The parser reports the missing value, and must not take `--` for it.
    if (next === undefined && to === own) return own;
    if (next !== undefined) to.push(next);
  }
  return [...own, '--', ...flags];
}

/** Without a config, upstream's launcher can also end processes: such flags are refused by name. */
export function refuseWithoutConfig(flags: readonly string[], launcher: string | undefined): never {
  if (launcher !== 'trinity') refuseFlags(flags, 'ajet', ajetFlags);
  if (launcher !== 'ajet') refuseFlags(flags, 'trinity', trinityFlags);
  throw usageError('--conf is missing.', 'Name the config: agentjet remote run --conf FILE.yaml');
}

function hasValue(table: FlagTable, name: string): boolean {
  const flag = Object.hasOwn(table, name) ? table[name] : undefined;
  if (flag === undefined) return false;
  return 'refused' in flag ? flag.hasValue === true : flag.takes === 'a value';
}
