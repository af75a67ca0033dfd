import type { CodedError } from '../../../base/core/errors.ts';
/**
 * The options of a debug run, in one table. Each option is a zod schema with its description, its default and its
 * flag. The table gives the type of the options and the check of launch configurations. The schema of launch.json in
 * package.json (`node test/tools/launchSchema.mjs` writes it), the flags of `agentjet` with their help, and the
 * documentation are derived from it.
 */
import * as z from 'zod/mini';
import { faultKinds } from '../../../tracking/core/records/episodeResult.ts';
import { lossNames } from '../../../tinker/core/service.ts';
import { replayMisses } from '../../core/protocol/run.ts';
import { kebabCase } from '../../../base/core/kebabCase.ts';

export const optionGroups = {
  experiment: 'Experiment',
  episodes: 'Tasks and episodes',
  model: 'Model',
  training: 'Training on a Tinker server',
  helper: 'Model for judges and data generation',
  recording: 'Record, replay and faults',
  environment: 'Environment',
  output: 'Output',
} as const;
export type OptionGroup = keyof typeof optionGroups;

export interface OptionMeta {
  /** Sentences in English. A name in backticks may be an option: the help of the command line shows its flag. */
  readonly description: string;
  /** The effect without the option. */
  readonly unset?: string | { readonly launch?: string; readonly cli?: string };
  /** The value that the editor fills in. */
  readonly default?: string;
  readonly enumDescriptions?: readonly string[];
  readonly group: OptionGroup;
  /** The flag without dashes, by default the name in kebab case; null: only launch configurations have the option. */
  readonly flag?: string | null;
  /** The placeholder of the flag's value, such as `<file>`. */
  readonly value?: string;
}

const optionMeta = z.registry<OptionMeta>();

function option<T extends z.ZodMiniType>(schema: T, meta: OptionMeta): z.ZodMiniOptional<T> {
  return z.optional(described(schema, meta));
}

function described<T extends z.ZodMiniType>(schema: T, meta: OptionMeta): T {
  optionMeta.add(schema, meta);
  return schema;
}

const inGroup =
  (group: OptionGroup) =>
  <T extends z.ZodMiniType>(schema: T, meta: Omit<OptionMeta, 'group'>): z.ZodMiniOptional<T> =>
    option(schema, { ...meta, group });
const experimentOption = inGroup('experiment');
const modelOption = inGroup('model');
const trainingOption = inGroup('training');
const helperOption = inGroup('helper');
const recordingOption = inGroup('recording');
const episodesOption = inGroup('episodes');
const environmentOption = inGroup('environment');

const text = () => z.string().check(z.trim(), z.minLength(1));
const texts = () => z.array(z.string());
const atLeast = (minimum: number) => z.int().check(z.minimum(minimum));

/** The members of a server: base URL, model and key. */
function server(group: 'model' | 'helper', flags: { readonly prefix: string; readonly model: string }) {
  return {
    baseUrl: described(text(), {
      description: 'Base URL of the OpenAI-compatible server, usually ending in `/v1`.',
      group,
      flag: `${flags.prefix}base-url`,
      value: '<url>',
    }),
    model: option(text(), {
      description: 'Name of the model on that server.',
      unset: group === 'helper' ? "the config's model" : 'the only model that the server lists',
      group,
      flag: flags.model,
      value: '<name>',
    }),
    apiKeyEnv: option(text(), {
      description:
        'Environment variable with the API key. The key itself is never an option, because configurations are often committed.',
      unset: { launch: 'the key saved with "AgentJet: Set API Key"', cli: 'OPENAI_API_KEY' },
      group,
      flag: `${flags.prefix}api-key-env`,
      value: '<name>',
    }),
  };
}

const endpoint = z.strictObject(server('model', { prefix: '', model: 'model-name' }));
const helperServer = server('helper', { prefix: 'helper-', model: 'helper-model' });

const helper = z.strictObject({
  kind: helperOption(z.enum(['embedded', 'script', 'endpoint']), {
    description: 'Which model answers judges and data generation.',
    unset: {
      launch: 'chosen by `script` or `baseUrl`',
      cli: "the server that DASHSCOPE_API_KEY is for, with the config's model",
    },
    enumDescriptions: [
      "AgentJet's built-in model: gives valid answers, but cannot judge or write tasks. Needs no network and no key.",
      "Your JavaScript or TypeScript file (`script`, otherwise the run's own).",
      'An OpenAI-compatible server (`baseUrl`).',
    ],
    flag: 'helper',
    value: '<kind>',
  }),
  script: helperOption(text(), {
    description: 'Script that answers the calls.',
    flag: 'helper-script',
    value: '<file>',
  }),
  ...helperServer,
  baseUrl: z.optional(helperServer.baseUrl),
});

