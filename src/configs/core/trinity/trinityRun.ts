import { isRecord } from '../../../base/core/isRecord.ts';
import { bundledDefaults, defaultsBelow } from '../compose/bundledDefaults.ts';
import type { Composition } from '../compose.ts';
import { dialects } from '../dialect.ts';
import { Config } from '../effectiveConfig.ts';
import { trinityKeys } from '../key-tables/keyTable.ts';
import type { ConfigProblem } from '../finding.ts';
import {
  isNull,
  locationOf,
  mergeMappings,
  scalarOf,
  toPlain,
  valueAt,
  type MappingValue,
  type Plain,
  type Value,
  treeOf,
} from '../value.ts';
import { functionAdapters } from './tuneConfig.ts';
import {
  functionKeys,
  unsupportedKeys,
  modesWithoutRollout,
  runConstants,
  runKeys,
  tasksetPaths,
  workflowKeys,
  type SplitName,
} from './runKeys.ts';

/** The reader that a run by Trinity-RFT's rules has: whether it is one shows there. */
export const tasksetReader = 'trinity_taskset';

const [ajet] = dialects;

/**
 * Returns a composed Trinity-RFT config for the debug backbone. It keeps its own keys, and adds `ajet`: AgentJet's
 * defaults with the config's values. Values keep their locations, and errors use the names in the file. Unsupported
 * keys that affect training give warnings.
 */
export function trinityRun(composed: Composition): Composition {
  const config = withTasksetDefaults(composed.config);
  const found = runKeys.flatMap(({ to, from }) => {
    const path = firstSet(from, config);
    const value = path === undefined ? undefined : config.at(path);
    return path === undefined || value === undefined ? [] : [{ to, path, value }];
  });
  const given = found.map(({ to, value }) => treeOf(to, value));
  const parts = [...constants(), ...given, ...lengths(config)];
  const root = parts.reduce(mergeMappings, mergeMappings(bundledDefaults(ajet), config.root));
  return {
    ...composed,
    config: new Config(config.file, root, new Map(found.map(({ to, path }) => [to, path]))),
    problems: [...composed.problems, ...problemsOf(config)],
  };
}

/** Tasksets are missing by default, so that composing has nothing to lay them over. */
function withTasksetDefaults({ file, root }: Config): Config {
  const defaults = defaultsBelow(trinityKeys(), 'buffer.explorer_input.taskset');
  const filled = (value: Value): Value =>
    value.kind === 'mapping' ? { ...mergeMappings(defaults, value), origin: value.origin } : value;
  const parts = ['taskset', 'tasksets', 'eval_tasksets'].flatMap((name) => {
    const path = `buffer.explorer_input.${name}`;
    const value = valueAt(root, path);
    if (value === undefined || value.kind === 'scalar') return [];
    const whole = value.kind === 'sequence' ? { ...value, items: value.items.map(filled) } : filled(value);
    return [treeOf(path, whole)];
  });
  return new Config(file, parts.reduce(mergeMappings, root));
}

export function isTrinityRun(config: Config): boolean {
  return config.get('ajet.task_reader.type')?.value === tasksetReader;
}

/** The path of the taskset that a split is read from; undefined: the config has none. */
export function tasksetPath(config: Config, split: SplitName): string | undefined {
  return tasksetPaths[split].find((path) => config.at(path)?.kind === 'mapping');
}

/**
 * Returns the key that names the workflow of a split, or else the key for all splits. If the workflow calls a
 * function, it is the key of the function.
 */
export function workflowKey(config: Config, split: SplitName): string {
  const key = firstSet(workflowKeys[split], config) ?? 'buffer.explorer_input.default_workflow_type';
  const calls = firstSet(functionKeys.workflow, config);
  return calls !== undefined && isAdapter(config.get(key)?.value) ? calls : key;
}

function isAdapter(workflow: unknown): boolean {
  return Object.values<unknown>(functionAdapters).includes(workflow);
}

export function auxiliaryModels(config: Config): readonly string[] {
  const models = config.get('explorer.auxiliary_models')?.value;
  if (!Array.isArray(models)) return [];
  return models.flatMap((model) => {
    const name = isRecord(model) ? model['name'] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}

export function rewardFnKey(config: Config, split: SplitName): string | undefined {
  return firstSet(
    [`{${split}}.default_reward_fn_type`, 'buffer.explorer_input.default_reward_fn_type'],
    config,
  );
}

function firstSet(paths: readonly string[], config: Config): string | undefined {
  return paths
    .flatMap((path) => withTaskset(path, config))
    .find((path) => {
      const value = config.at(path);
      return value !== undefined && !isNull(value);
    });
}

function withTaskset(path: string, config: Config): readonly string[] {
  const split = /^\{(\w+)\}/.exec(path)?.[1] as SplitName | undefined;
  if (split === undefined) return [path];
  const taskset = tasksetPath(config, split);
  return taskset === undefined ? [] : [path.replace(`{${split}}`, taskset)];
}

function constants(): readonly MappingValue[] {
  return Object.entries(runConstants).map(([path, plain]) => treeOf(path, made(path, plain)));
}

/**
 * `model.max_model_len` where it is not set: prompt and response together, as Trinity's validator has it. A response of
 * several turns is cut where the model's length ends, and nowhere before.
 */
function lengths(config: Config): readonly MappingValue[] {
  const prompt = config.integerOrNull('model.max_prompt_tokens');
  const response = config.integerOrNull('model.max_response_tokens');
  const written = config.integerOrNull('model.max_model_len');
  const model = written ?? (prompt === null || response === null ? null : prompt + response);
  if (model === null) return [];
  const values: Record<string, number> = {
    'ajet.rollout.max_model_len': model,
    'ajet.data.max_response_length': model,
    ...(prompt === null && { 'ajet.data.max_prompt_length': model }),
    ...(response === null && {
      'ajet.rollout.max_response_length_in_one_turn': prompt === null ? Math.ceil(model / 2) : model - prompt,
    }),
  };
  return Object.entries(values).map(([path, value]) => treeOf(path, made(path, value)));
}

function made(key: string, plain: Plain): Value {
  const origin = { kind: 'bundled', key } as const;
  if (Array.isArray(plain)) return { kind: 'sequence', origin, items: plain.map((item) => made(key, item)) };
  return { kind: 'scalar', origin, ...scalarOf(plain, false) };
}

function problemsOf(config: Config): readonly ConfigProblem[] {
  const warnings = unsupportedKeys.flatMap(({ path, matters, message: effect, hint }): ConfigProblem[] => {
    const value = config.at(path);
    if (value === undefined || !matters(toPlain(value))) return [];
    const location = locationOf(value) ?? config.locate(path);
    const message = `\`${path}\` ${effect}`;
    return [{ code: 'trinity/left-out', severity: 'warning', message, location, hint }];
  });
  return [...warnings, ...modeProblems(config)];
}

function modeProblems(config: Config): readonly ConfigProblem[] {
  const mode = config.get('mode')?.value;
  if (typeof mode !== 'string') return [];
  const why = modesWithoutRollout[mode];
  if (why === undefined) return [];
  return [
    {
      code: 'trinity/no-rollout',
      severity: 'error',
      message: `Mode \`${mode}\` of Trinity-RFT ${why}, so there is nothing to debug.`,
      location: config.locate('mode'),
      hint: 'Debug a config with mode both or explore.',
    },
  ];
}
