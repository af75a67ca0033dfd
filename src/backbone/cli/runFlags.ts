/** The options of a debug run as flags, and what the flags say. */
import { CodedError } from '../../base/core/errors.ts';
import { omit } from '../../base/core/omit.ts';
import { type OptionErrors, runFlags, type RunFlag, type RunOptions } from '../node/options/runOptions.ts';
import { ignoresEndpoint, modelKind } from '../node/options/resolveRun.ts';
import type { TrainingState } from '../core/trainer/trainerPorts.ts';
import type { TokenKind } from '../../tinker/core/service.ts';
import { resumeOptions } from '../node/options/resumeOptions.ts';
import { readRunOptions } from '../node/options/readRunOptions.ts';
import {
  flag,
  repeated,
  text,
  integer,
  usageError,
  type OptionTable,
  type TypedOption,
  type Values,
} from '../../base/node/terminal/commandLine.ts';

const flags = runFlags();

const readers: Readonly<Record<string, Pick<TypedOption<unknown>, 'read' | 'isRepeated'>>> = {
  faults: { read: faultsOf },
  trainableTargets: { read: targetsOf },
  debugModels: { read: (written) => [debugModelOf(written)], isRepeated: true },
  prices: { read: (written) => [priceOf(written)], isRepeated: true },
};

const ownOptions = {
  backbone: text(
    '<name>',
    'The backbone (default: debug). With tinker, the run trains through a Tinker server. With trinity or verl, the command is agentjet remote run --follow.',
  ),
  withLogview: flag('Shows the trace of the run in a browser. The page stays until Ctrl-C.'),
  json: flag("Prints one JSON document on stdout. The workflow's own output goes to stderr."),
};

/** The options of `agentjet --conf`. */
export const runTable = { ...tableOf(flags), ...ownOptions };

const judgeFlags: ReadonlySet<string> = new Set([
  'conf',
  'helper',
  'helper-script',
  'helper-base-url',
  'helper-model',
  'helper-api-key-env',
  'debug-model',
  'max-calls',
  'max-tokens',
  'parallel',
  'episode-timeout',
  'runtime',
  'python',
  'ajet-package',
  'verbose',
]);

export const judgeTable = {
  ...tableOf(flags.filter(({ flag: name }) => judgeFlags.has(name))),
  episode: repeated(integer('<n>', 0, 'Scores only this episode. Can be repeated.')),
  json: ownOptions.json,
};

const resumeFlags: ReadonlySet<string> = new Set([
  'tinker-url',
  'tinker-host',
  'steps',
  'max-hours',
  'max-cost',
  'price',
  'parallel',
  'max-calls',
  'max-tokens',
  'episode-timeout',
  'tokenizer',
  'runtime',
  'python',
  'verbose',
]);

export const resumeTable = {
  ...tableOf(flags.filter(({ flag: name }) => resumeFlags.has(name))),
  json: ownOptions.json,
};

export interface RunArguments {
  readonly options: RunOptions;
  /** The variable with the key of debug models. */
  readonly apiKeyEnv: string | undefined;
  /** Episodes to score again. The trace is relative to the working directory. */
  readonly judge:
    | {
        readonly trace: string;
        readonly episodes: readonly number[] | undefined;
        readonly ownConfig: boolean;
      }
    | undefined;
  readonly logView: boolean;
  readonly json: boolean;
  /** Notes about deprecated and unused flags, one sentence each. */
  readonly notes: readonly string[];
}

/** Reads the flags of `agentjet --conf`. Throws `cli/usage`, or `cli/backbone`. */
export function runArguments(values: Values<typeof runTable>, cwd: string): RunArguments {
  const { backbone = 'debug', withLogview = false, json = false } = values;
  if (backbone !== 'debug' && backbone !== 'tinker') throw unknownBackbone(backbone);
  const read = optionsOf(values, cwd, backbone);
  refuseIncomplete(read.options);
  return { ...read, judge: undefined, logView: withLogview, json };
}

/** Reads the flags of `agentjet judge`. Throws `cli/usage`. */
export function judgeArguments(values: Values<typeof judgeTable>, trace: string, cwd: string): RunArguments {
  const { episode: episodes, json = false, ...others } = values;
  const ownConfig = 'conf' in others;
  // Without its own config, the trace names the config.
  const read = optionsOf({ conf: trace, ...others }, cwd);
  return { ...read, judge: { trace, episodes, ownConfig }, logView: false, json };
}

/** Reads the flags of `agentjet resume`. Throws `cli/usage`. */
export function resumeArguments(
  values: Values<typeof resumeTable>,
  folder: string,
  state: TrainingState,
): RunArguments {
  const { json = false, ...others } = values;
  const read = optionsOf({ conf: state.config, ...others }, state.cwd, 'tinker');
  const known = resumeOptions(folder, state);
  // A host on the command line replaces the server of the training.
  const before = read.options.tinkerHost === undefined ? known : omit(known, 'tinkerUrl');
  const options = { ...before, ...read.options };
  return { ...read, options, judge: undefined, logView: false, json };
}