const faults = z.strictObject({
  rate: described(z.number().check(z.minimum(0), z.maximum(1)), {
    description: 'Share of the calls that fail, from 0 to 1.',
    group: 'recording',
    flag: null,
  }),
  seed: recordingOption(z.int(), {
    description: 'Seed that selects which calls fail.',
    unset: '0',
    flag: null,
  }),
  kinds: recordingOption(z.array(z.enum(faultKinds)), {
    description: 'Kinds of faults.',
    unset: 'all kinds',
    flag: null,
  }),
});

const price = (description: string) =>
  described(z.number().check(z.nonnegative()), { description, group: 'training', flag: null });
const prices = z.strictObject({
  prefill: price('Price of a million tokens of prompts.'),
  sample: price('Price of a million sampled tokens.'),
  train: price('Price of a million trained tokens.'),
});

const experiment = {
  config: described(text(), {
    description:
      "The YAML file of AgentJet or Trinity-RFT to run, or a script. A TypeScript or JavaScript script creates an `AgentJetJob`. A Python script calls AgentScope's `tune`.",
    default: '${file}',
    group: 'experiment',
    flag: 'conf',
    value: '<file>',
  }),
  cwd: experimentOption(text(), {
    description: 'Folder that relative paths of the config start from.',
    unset: 'the workspace folder, or the folder of the config; for a Python script, its own folder',
    flag: null,
  }),
  expDir: experimentOption(text(), {
    description: "Parent of the run's folder.",
    unset: '`saved_experiments` in the working directory',
    value: '<folder>',
  }),
} as const;

const models = {
  model: modelOption(z.enum(['embedded', 'script', 'endpoint', 'tinker', 'human', 'editor']), {
    description: "Which model answers the workflow's LLM calls.",
    unset: {
      launch: 'the setting `agentjet.model`; with an `endpoint`, a `script` or a `checkpoint`, that one',
      cli: 'endpoint with --base-url, script with --script, tinker with --checkpoint, otherwise embedded',
    },
    enumDescriptions: [
      "AgentJet's built-in model: evaluates arithmetic and gives valid answers to any request. Deterministic by seed; needs no network and no key.",
      'Your JavaScript or TypeScript file (`script`).',
      'An OpenAI-compatible server (`endpoint`).',
      'Saved weights of a training on a Tinker server (`checkpoint`).',
      'You: each call opens as a document, with a second document for your answer.',
      'A language model that another extension provides to VS Code (`editorModel`). It reports no token ids and no log probabilities.',
    ],
    value: '<kind>',
  }),
  script: modelOption(text(), {
    description: 'Script that answers LLM calls if `model` is "script".',
    value: '<file>',
  }),
  editorModel: modelOption(text(), {
    description: 'Id of the language model of VS Code that answers if `model` is "editor".',
    unset: { launch: 'the setting `agentjet.editorModel`' },
    flag: null,
  }),
  endpoint: modelOption(endpoint, {
    description: 'OpenAI-compatible server that answers LLM calls if `model` is "endpoint".',
    flag: null,
  }),
  checkpoint: modelOption(z.string().check(z.regex(/^tinker:\/\/./)), {
    description:
      'The `tinker://` path of saved weights, which answer LLM calls if `model` is "tinker". They give token ids and log probabilities as in training. Their server is `tinkerUrl`.',
    value: '<path>',
  }),
  maxCalls: modelOption(atLeast(1), {
    description:
      'Limit of LLM calls of the run, those of judges included. At the limit, the run ends. Calls that a recording answers do not count.',
    unset: { launch: 'the setting `agentjet.maxCalls`, else no limit', cli: 'no limit' },
    value: '<n>',
  }),
  maxTokens: modelOption(atLeast(1), {
    description:
      'Limit of tokens in all prompts and replies of the run. Calls that have begun may exceed it. If a server reports no numbers, they are estimated. On the backbone `tinker`, it is the limit of tokens that the server processes in the whole training.',
    unset: { launch: 'the setting `agentjet.maxTokens`, else no limit', cli: 'no limit' },
    value: '<n>',
  }),
  helper: helperOption(helper, {
    description: 'The large model that judges and data generation call.',
    unset: "the server that `DASHSCOPE_API_KEY` is for, with the config's model",
    flag: null,
  }),
  debugModels: modelOption(z.record(z.string(), z.string()), {
    description:
      'Models that answer for targets that are not trained, by the model name that their agents request. Each is `embedded`, a script file, or the base URL of an OpenAI-compatible server. Write `MODEL@` before the URL if the server has another name for the model. Workflows and judges that are functions get these models as `auxiliaryModels`.',
    unset: 'the server of OPENAI_API_KEY and OPENAI_BASE_URL, otherwise the built-in model',
    flag: 'debug-model',
    value: '<name=model>',
  }),
  trainableTargets: modelOption(texts(), {
    description: 'Train only the agents of these targets.',
    unset: 'those of the workflow',
    value: '<a,b,…>',
  }),
} as const;

