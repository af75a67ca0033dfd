import { faultKinds, type FaultKind } from '../protocol/run.ts';

/**
 * The attributes of a launch configuration of type `agentjet`, once: what a value is to TypeScript, and its JSON
 * schema. `package.json` repeats the schemas (`contributes.debuggers`, `configurationAttributes.launch`) word for
 * word; a test compares the two.
 */
export const debugType = 'agentjet';

/** An OpenAI-compatible server. Its key is never an attribute: configurations are files and get committed. */
export interface EndpointAttributes {
  readonly baseUrl: string;
  readonly model: string;
  /** Name of the environment variable that holds the key. */
  readonly apiKeyEnv?: string;
}

/** What judges and data generation ask. */
export interface HelperAttributes {
  readonly kind?: 'embedded' | 'script' | 'endpoint';
  readonly script?: string;
  readonly baseUrl?: string;
  readonly model?: string;
  /** Name of the environment variable that holds the key. */
  readonly apiKeyEnv?: string;
}

/** What is made to go wrong with LLM calls. */
export interface FaultAttributes {
  readonly rate: number;
  readonly seed?: number;
  readonly kinds?: readonly FaultKind[];
}

export interface LaunchAttributes {
  readonly config: string;
  readonly cwd?: string;
  readonly expDir?: string;
  readonly model?: 'embedded' | 'script' | 'endpoint' | 'human';
  readonly script?: string;
  readonly endpoint?: EndpointAttributes;
  readonly helper?: HelperAttributes;
  readonly record?: string;
  readonly recordOverwrite?: boolean;
  readonly replay?: string;
  readonly episode?: number;
  readonly replayMiss?: 'fail' | 'rerecord' | 'sequential';
  readonly faults?: FaultAttributes;
  readonly judgeTrace?: string;
  /** `embedded`, a script's file, or `[MODEL@]URL`, by the names that workflows give their debug models. */
  readonly debugModels?: Readonly<Record<string, string>>;
  readonly trainableTargets?: readonly string[];
  readonly tokenizer?: string;
  readonly seed?: number;
  readonly tasks?: number;
  readonly taskIds?: readonly string[];
  readonly split?: 'training' | 'validation';
  readonly mode?: 'sample' | 'validate';
  readonly asUpstreamDebug?: boolean;
  readonly attempts?: number;
  readonly parallel?: number;
  readonly repeat?: number;
  /** Seconds. */
  readonly episodeTimeout?: number;
  /** Null takes a variable away. */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly envFile?: string;
  readonly runtimeExecutable?: string;
  readonly runtimeArgs?: readonly string[];
  readonly jsDebug?: Readonly<Record<string, unknown>>;
  readonly python?: string;
  readonly ajetPackage?: 'bundled' | 'installed';
  readonly pluginDirs?: readonly string[];
  readonly pythonDebug?: Readonly<Record<string, unknown>>;
  readonly verbose?: boolean;
}

/** The part of JSON Schema that the attributes need; `checkAttributes` understands exactly this. */
export interface AttributeSchema {
  readonly type: string | readonly string[];
  readonly description: string;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly items?: { readonly type: string; readonly enum?: readonly string[] };
  readonly additionalProperties?: boolean | { readonly type: readonly string[] };
  readonly properties?: Readonly<Record<string, AttributeSchema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
}

export const requiredAttributes = ['config'] as const satisfies readonly (keyof LaunchAttributes)[];

const endpointSchema: AttributeSchema = {
  type: 'object',
  description: 'The OpenAI-compatible server that answers when `model` is `endpoint`.',
  properties: {
    baseUrl: {
      type: 'string',
      minLength: 1,
      description: 'Base URL, usually ending in `/v1`.',
    },
    model: { type: 'string', minLength: 1, description: 'Name of the model on that server.' },
    apiKeyEnv: {
      type: 'string',
      minLength: 1,
      description:
        'Environment variable that holds the API key. Without it, the key saved with "AgentJet: Set API Key" is used.',
    },
  },
  required: ['baseUrl', 'model'],
  additionalProperties: false,
};

const helperSchema: AttributeSchema = {
  type: 'object',
  description:
    "The large model that judges and data generation ask. Default: the server that `DASHSCOPE_API_KEY` of the environment is for, and the config's model.",
  properties: {
    kind: {
      type: 'string',
      enum: ['embedded', 'script', 'endpoint'],
      enumDescriptions: [
        "AgentJet's built-in model: gives valid answers, but cannot judge or write tasks. Needs no network and no key.",
        "A JavaScript or TypeScript file of yours (`script`, else the run's own).",
        'An OpenAI-compatible server (`baseUrl`).',
      ],
      description: 'What answers. Default: told by `script` or `baseUrl`.',
    },
    script: { type: 'string', minLength: 1, description: 'The file that answers.' },
    baseUrl: {
      type: 'string',
      minLength: 1,
      description: 'Base URL of the server, usually ending in `/v1`.',
    },
    model: {
      type: 'string',
      minLength: 1,
      description: 'Name of the model on that server. Default: what the config names.',
    },
    apiKeyEnv: {
      type: 'string',
      minLength: 1,
      description:
        'Environment variable that holds the API key. Without it, the key saved with "AgentJet: Set API Key" is used.',
    },
  },
  additionalProperties: false,
};

