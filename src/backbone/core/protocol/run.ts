/**
 * The messages between a client of a run (debug adapter, CLI) and its backbone process. Each is one line of JSON on one
 * duplex channel. They never use stdout, which belongs to the user's workflow.
 */
import * as z from 'zod/mini';
import { errorReport } from '../../../base/core/errorReport.ts';
import {
  faultKinds,
  episodeId,
  episodeResult,
  runLocations,
} from '../../../tracking/core/records/episodeResult.ts';
import { lossNames, type TokenKind } from '../../../tinker/core/service.ts';
import { tokenizerInfo } from '../../../tracking/core/records/tracedRun.ts';
import { parseJson } from '../../../base/core/parseJson.ts';
import { toReport, type CodedError } from '../../../base/core/errors.ts';

export const runProtocolVersion = 1;

export const modelChoice = z.discriminatedUnion('kind', [
  /** Ours: deterministic by seed, no network. */
  z.object({ kind: z.literal('embedded') }),
  /** A JavaScript or TypeScript file of the user's that answers requests. */
  z.object({ kind: z.literal('script'), file: z.string() }),
  /** Any OpenAI-compatible server. */
  z.object({
    kind: z.literal('endpoint'),
    baseUrl: z.string(),
    model: z.string(),
    apiKey: z.optional(z.string()),
  }),
  /** Saved weights of a training on a Tinker server. */
  z.object({
    kind: z.literal('tinker'),
    /** The `tinker://` path of weights for sampling. */
    path: z.string(),
    /** Absent: that of `TINKER_BASE_URL`, else the service of Thinking Machines. */
    baseUrl: z.optional(z.string()),
    apiKey: z.optional(z.string()),
  }),
  /** A language model that the editor provides, by its id, reached through the client. */
  z.object({ kind: z.literal('editor'), model: z.string() }),
  /** The person at the keyboard, reached through the client. */
  z.object({ kind: z.literal('human') }),
]);
export type ModelChoice = z.infer<typeof modelChoice>;

/** The model that judges, graders and data generation call. */
export const helperChoice = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('embedded') }),
  /** A script as for the model; the agent of its calls is `helper`. */
  z.object({ kind: z.literal('script'), file: z.string() }),
  /** Its model is what the config names, unless the user chose one. */
  z.object({
    kind: z.literal('endpoint'),
    baseUrl: z.string(),
    model: z.optional(z.string()),
    apiKey: z.optional(z.string()),
  }),
]);
export type HelperChoice = z.infer<typeof helperChoice>;

export const recordChoice = z.object({
  /** Absolute. */
  file: z.string(),
  /** True if the run may replace an existing recording when it has completed. */
  overwrite: z.boolean(),
});

export const replayMisses = ['fail', 'call-model', 'sequential'] as const;

/** A recording that answers instead of the models. Only with `call-model` do the models receive requests. */
const replayed = { file: z.string(), miss: z.enum(replayMisses) };
/** With `episode`, the file is a trace, and only that episode of it runs. */
export const replayChoice = z.object({ ...replayed, episode: z.optional(z.number()) });
/** A model that is not trained, by the name under which a workflow's adapters know it. */
const debugModels = z.record(z.string(), modelChoice);

/** The share of calls that fail, and how. Faults have their own seed. */
export const faultChoice = z.object({
  seed: z.number(),
  /** From 0 to 1. */
  rate: z.number(),
  kinds: z.array(z.enum(faultKinds)).check(z.minLength(1)),
});
export type FaultChoice = z.infer<typeof faultChoice>;

/** Recorded episodes that are scored again without running them. */
export const judgeChoice = z.object({
  /** Absolute path of an `.ajtrace`. */
  trace: z.string(),
  /** Absent: all. */
  episodes: z.optional(z.array(z.number())),
  /** True if the request's `config` names the judge; otherwise the config of the trace does. */
  ownConfig: z.boolean(),
});

const tokenCounts = {
  prefill: z.number(),
  sample: z.number(),
  train: z.number(),
} satisfies Record<TokenKind, z.ZodMiniType>;

/** Prices of a million tokens, in any currency. */
export const tokenPrices = z.object(tokenCounts);

/** Limits of a whole training, also after it was resumed. */
export const trainingLimits = z.object({
  /** Hours, without the time at breakpoints. */
  maxHours: z.optional(z.number()),
  /** Tokens that the server processes. */
  maxTokens: z.optional(z.number()),
  /** In the currency of the prices. */
  maxCost: z.optional(z.number()),
});
export type TrainingLimits = Readonly<z.infer<typeof trainingLimits>>;