const training = {
  backbone: trainingOption(z.enum(['debug', 'tinker']), {
    description: 'The backbone that runs the episodes.',
    unset: '`debug`',
    enumDescriptions: [
      'The debug backbone: runs the episodes of the first tasks. No weights change.',
      'Trains the model through a server that speaks the Tinker API. Breakpoints work in every step.',
    ],
    flag: null,
  }),
  tinkerUrl: trainingOption(text(), {
    description: 'Base URL of the Tinker server.',
    unset: 'TINKER_BASE_URL, else the service of Thinking Machines',
    value: '<url>',
  }),
  tinkerHost: trainingOption(text(), {
    description:
      'GPU host whose Tinker server trains. AgentJet starts the server there if it does not run, and reaches it through the connection to the host.',
    unset: 'the server at `tinkerUrl`',
    value: '<name>',
  }),
  baseModel: trainingOption(text(), {
    description: 'Name of the model on the Tinker server.',
    unset: '`ajet.model.path`, or the only model of the server',
    value: '<name>',
  }),
  loss: trainingOption(z.enum(lossNames), {
    description: 'Loss of the policy.',
    unset: '`ppo` with the clip range of the config',
    enumDescriptions: [
      'The ratio of the probabilities times the advantage, without clipping.',
      'The same with a clipped ratio, as AgentJet trains.',
      'The clipped ratio as a weight of the log probability.',
    ],
    value: '<name>',
  }),
  rank: trainingOption(atLeast(1), {
    description: 'Rank of the adapter (LoRA) that is trained.',
    unset: '16',
    value: '<n>',
  }),
  steps: trainingOption(atLeast(1), {
    description: 'The most steps of the whole training.',
    unset: '`total_epochs` of the config',
    value: '<n>',
  }),
  maxHours: trainingOption(z.number().check(z.positive()), {
    description:
      'Limit of hours of the whole training. Time at breakpoints does not count. At this limit, as at that of `maxTokens` and `maxCost`, the training saves a checkpoint and ends.',
    unset: 'no limit',
    value: '<hours>',
  }),
  maxCost: trainingOption(z.number().check(z.positive()), {
    description: 'Limit of the cost of the whole training, in the currency of `prices`.',
    unset: 'no limit',
    value: '<amount>',
  }),
  prices: trainingOption(z.record(z.string(), prices), {
    description:
      'Prices of a million tokens on the Tinker server, by the name of the model: of prompts, of sampled tokens, and of trained tokens.',
    unset: {
      launch: 'the setting `agentjet.prices`',
      cli: 'unknown; for example Qwen/Qwen3-8B=0.13,0.4,0.4',
    },
    flag: 'price',
    value: '<name=prices>',
  }),
  rehearsal: trainingOption(z.boolean(), {
    description:
      'Trains the tiny random model of "agentjet rehearse" for a few steps. Batches are small, replies short, and degenerate replies get no penalty.',
    flag: null,
  }),
  resume: trainingOption(text(), {
    description: 'Folder of a training run that continues from its last checkpoint.',
    flag: null,
  }),
} as const;