/** Returns the arguments of a training on the server of a rehearsal. Throws `cli/usage`. */
export function rehearsalArguments(
  { conf, steps }: { readonly conf?: string | undefined; readonly steps?: number | undefined },
  { url, model }: { readonly url: string; readonly model: string },
  cwd: string,
): RunArguments {
  const values = { conf, steps, tinkerUrl: url, baseModel: model, tokenizer: model };
  const read = optionsOf(values, cwd, 'tinker');
  const options = { ...read.options, rehearsal: true };
  return { ...read, options, judge: undefined, logView: false, json: false };
}

function optionsOf(
  values: Readonly<Record<string, unknown>>,
  cwd: string,
  backbone: RunOptions['backbone'] = 'debug',
): Pick<RunArguments, 'options' | 'apiKeyEnv' | 'notes'> {
  const given: Record<string, unknown> = { cwd, ...(backbone !== 'debug' && { backbone }) };
  for (const {
    path: [name, member],
    flag: named,
  } of flags) {
    const value = values[camelCase(named)];
    if (value === undefined) continue;
    if (name === 'debugModels' || name === 'prices')
      given[name] = Object.fromEntries(value as [string, unknown][]);
    else if (member === undefined) given[name] = value;
    else given[name] = { ...(given[name] as object | undefined), [member]: value };
  }
  const { endpoint } = given as { endpoint?: { apiKeyEnv?: string; baseUrl?: string; model?: string } };
  const apiKeyEnv = endpoint?.apiKeyEnv;
  // The variable alone is for debug models.
  if (endpoint?.baseUrl === undefined && endpoint?.model === undefined) delete given['endpoint'];
  const { options, replaced } = readRunOptions(given, flagErrors);
  const notes = [
    ...replaced.map(([name, by]) => `${flagName(name)} is deprecated. Use ${flagName(by)}.`),
    ...(ignoresEndpoint(options)
      ? [`--base-url is not used, because --model is ${modelKind(options)}.`]
      : []),
  ];
  return { options, apiKeyEnv, notes };
}

function refuseIncomplete({ record, force, replay, onReplayMiss, episode }: RunOptions): void {
  if (record === undefined && force === true)
    throw usageError('--force needs a recording to replace.', 'Add --record FILE.');
  if (replay === undefined && onReplayMiss !== undefined)
    throw usageError('--on-replay-miss needs a recording to replay.', 'Add --replay FILE.');
  if (episode !== undefined && replay?.endsWith('.ajtrace') !== true)
    throw usageError('--episode needs a trace to replay.', 'Add --replay FILE.ajtrace.');
}

function tableOf(shown: readonly RunFlag[]): OptionTable {
  return Object.fromEntries(shown.map((one) => [camelCase(one.flag), optionOf(one)]));
}

function optionOf({
  path: [name],
  value,
  description,
  group,
  schema,
  isReplaced,
}: RunFlag): TypedOption<unknown> {
  const common = {
    description: `${description}${/[.)]$/.test(description) ? '' : '.'}`,
    placeholder: value,
    choices: schema.enum,
    group,
    isHidden: isReplaced,
  };
  const special = readers[name];
  if (special !== undefined) return { ...common, ...special };
  if (schema.type === 'array')
    return {
      ...common,
      description: `${common.description} Can be repeated.`,
      isRepeated: true,
      read: (written) => [written],
    };
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  return { ...common, read: value === undefined ? () => true : isNumber ? numberOf : (written) => written };
}

/** A number; any other text stays for the check to refuse. */
function numberOf(written: string): unknown {
  const value = Number(written);
  return written.trim() === '' || Number.isNaN(value) ? written : value;
}

const faultExample = 'Write for example --faults 0.2 or --faults rate=0.2,seed=7,kinds=timeout+rate-limit.';

/** `RATE`, or `rate=RATE,seed=N,kinds=A+B`. */
function faultsOf(written: string): unknown {
  const parts = written.split(',').map((part) => (part.includes('=') ? part.split('=', 2) : ['rate', part]));
  return Object.fromEntries(
    parts.map(([name = '', value = '']) => {
      if (name === 'kinds') return [name, value.split('+')];
      if (name === 'rate' || name === 'seed') return [name, numberOf(value)];
      throw usageError(`--faults has no "${name}".`, faultExample);
    }),
  );
}

function targetsOf(written: string): unknown {
  const targets = written
    .split(',')
    .map((target) => target.trim())
    .filter((target) => target !== '');
  if (targets.length > 0) return targets;
  throw usageError(
    '--trainable-targets is empty.',
    'Name a target, or remove the flag to train the targets of the workflow.',
  );
}