/** Training on a Tinker server. The config has the other settings. */
export const trainRequest = z.object({
  /** Absent: that of `TINKER_BASE_URL`, else the service of Thinking Machines. */
  baseUrl: z.optional(z.string()),
  /** The GPU host to which a tunnel at `baseUrl` leads. */
  host: z.optional(z.string()),
  /** Absent: found as the official SDK finds it. */
  apiKey: z.optional(z.string()),
  /** The name of the model on the server; absent: `ajet.model.path`, or the only model of the server. */
  baseModel: z.optional(z.string()),
  loss: z.optional(z.enum(lossNames)),
  /** The rank of the adapter; absent: 16. */
  rank: z.optional(z.number()),
  /** The most steps of the whole training; absent: as the config says. */
  steps: z.optional(z.number()),
  ...trainingLimits.shape,
  /** By the name of the model on the server. */
  prices: z.optional(z.record(z.string(), tokenPrices)),
  /** True: a tiny random model on this machine, with settings with which it learns. */
  rehearsal: z.optional(z.boolean()),
  /** The absolute folder of a training that continues from its last checkpoint. */
  resume: z.optional(z.string()),
});
export type TrainRequest = z.infer<typeof trainRequest>;

/** The options of a run that only debugging needs; the config has the others. Part of the first message to the backbone. */
export const runRequest = z.object({
  protocol: z.literal(runProtocolVersion),
  /** Absolute path of the YAML file. */
  config: z.string(),
  /** Relative paths and locators resolve against it first, as upstream does, then against the config's folder. */
  cwd: z.string(),
  /** Parent of the run's folder, absolute; absent: `saved_experiments` in `cwd`. */
  expDir: z.optional(z.string()),
  model: modelChoice,
  record: z.optional(recordChoice),
  replay: z.optional(replayChoice),
  faults: z.optional(faultChoice),
  judge: z.optional(judgeChoice),
  /** Present: the run trains. `model` is not used then. */
  train: z.optional(trainRequest),
  /** Absent: upstream's server, with `DASHSCOPE_API_KEY` of the run's environment. */
  helper: z.optional(helperChoice),
  /** Models that answer for targets that are not trained; a name not among them has a default. */
  debugModels: z.optional(debugModels),
  /** The trained targets; absent: those of the workflow. */
  trainableTargets: z.optional(z.array(z.string())),
  /** The options for Python workflows and judges; absent: all defaults. */
  python: z.optional(
    z.object({
      /** The interpreter; absent: that of a `.venv` next to the config or in `cwd`, else the one on PATH. */
      executable: z.optional(z.string()),
      /** The `ajet` that they import; absent: `bundled`. */
      package: z.optional(z.enum(['bundled', 'installed'])),
      /** Folders of Trinity-RFT's plugins, relative to `cwd`; absent: those of `TRINITY_PLUGIN_DIRS`. */
      pluginDirs: z.optional(z.array(z.string())),
      /** True if the interpreter waits for a debugger; see the event `debugger`. */
      debug: z.optional(z.boolean()),
      /** Absolute paths of folders with debugpy, for an interpreter without it. */
      debugpy: z.optional(z.array(z.string())),
    }),
  ),
  /** Seed of the run; absent: `ajet.debug.debug_vllm_seed`. */
  seed: z.optional(z.number()),
  /** Number of tasks, from the first; absent: `ajet.debug.debug_first_n_tasks`. */
  firstTasks: z.optional(z.number()),
  /** Only the tasks with these ids, at any position; wins over `firstTasks`. */
  taskIds: z.optional(z.array(z.string())),
  split: z.enum(['training', 'validation']),
  /** `sample` (the default) runs episodes as training rolls out, `validate` as it validates. */
  mode: z.optional(z.enum(['sample', 'validate'])),
  /** True to sample as upstream's debug backbone, which differs from training. */
  asUpstreamDebug: z.optional(z.boolean()),
  /** Number of attempts for an episode that fails; absent: 1. */
  attempts: z.optional(z.number()),
  /** Episodes at a time; absent: `ajet.debug.debug_max_parallel`. */
  parallel: z.optional(z.number()),
  /** Episodes per task; absent: `ajet.rollout.num_repeat`, to validate `ajet.trainer_common.val_pass_n`. */
  repeat: z.optional(z.number()),
  /** The most LLM calls that reach a model; absent: no limit. */
  maxCalls: z.optional(z.number()),
  /** The most tokens of all prompts and replies; absent: no limit. */
  maxTokens: z.optional(z.number()),
  /** Seconds an episode may run, not counting time held by a debugger; absent: no limit. */
  episodeTimeout: z.optional(z.number()),
  /** True if an error that every episode would have, such as an unreachable model server, ends the run. */
  failFast: z.optional(z.boolean()),
  /** A `tokenizer.json` or the folder of one, absolute; absent: looked for by `ajet.model.path`. */
  tokenizer: z.optional(z.string()),
  /** False for a run without a trace file. Its calls are still tracked. */
  trace: z.optional(z.boolean()),
  /** True if `${oc.env:…}` may read the environment: only in a trusted workspace. */
  allowEnvironment: z.boolean(),
});
export type RunRequest = z.infer<typeof runRequest>;