const recording = {
  record: recordingOption(text(), {
    description: 'Records every LLM call of the run in this file, for `replay`.',
    value: '<file>',
  }),
  force: recordingOption(z.boolean(), {
    description:
      'Replaces an existing recording when the run has completed. Without it, the run does not start if the recording exists.',
  }),
  recordOverwrite: recordingOption(z.boolean(), {
    description: 'Use `force`.',
  }),
  replay: recordingOption(text(), {
    description:
      "Answers LLM calls from a recording or from a run's `.ajtrace`, without a model, a server or a key.",
    value: '<file>',
  }),
  episode: recordingOption(atLeast(0), {
    description:
      'Runs only this episode of the trace that `replay` names, with its task, its repeat and its seed.',
    value: '<n>',
  }),
  onReplayMiss: recordingOption(z.enum(replayMisses), {
    description: 'Reaction to a call that differs from the recording of `replay`.',
    unset: '`fail`',
    enumDescriptions: [
      'The call fails and shows the difference.',
      'The `model` answers from there on; with `record`, into a new recording.',
      'The agent gets its next recorded answer, with a warning.',
    ],
    value: '<action>',
  }),
  replayMiss: recordingOption(z.enum(['fail', 'rerecord', 'sequential']), {
    description: 'Use `onReplayMiss`.',
    value: '<action>',
  }),
  faults: recordingOption(faults, {
    description:
      'Makes LLM calls fail, to test the error handling of the workflow. The log, the trace and the result show each fault.',
    unset: { cli: 'no faults; for example 0.2 or rate=0.2,seed=7,kinds=timeout+cut' },
    value: '<spec>',
  }),
  judgeTrace: recordingOption(text(), {
    description:
      "A run's `.ajtrace`. The config's judge scores its episodes again without running them. Breakpoints in the judge work.",
    flag: null,
  }),
} as const;

const episodes = {
  tokenizer: environmentOption(text(), {
    description: 'Tokenizer that counts tokens: a `tokenizer.json` or its folder.',
    unset: {
      launch:
        'the setting `agentjet.tokenizer`, else that of `ajet.model.path` if it is on this machine, else the built-in one',
      cli: 'that of `ajet.model.path` if it is on this machine, else the built-in one',
    },
    value: '<path>',
  }),
  seed: episodesOption(z.int(), {
    description: 'Seed of the run.',
    unset: '`ajet.debug.debug_vllm_seed` of the config',
    value: '<n>',
  }),
  tasks: episodesOption(atLeast(1), {
    description: 'Number of tasks to run, from the first.',
    unset: '`ajet.debug.debug_first_n_tasks` of the config',
    value: '<n>',
  }),
  taskIds: episodesOption(texts(), {
    description: 'Run only the tasks with these ids. Overrides `tasks`.',
    flag: 'task-id',
    value: '<id>',
  }),
  split: episodesOption(z.enum(['training', 'validation']), {
    description: 'Which tasks of the data set to run.',
    unset: '`training`',
    enumDescriptions: ['The training tasks.', 'The validation tasks.'],
    value: '<name>',
  }),
  mode: episodesOption(z.enum(['sample', 'validate']), {
    description:
      '`sample` runs episodes as training does. `validate` runs them as validation does: each task `ajet.trainer_common.val_pass_n` times, with the sampling of `ajet.rollout.val_kwargs`, by default on the validation split.',
    unset: '`sample`',
    value: '<name>',
  }),
  ajetDebugParity: episodesOption(z.boolean(), {
    description:
      "Runs like AgentJet's own debug backbone, which differs from training: validation split, sampling by `ajet.rollout.val_kwargs`, and no reserve of 16 tokens per turn.",
  }),
  asUpstreamDebug: episodesOption(z.boolean(), {
    description: 'Use `ajetDebugParity`.',
  }),
  attempts: episodesOption(atLeast(1), {
    description:
      'Number of attempts for an episode that fails. Training makes 3 attempts and then drops the batch.',
    unset: '1, so that errors appear immediately',
    value: '<n>',
  }),
  parallel: episodesOption(atLeast(0), {
    description:
      'Number of episodes that run at the same time. 0 means `ajet.debug.debug_max_parallel` of the config.',
    unset: {
      launch:
        'the setting `agentjet.parallel` when debugging (1 by default, so that stepping stays in one episode); 0 without debugging',
      cli: '0',
    },
    value: '<n>',
  }),
  repeat: episodesOption(atLeast(1), {
    description: 'Episodes per task.',
    unset: '`ajet.rollout.num_repeat` of the config',
    value: '<n>',
  }),
  episodeTimeout: episodesOption(z.number().check(z.positive()), {
    description: 'Seconds that an episode may run. Time at a breakpoint does not count.',
    unset: 'no limit',
    value: '<seconds>',
  }),
} as const;