function debugModelOf(written: string): [name: string, model: string] {
  const [, name, model] = /^([^=]+)=(.*)$/s.exec(written) ?? [];
  if (name !== undefined && model !== undefined) return [name, model];
  throw usageError(
    `--debug-model ${written} is not NAME=MODEL.`,
    'Write for example --debug-model gpt-4o=embedded, gpt-4o=answers.ts or gpt-4o=http://127.0.0.1:8000/v1.',
  );
}

/** `NAME=PREFILL,SAMPLE,TRAIN`. A text that is not a number stays for the check to refuse. */
function priceOf(written: string): [model: string, prices: Readonly<Record<TokenKind, unknown>>] {
  const [, name = '', ...prices] = /^(.+)=([^,=]+),([^,]+),([^,]+)$/.exec(written) ?? [];
  const [prefill = '', sample = '', train = ''] = prices;
  if (name !== '')
    return [name, { prefill: numberOf(prefill), sample: numberOf(sample), train: numberOf(train) }];
  throw usageError(
    `--price ${written} is not NAME=PREFILL,SAMPLE,TRAIN.`,
    'Write the prices of a million tokens, for example --price Qwen/Qwen3-8B=0.13,0.40,0.40.',
  );
}

export const flagErrors: OptionErrors = {
  bad: (option, expected, actual) =>
    usageError(
      `${flagName(option)} must be ${expected}, but is ${actual}.`,
      option.startsWith('faults') ? faultExample : 'For the flag, see agentjet run --help.',
    ),
  missing: (option, because) =>
    usageError(`${flagName(option)} is missing: ${because}.`, `Add ${flagName(option)}.`),
  fileNotFound: (option, file) =>
    new CodedError({
      code: option === 'config' ? 'cli/no-config' : 'cli/no-file',
      message:
        option === 'config'
          ? `The config ${file} does not exist.`
          : `${flagName(option)} names a path that does not exist: ${file}.`,
      hint: `Correct ${flagName(option)}. Paths are relative to the working directory.`,
    }),
  missingApiKey: (option, variable) =>
    new CodedError({
      code: 'cli/no-key',
      message: `${flagName(option)} names the environment variable ${variable}, which is not set.`,
      hint: `Set ${variable} in the environment or in .env of the working directory.`,
    }),
};

function flagName(option: string): string {
  const [name = ''] = option.split(/[.[]/, 1);
  const exact = flags.find(({ path }) => path.join('.') === option);
  const found = exact ?? flags.find(({ path }) => path[0] === name);
  const member = exact === undefined && option !== name ? ` (${option.slice(name.length + 1)})` : '';
  return `--${found?.flag ?? name}${member}`;
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function unknownBackbone(backbone: string): CodedError {
  return new CodedError({
    code: 'cli/backbone',
    message: `Unknown backbone "${backbone}".`,
    hint: 'debug runs episodes here, tinker trains from here through a Tinker server, and trinity and verl train on a GPU host.',
  });
}

/** Flags of `ajet` without a meaning on the debug backbone, with the reason. */
const foreignFlags: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['with-ray', 'with-ray-cluster'].map((flag) => [
      flag,
      'the debug backbone runs in one process, without Ray. Remove the flag',
    ]),
  ),
  ...Object.fromEntries(
    ['with-appworld', 'with-deepfinance', 'with-webshop', 'with-bfcl', 'with-crafters'].map((flag) => [
      flag,
      'start the environment service yourself and set its address in the config',
    ]),
  ),
  debug: 'its breakpoint tags are for Ray. Set a breakpoint in the editor and press F5',
  db: 'its breakpoint tags are for Ray. Set a breakpoint in the editor and press F5',
  'skip-check-avail-gpu': 'the debug backbone does not check for GPUs. Remove the flag',
  reboot: 'AgentJet parses it but never uses it. Remove the flag',
  kill: 'a debug run leaves no processes behind. Remove the flag',
  autokill: 'a debug run leaves no processes behind. Remove the flag',
  prefix: 'it names a service of the deep-finance example only. Remove the flag',
};

/** Refuses flags of `ajet` that the debug backbone cannot honor. Throws `cli/refused-flag`. */
export function refuseForeignFlags(argv: readonly string[]): void {
  for (const argument of argv) {
    const reason = foreignFlags[/^--([a-z-]+)/.exec(argument)?.[1] ?? ''];
    if (reason === undefined) continue;
    throw new CodedError({ code: 'cli/refused-flag', message: `${argument} is refused: ${reason}.` });
  }
}

/** Returns the backbone that a command line names. As for any option, the last one counts. */
export function backboneOf(argv: readonly string[]): string | undefined {
  return argv
    .flatMap((argument, at) => {
      if (argument === '--backbone') return argv[at + 1] ?? [];
      return argument.startsWith('--backbone=') ? argument.slice('--backbone='.length) : [];
    })
    .at(-1);
}