export const runClientMessage = z.discriminatedUnion('type', [
  /** With `inspected`, code of the user is loaded after `attached`. */
  z.object({ type: z.literal('start'), request: runRequest, inspected: z.optional(z.boolean()) }),
  /** The inspector has the breakpoints of the JavaScript debugger. */
  z.object({ type: z.literal('attached') }),
  /** Starts no more episodes, interrupts the running ones, reports the results and ends. */
  z.object({ type: z.literal('cancel') }),
  /**
   * The answer of a person to the `model-asks` with that id, or the reply to a `model-request`. The reply is the JSON of a
   * message in OpenAI's format, or of `{error}`.
   */
  z.object({ type: z.literal('model-answers'), id: z.number(), text: z.string() }),
  /** A debugger has stopped the user's Python. Timeouts pause until it continues. */
  z.object({ type: z.literal('held'), held: z.boolean() }),
]);
export type ModelAnswer = Pick<Extract<RunClientMessage, { type: 'model-answers' }>, 'id' | 'text'>;
export type RunClientMessage = z.infer<typeof runClientMessage>;

/** The Debug Adapter Protocol on 127.0.0.1, for one client, which must send the token when it attaches. */
export const debuggerAddress = z.object({ port: z.number(), token: z.string() });
export type DebuggerAddress = z.infer<typeof debuggerAddress>;

const trainingStep = {
  step: z.number(),
  /** Absolute path of the trace of its episodes; null if it could not be written, absent for a run without traces. */
  trace: z.optional(z.nullable(z.string())),
  /** By the names of verl's metrics, where it has such a metric. */
  metrics: z.record(z.string(), z.number()),
};

export const trainingCheckpoint = {
  /** The last step that its weights have learned from. */
  step: z.number(),
  /** `tinker://` paths: of weights and optimizer, and of the weights for sampling. */
  path: z.string(),
  sampler: z.string(),
};

/** The use of a training: tokens, time without that at breakpoints, and money. */
export const trainingUsage = z.object({
  ...tokenCounts,
  seconds: z.number(),
  /** Absent: the prices are unknown. */
  cost: z.optional(z.number()),
});
export type TrainingUsage = Readonly<z.infer<typeof trainingUsage>>;

/** The most that the steps of a training can use. */
const trainingEstimate = z.object({
  episodes: z.number(),
  /** LLM calls of an episode. */
  calls: z.number(),
  ...tokenCounts,
  cost: z.optional(z.number()),
});
export type TrainingEstimate = Readonly<z.infer<typeof trainingEstimate>>;

