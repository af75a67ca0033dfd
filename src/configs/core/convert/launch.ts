import bootFile from './data/trinity-launch.json' with { type: 'json' };
import { scalarOf, valueAt, type MappingValue, type Value } from '../value.ts';
import type { Backbone } from './conversionRules.ts';
import { fillTrainer, type FilledTrainer } from './fillTrainer.ts';
import { insertValue } from './insertValue.ts';

/** The target of a launch; `debug` starts the backbone's processes but trains nothing. */
export type LaunchTarget = Backbone | 'debug';

/** The steps of the launcher for one target, which differ only in these fields. */
export interface Launch {
  readonly table: Backbone;
  /** The entry of `defaults` that is taken out before composing, with its folder of `hydra.searchpath`. */
  readonly leavesOut: { readonly name: string; readonly folder: string };
  /** The base of the converted values: the config, or one of the launcher's files below a section of the config. */
  readonly base: 'config' | { readonly boot: () => MappingValue; readonly section: string };
  readonly after: readonly ((root: MappingValue) => FilledTrainer)[];
}

const trinityDefault = { name: 'trinity_default', folder: 'file://ajet/default_config/trinity' };
const verlDefault = { name: 'verl_default', folder: 'file://ajet/default_config/verl' };

export const launches: Readonly<Record<LaunchTarget, Launch>> = {
  verl: { table: 'verl', leavesOut: trinityDefault, base: 'config', after: [listLogger] },
  debug: { table: 'verl', leavesOut: trinityDefault, base: 'config', after: [] },
  trinity: {
    table: 'trinity',
    leavesOut: verlDefault,
    base: { boot: () => section(bootFile, ''), section: 'trinity' },
    after: [fillTrainer],
  },
};

/** verl takes a list of loggers; the config has the name of one. */
function listLogger(root: MappingValue): FilledTrainer {
  const logger = valueAt(root, 'trainer.logger');
  if (logger?.kind !== 'scalar' || typeof logger.value !== 'string') return { root };
  const { origin } = logger;
  const items = [{ kind: 'scalar', type: 'string', value: 'console', origin } as const, logger];
  const placed = insertValue(root, ['trainer', 'logger'], { kind: 'sequence', items, origin }, origin);
  return placed.ok ? { root: placed.root } : { root };
}

function section(json: object, path: string): MappingValue {
  const entries = Object.entries(json).map(([key, value]: [string, unknown]): [string, Value] => {
    const below = path === '' ? key : `${path}.${key}`;
    if (typeof value === 'object' && value !== null) return [key, section(value, below)];
    return [key, { kind: 'scalar', ...scalarOf(value, false), origin: bundled(below) }];
  });
  return { kind: 'mapping', entries: new Map(entries), origin: bundled(path) };
}

function bundled(key: string): Value['origin'] {
  return { kind: 'bundled', key, file: 'trinity_launch.yaml' };
}