const environment = {
  env: environmentOption(z.record(z.string(), z.union([z.string(), z.null()])), {
    description: 'Environment variables for the run. `null` removes a variable. They override `envFile`.',
    flag: null,
  }),
  envFile: environmentOption(text(), {
    description:
      'File with environment variables for the run, one `NAME=value` per line. A `.env` in `cwd` is always read, but never replaces a variable that is set.',
    flag: null,
  }),
  runtimeExecutable: environmentOption(text(), {
    description: 'The Node.js (22.18 or later) that runs the workflow.',
    unset: {
      launch:
        'the setting `agentjet.runtimeExecutable`, else the first suitable one on PATH, else that of the editor',
      cli: 'the first suitable one on PATH',
    },
    flag: 'runtime',
    value: '<file>',
  }),
  runtimeArgs: environmentOption(texts(), {
    description: 'Further options for Node.js.',
    flag: null,
  }),
  jsDebug: environmentOption(z.record(z.string(), z.unknown()), {
    description:
      'Options of the JavaScript debugger (`pwa-node`, `attach`), such as `skipFiles` or `smartStep`. They override those of AgentJet.',
    flag: null,
  }),
  python: environmentOption(text(), {
    description: 'The Python (3.10 or later) that runs workflows and judges in Python.',
    unset: {
      launch:
        'the interpreter that the Python extension has selected, else a `.venv` in `cwd` or next to the config, else the setting `agentjet.python`, else PATH',
      cli: 'a `.venv` in the working directory or next to the config, else python3',
    },
    value: '<file>',
  }),
  ajetPackage: environmentOption(z.enum(['bundled', 'installed']), {
    description: 'The `ajet` package that Python workflows and judges import.',
    unset: '`bundled`',
    enumDescriptions: [
      'The part of `ajet` for workflows and judges that comes with AgentJet, without torch and GPU. Other modules are imported from the folder and the interpreter.',
      "The interpreter's own `ajet`, with all of its dependencies.",
    ],
    value: '<name>',
  }),
  pluginDirs: environmentOption(texts(), {
    description:
      'Folders that register workflows and reward functions of a Trinity-RFT config, as for `trinity run --plugin-dir`. They are relative to the working directory.',
    unset: '`TRINITY_PLUGIN_DIRS`',
    flag: 'plugin-dir',
    value: '<folder>',
  }),
  pythonDebug: environmentOption(z.record(z.string(), z.unknown()), {
    description:
      'Options of debugpy (`attach`), such as `justMyCode` or `showReturnValue`. They override those of AgentJet.',
    flag: null,
  }),
  verbose: option(z.boolean(), {
    group: 'output',
    description: 'Shows every LLM call, debug messages and the stacks of errors.',
  }),
} as const;

export const runOptions = z.object({
  ...experiment,
  ...models,
  ...training,
  ...recording,
  ...episodes,
  ...environment,
});

/** Options by their former names. They work for one version, with a deprecation note. */
export const replacedOptions = {
  recordOverwrite: 'force',
  replayMiss: 'onReplayMiss',
  asUpstreamDebug: 'ajetDebugParity',
} as const satisfies Partial<Record<keyof typeof runOptions.shape, keyof typeof runOptions.shape>>;
type ReplacedOption = keyof typeof replacedOptions;

/** The options of a debug run. Paths are absolute or relative to `cwd`. */
export type RunOptions = Omit<z.infer<typeof runOptions>, ReplacedOption>;

/** The part of JSON Schema that the options need. */
export interface OptionSchema {
  readonly type: string | readonly string[];
  readonly description: string;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly deprecationMessage?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly items?: OptionSchema;
  readonly additionalProperties?: boolean | OptionSchema;
  readonly properties?: Readonly<Record<string, OptionSchema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
}