export const runEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('run-started'),
    experiment: z.string(),
    config: z.string(),
    /** e.g. `built-in (seed 12345)`. */
    model: z.string(),
    workflow: z.string(),
    /** The workflow's source file, absolute. */
    workflowFile: z.string(),
    /** The run's folder, absolute. */
    folder: z.string(),
    /** Absolute path of the run's trace; null if it could not be written, which a `problem` reports. */
    trace: z.optional(z.nullable(z.string())),
    /** The judge as the config names it; absent: none. */
    judge: z.optional(z.string()),
    /** Absent in runs without tracking. */
    tokenizer: z.optional(tokenizerInfo),
    tasks: z.number(),
    repeat: z.number(),
    episodes: z.number(),
    parallel: z.number(),
    /** Absent: `sample`. */
    mode: z.optional(z.enum(['sample', 'validate'])),
    /** The trace whose episodes are scored again; absent: the run executes its episodes. */
    judged: z.optional(z.string()),
  }),
  /** A training begins or continues, after `run-started`. */
  z.object({
    type: z.literal('training-started'),
    /** For people, e.g. `SkyRL 0.4 at http://127.0.0.1:8123`. */
    server: z.string(),
    baseModel: z.string(),
    /** The step that comes first, from 1. */
    step: z.number(),
    totalSteps: z.number(),
    /** Tasks per step. */
    batchSize: z.number(),
    estimate: trainingEstimate,
  }),
  /** A phase of the training begins. Its episodes are numbered from 0. */
  z.object({
    type: z.literal('training-phase'),
    phase: z.enum(['rollout', 'update', 'validation', 'checkpoint']),
    step: z.number(),
  }),
  /** A step is complete. */
  z.object({ type: z.literal('training-step'), ...trainingStep }),
  /** A validation is complete. `step` is the number of steps that were trained before. */
  z.object({ type: z.literal('training-validation'), ...trainingStep }),
  z.object({ type: z.literal('training-checkpoint'), ...trainingCheckpoint }),
  /** After each step, and at the end. */
  z.object({
    type: z.literal('training-usage'),
    usage: trainingUsage,
    /** The use of the steps that are left, if they are like the last one; absent at the end. */
    expected: z.optional(z.object({ ...trainingUsage.shape, steps: z.number() })),
  }),
  z.object({ type: z.literal('episode-started'), ...episodeId }),
  z.object({
    type: z.literal('llm-call'),
    episode: z.number(),
    call: z.number(),
    agent: z.string(),
    /** The debug model that answered in place of the model being trained. */
    debugModel: z.optional(z.string()),
    seconds: z.number(),
    status: z.number(),
  }),
  z.object({ type: z.literal('episode-ended'), result: episodeResult }),
  /** An LLM call waits for the person at the keyboard. It is repeated with a problem if the answer is not readable. */
  z.object({
    type: z.literal('model-asks'),
    id: z.number(),
    taskId: z.string(),
    repeat: z.number(),
    call: z.number(),
    agent: z.string(),
    /** Markdown. */
    conversation: z.string(),
    tools: z.array(z.string()),
    /** Calls that will ask after this one. */
    waiting: z.number(),
    /** `line` is the line of the answer, from 0. */
    problem: z.nullable(z.object({ message: z.string(), line: z.number() })),
  }),
  /** The call no longer waits: it was answered or abandoned. */
  z.object({ type: z.literal('model-asks-no-more'), id: z.number() }),
  /** An LLM call for a model of the editor. Messages and tools have OpenAI's format. */
  z.object({
    type: z.literal('model-request'),
    id: z.number(),
    model: z.string(),
    messages: z.array(z.unknown()),
    tools: z.array(z.unknown()),
  }),
  z.object({ type: z.literal('model-request-cancelled'), id: z.number() }),
  /** The number of times that each scored episode of an oversampled rollout trains. Sent once, before the end. */
  z.object({
    type: z.literal('selection'),
    episodes: z.array(z.object({ episode: z.number(), times: z.number() })),
  }),
  /** Sent once, before the end of a run that executed episodes. */
  z.object({ type: z.literal('places'), places: runLocations }),
  /** The user's Python waits for a debugger. */
  z.object({ type: z.literal('debugger'), language: z.literal('python'), address: debuggerAddress }),
  z.object({
    type: z.literal('log'),
    level: z.enum(['debug', 'info', 'warn', 'error']),
    message: z.string(),
  }),
  /** A warning or error about the user's files, before or during the run. */
  z.object({ type: z.literal('problem'), severity: z.enum(['warning', 'error']), report: errorReport }),
  z.object({
    type: z.literal('run-ended'),
    status: z.enum(['completed', 'cancelled', 'failed']),
    /** The reason why the run could not start or continue; only with `failed`. */
    error: z.nullable(errorReport),
  }),
]);
export type RunEvent = z.infer<typeof runEvent>;

export function encodeLine(message: RunClientMessage | RunEvent): string {
  return `${JSON.stringify(message)}\n`;
}

export function warningEvent(problem: CodedError): RunEvent {
  return { type: 'problem', severity: 'warning', report: toReport(problem, problem.code) };
}

/** Returns undefined for a line that is not JSON or does not fit the schema. The caller logs it and continues. */
export function decode<T>(schema: z.ZodMiniType<T>, line: string): T | undefined {
  return schema.safeParse(parseJson(line)).data;
}