const faultsSchema: AttributeSchema = {
  type: 'object',
  description:
    'Makes LLM calls go wrong, to see how the workflow copes. Each fault is told in the log, the trace and the result.',
  properties: {
    rate: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description: 'Share of the calls, from 0 to 1.',
    },
    seed: { type: 'integer', description: 'Another seed, other calls. Default: 0.' },
    kinds: {
      type: 'array',
      items: { type: 'string', enum: [...faultKinds] },
      description: 'What may happen. Default: all of it.',
    },
  },
  required: ['rate'],
  additionalProperties: false,
};

export const launchAttributes: Readonly<Record<keyof LaunchAttributes, AttributeSchema>> = {
  config: {
    type: 'string',
    minLength: 1,
    description:
      "The AgentJet YAML file to run; or a script that runs one itself: TypeScript or JavaScript that makes an `AgentJetJob`, Python that calls AgentScope's `tune`.",
    default: '${file}',
  },
  cwd: {
    type: 'string',
    minLength: 1,
    description:
      'Folder that relative paths of the config start from. Default: the workspace folder, or the folder of the config; of a Python script, its own.',
  },
  expDir: {
    type: 'string',
    minLength: 1,
    description: "Parent of the run's folder. Default: `saved_experiments` in `cwd`.",
  },
  model: {
    type: 'string',
    enum: ['embedded', 'script', 'endpoint', 'human'],
    enumDescriptions: [
      "AgentJet's built-in model: evaluates arithmetic and gives valid answers to any request. Deterministic by seed; needs no network and no key.",
      'A JavaScript or TypeScript file of yours (`script`).',
      'An OpenAI-compatible server (`endpoint`).',
      'You: each call opens as a document, with another beside it for your answer.',
    ],
    description: "Which model answers the workflow's LLM calls. Default: the setting `agentjet.model`.",
  },
  script: {
    type: 'string',
    minLength: 1,
    description: 'The file that answers LLM calls when `model` is `script`.',
  },
  endpoint: endpointSchema,
  helper: helperSchema,
  record: {
    type: 'string',
    minLength: 1,
    description: 'Records every LLM call of the run in this file, for `replay`.',
  },
  recordOverwrite: {
    type: 'boolean',
    description:
      'Replace a recording that is there, once the run has completed. Default: `false`: the run does not start.',
  },
  replay: {
    type: 'string',
    minLength: 1,
    description:
      "A file that `record` made, or a run's `.ajtrace`: it answers the LLM calls, with no model, no server, no key and no waiting.",
  },
  episode: {
    type: 'integer',
    minimum: 0,
    description:
      'Runs only this episode of the trace that `replay` names again, by its number there: with its task, its repeat and its seed.',
  },
  replayMiss: {
    type: 'string',
    enum: ['fail', 'rerecord', 'sequential'],
    enumDescriptions: [
      'The call fails and tells what differs.',
      'The `model` answers from there on; with `record`, into a new recording.',
      "The agent's next recorded answer is given all the same, with a warning.",
    ],
    description: 'What becomes of a call that differs from the recording of `replay`. Default: `fail`.',
  },
  faults: faultsSchema,
  judgeTrace: {
    type: 'string',
    minLength: 1,
    description:
      "A run's `.ajtrace`, whose episodes are scored again by the config's judge in place of being run: breakpoints in the judge stop.",
  },
  debugModels: {
    type: 'object',
    additionalProperties: { type: ['string'] },
    description:
      'What answers for targets that are not trained, by the name of the debug model that their agents ask for: `embedded`, the file of a script, or the base URL of an OpenAI-compatible server, with `MODEL@` before it where the model has another name there. Workflows and judges that are functions get those named here as `auxiliaryModels`. Default: the server of OPENAI_API_KEY and OPENAI_BASE_URL, else the built-in model.',
  },
  trainableTargets: {
    type: 'array',
    items: { type: 'string' },
    description: "Train only the agents of these targets. Default: the workflow's own `trainableTargets`.",
  },
  tokenizer: {
    type: 'string',
    minLength: 1,
    description:
      'The tokenizer that counts: a `tokenizer.json` or the folder of one. Default: the setting `agentjet.tokenizer`, else that of `ajet.model.path` where this machine has it, else the built-in one.',
  },
  seed: {
    type: 'integer',
    description: 'Seed of the run. Default: `ajet.debug.debug_vllm_seed` of the config.',
  },
  tasks: {
    type: 'integer',
    minimum: 1,
    description:
      'How many tasks to run, from the first. Default: `ajet.debug.debug_first_n_tasks` of the config.',
  },
  taskIds: {
    type: 'array',
    items: { type: 'string' },
    description: 'Run only the tasks with these ids; wins over `tasks`.',
  },
  split: {
    type: 'string',
    enum: ['training', 'validation'],
    enumDescriptions: ['The training tasks.', 'The validation tasks.'],
    description: 'Which tasks of the data set to run. Default: `training`.',
  },
  mode: {
    type: 'string',
    enum: ['sample', 'validate'],
    description:
      'How episodes are run: `sample` as training rolls out, `validate` as it validates: each task `ajet.trainer_common.val_pass_n` times, sampled by `ajet.rollout.val_kwargs`, by default on the validation split. Default: `sample`.',
  },
  asUpstreamDebug: {
    type: 'boolean',
    description:
      "Run as AgentJet's own debug backbone, which differs from training: validation split, sampling by `ajet.rollout.val_kwargs`, turns without the 16 tokens in reserve. Default: `false`.",
  },
  attempts: {
    type: 'integer',
    minimum: 1,
    description:
      'How often an episode is tried that fails. Training tries 3 times and then gives up the whole batch. Default: 1, so that an error shows at once.',
  },
  parallel: {
    type: 'integer',
    minimum: 0,
    description:
      'Episodes that run at a time; 0: as many as `ajet.debug.debug_max_parallel` of the config says. Default: when debugging, the setting `agentjet.parallel`, which is 1, so that stepping stays in one episode; without debugging, 0.',
  },
  repeat: {
    type: 'integer',
    minimum: 1,
    description: 'Episodes per task. Default: `ajet.rollout.num_repeat` of the config.',
  },
  episodeTimeout: {
    type: 'number',
    exclusiveMinimum: 0,
    description: 'Seconds an episode may run; time spent at a breakpoint does not count. Default: no limit.',
  },
  env: {
    type: 'object',
    additionalProperties: { type: ['string', 'null'] },
    description: 'Environment variables for the run; `null` takes one away. They win over `envFile`.',
  },
  envFile: {
    type: 'string',
    minLength: 1,
    description:
      'File with environment variables for the run, one `NAME=value` per line. A `.env` in `cwd` is read in any case; what it names that is set already keeps its value, as under `ajet`.',
  },
  runtimeExecutable: {
    type: 'string',
    minLength: 1,
    description:
      'The Node.js (22.18 or newer) that runs the workflow. Default: the setting `agentjet.runtimeExecutable`, else the first that fits on PATH, else the one inside the editor.',
  },
  runtimeArgs: {
    type: 'array',
    items: { type: 'string' },
    description: 'Further options for Node.js.',
  },
  jsDebug: {
    type: 'object',
    additionalProperties: true,
    description:
      'Options of the JavaScript debugger (`pwa-node`, `attach`) that win over those AgentJet chooses, such as `skipFiles` or `smartStep`.',
  },
  python: {
    type: 'string',
    minLength: 1,
    description:
      'The Python (3.10 or newer) that runs workflows and judges in Python. Default: what the Python extension has selected for the folder, else that of a `.venv` in `cwd` or beside the config, else the setting `agentjet.python`, else the one on PATH.',
  },
  ajetPackage: {
    type: 'string',
    enum: ['bundled', 'installed'],
    enumDescriptions: [
      'The part of `ajet` that workflows and judges use comes with AgentJet: no torch, no GPU. What it lacks is looked for in the folder and the interpreter.',
      'The interpreter’s own `ajet`, with all that it needs.',
    ],
    description: 'Which `ajet` Python workflows and judges import. Default: `bundled`.',
  },
  pluginDirs: {
    type: 'array',
    items: { type: 'string' },
    description:
      'Folders in which workflows and reward functions of a Trinity-RFT config are registered, as `trinity run --plugin-dir` is told; relative to `cwd`. Default: those of `TRINITY_PLUGIN_DIRS`.',
  },
  pythonDebug: {
    type: 'object',
    additionalProperties: true,
    description:
      'Options of debugpy (`attach`) that win over those AgentJet chooses, such as `justMyCode` or `showReturnValue`.',
  },
  verbose: {
    type: 'boolean',
    description: 'Show every LLM call, debug messages and the stacks of errors. Default: `false`.',
  },
};