/** Returns the schema of launch configurations, as package.json has it. */
export function launchSchema(): Required<Pick<OptionSchema, 'properties' | 'required'>> {
  const schema = z.toJSONSchema(runOptions, {
    target: 'draft-7',
    io: 'input',
    metadata: z.registry(),
    override: ({ zodSchema, jsonSchema }) => {
      const meta = optionMeta.get(zodSchema);
      if (meta !== undefined) Object.assign(jsonSchema, launchTexts(meta));
      // Remove additions of zod, and limits without effect.
      delete jsonSchema.propertyNames;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      const { additionalProperties: more } = jsonSchema;
      if (typeof more === 'object' && Object.keys(more).length === 0) jsonSchema.additionalProperties = true;
    },
  });
  const { properties, required } = schema as unknown as ReturnType<typeof launchSchema>;
  const marked = Object.entries(properties).map(([name, property]): [string, OptionSchema] => [
    name,
    name in replacedOptions ? { ...property, deprecationMessage: property.description } : property,
  ]);
  return { required, properties: Object.fromEntries(marked) };
}

function launchTexts(meta: OptionMeta): Partial<OptionSchema> {
  const description = withDefault(meta, 'launch', (unset) => `Default: ${unset}.`);
  return {
    description,
    ...(meta.default !== undefined && { default: meta.default }),
    ...(meta.enumDescriptions && { enumDescriptions: meta.enumDescriptions }),
  };
}

function withDefault(
  { description, unset }: OptionMeta,
  where: 'launch' | 'cli',
  written: (unset: string) => string,
): string {
  const text = typeof unset === 'string' ? unset : unset?.[where];
  return text === undefined ? description : `${description} ${written(text)}`;
}

export interface RunFlag {
  /** The path of the value in the options: one name, or two for a member of `endpoint` or `helper`. */
  readonly path: readonly [name: string, member?: string];
  /** Without dashes. */
  readonly flag: string;
  /** Undefined: the flag takes no value. */
  readonly value: string | undefined;
  readonly description: string;
  readonly group: string;
  readonly schema: OptionSchema;
  /** True if another option replaces it, so that no help names it. */
  readonly isReplaced: boolean;
}

/** Returns the options that the command line has, in the order of their groups. */
export function runFlags(): readonly RunFlag[] {
  const { properties } = launchSchema();
  const all = Object.entries(runOptions.shape).flatMap(([name, schema]) => {
    const inner = unwrapped(schema);
    const own = flagOf([name], inner, properties[name]);
    if (!(inner instanceof z.ZodMiniObject)) return own;
    const members = Object.entries(inner.shape as Record<string, z.ZodMiniType>);
    return [
      ...own,
      ...members.flatMap(([member, one]) =>
        flagOf([name, member], unwrapped(one), properties[name]?.properties?.[member]),
      ),
    ];
  });
  const order = Object.values<string>(optionGroups);
  return all.sort((one, other) => order.indexOf(one.group) - order.indexOf(other.group));
}

function flagOf(path: RunFlag['path'], schema: z.ZodMiniType, json: OptionSchema | undefined): RunFlag[] {
  const meta = optionMeta.get(schema);
  const flag = meta?.flag === undefined ? kebabCase(path[0]) : meta.flag;
  if (meta === undefined || json === undefined || flag === null) return [];
  const { value } = meta;
  const help = withDefault(meta, 'cli', (unset) => `(default: ${unset})`).replace(
    /\.( \(default: .*\))?$/,
    '$1',
  );
  const isReplaced = path[0] in replacedOptions;
  const description = help.replaceAll(/`([^`]+)`/g, (_, name: string) => shownName(name));
  return [{ path, flag, value, description, group: optionGroups[meta.group], schema: json, isReplaced }];
}

/** A name in backticks: the flag of an option, and anything else as it is. */
function shownName(name: string): string {
  if (!Object.hasOwn(runOptions.shape, name)) return name;
  const meta = optionMeta.get(unwrapped(runOptions.shape[name as keyof typeof runOptions.shape]));
  return meta?.flag === null ? name : `--${meta?.flag ?? kebabCase(name)}`;
}

function unwrapped(schema: z.ZodMiniType): z.ZodMiniType {
  return schema instanceof z.ZodMiniOptional ? (schema.def.innerType as z.ZodMiniType) : schema;
}

/** Errors about the options of a run, which name an option as its user wrote it. Members have dotted names. */
export interface OptionErrors {
  bad(option: string, expected: string, actual: string): CodedError;
  missing(option: string, because: string): CodedError;
  fileNotFound(option: string, file: string): CodedError;
  missingApiKey(option: string, variable: string): CodedError;
}
