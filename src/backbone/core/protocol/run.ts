/**
 * What crosses between a run's front end (debug adapter, CLI) and its backbone process: one JSON value per line
 * over one duplex channel, never over stdout, which belongs to the user's workflow.
 */
import * as z from 'zod/mini';
import { errorReport } from '../../../base/core/errorReport.ts';
import {
  faultKinds,
  tokenizerInfo,
  episodeId,
  episodeResult,
  runLocations,
} from '../../../tracking/core/records/episodeResult.ts';

export const runProtocolVersion = 1;

/** Which model answers the workflow's LLM calls. */
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
  /** The person at the keyboard, asked through the front end. */
  z.object({ kind: z.literal('human') }),
]);
export type ModelChoice = z.infer<typeof modelChoice>;

/** Which model judges, graders and data generation ask beside the one being tuned. */
export const helperChoice = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('embedded') }),
  /** As the script of a model; it is told that the agent is `helper`. */
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

/** How a run's calls are recorded. */
export const recordChoice = z.object({
  /** Absolute. */
  file: z.string(),
  /** Whether a recording that is there may be replaced, once the run has completed. */
  overwrite: z.boolean(),
});

/** What becomes of a call that a recording has no answer to. */
export const replayMisses = ['fail', 'call-model', 'sequential'] as const;

/** A recording that answers in place of the models; they are asked with `call-model` only. */
const replayed = { file: z.string(), miss: z.enum(replayMisses) };
/** With `episode`, the file is a trace, and that episode of it the only one that is run. */
export const replayChoice = z.object({ ...replayed, episode: z.optional(z.number()) });
/** A model that is not trained, by the name under which a workflow's adapters know it. */
const debugModels = z.record(z.string(), modelChoice);

/** Which share of calls gets one of the kinds, by a seed of their own. */
export const faultChoice = z.object({
  seed: z.number(),
  /** From 0 to 1. */
  rate: z.number(),
  kinds: z.array(z.enum(faultKinds)).check(z.minLength(1)),
});
export type FaultChoice = z.infer<typeof faultChoice>;

/** Recorded episodes that are scored again in place of being run. */
export const judgeChoice = z.object({
  /** Of an `.ajtrace`, absolute. */
  trace: z.string(),
  /** Absent: all. */
  episodes: z.optional(z.array(z.number())),
  /** Whether the request's `config` names the judge; else the config that the trace was made with. */
  ownConfig: z.boolean(),
});

/** The first message, front end to backbone process. Everything that only debugging needs; the rest is the config's. */
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
  /** Absent: the server that upstream asks, by `DASHSCOPE_API_KEY` of the run's environment. */
  helper: z.optional(helperChoice),
  /** Models that answer for targets that are not trained; a name not among them has a default. */
  debugModels: z.optional(debugModels),
  /** Which targets are trained; absent: what the workflow says. */
  trainableTargets: z.optional(z.array(z.string())),
  /** How workflows and judges that are Python are run; absent: by what is found. */
  python: z.optional(
    z.object({
      /** The interpreter; absent: of a `.venv` beside the config or in `cwd`, else the one on PATH. */
      executable: z.optional(z.string()),
      /** Whose `ajet` they import; absent: ours. */
      package: z.optional(z.enum(['bundled', 'installed'])),
      /** Folders of Trinity-RFT's plugins, relative to `cwd`; absent: those of `TRINITY_PLUGIN_DIRS`. */
      pluginDirs: z.optional(z.array(z.string())),
      /** Whether the interpreter, once it is needed, waits for a debugger; see the event `debugger`. */
      debug: z.optional(z.boolean()),
      /** Folders that debugpy is taken from where the interpreter has none, absolute. */
      debugpy: z.optional(z.array(z.string())),
    }),
  ),
  /** Seed of the run; absent: `ajet.debug.debug_vllm_seed`. */
  seed: z.optional(z.number()),
  /** How many tasks, from the first; absent: `ajet.debug.debug_first_n_tasks`. */
  firstTasks: z.optional(z.number()),
  /** Only the tasks with these ids, wherever they stand; wins over `firstTasks`. */
  taskIds: z.optional(z.array(z.string())),
  split: z.enum(['training', 'validation']),
  /** Absent: `sample`, as training rolls out; `validate`: as it validates. */
  mode: z.optional(z.enum(['sample', 'validate'])),
  /** Whether to sample as upstream's debug backbone does, which is not how training does. */
  asUpstreamDebug: z.optional(z.boolean()),
  /** How often an episode is tried that fails; absent: once. */
  attempts: z.optional(z.number()),
  /** Episodes at a time; absent: `ajet.debug.debug_max_parallel`. */
  parallel: z.optional(z.number()),
  /** Episodes per task; absent: `ajet.rollout.num_repeat`, to validate `ajet.trainer_common.val_pass_n`. */
  repeat: z.optional(z.number()),
  /** Seconds an episode may run, not counting time held by a debugger; absent: no limit. */
  episodeTimeout: z.optional(z.number()),
  /** A `tokenizer.json` or the folder of one, absolute; absent: looked for by `ajet.model.path`. */
  tokenizer: z.optional(z.string()),
  /** Whether the run leaves a trace; absent: it does. Calls are tracked all the same. */
  trace: z.optional(z.boolean()),
  /** Whether `${oc.env:…}` may read the environment: only in a trusted workspace. */
  allowEnvironment: z.boolean(),
});
export type RunRequest = z.infer<typeof runRequest>;

/** What the front end may say while the run goes. */
export const runClientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), request: runRequest }),
  /** Start no further episode, interrupt those that run, report what there is, end. */
  z.object({ type: z.literal('cancel') }),
  /** What a person answers to the `model-asks` of that id. */
  z.object({ type: z.literal('model-answers'), id: z.number(), text: z.string() }),
  /** A debugger holds the user's Python, so that no time-out counts until it lets go; of this process one knows anyway. */
  z.object({ type: z.literal('held'), held: z.boolean() }),
]);
/** What a person answers in place of the model. */
export type ModelAnswer = Pick<Extract<RunClientMessage, { type: 'model-answers' }>, 'id' | 'text'>;
export type RunClientMessage = z.infer<typeof runClientMessage>;

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
    /** The run's trace, absolute; null: it could not be written, which a `problem` tells. */
    trace: z.optional(z.nullable(z.string())),
    /** Where the config names a judge, as it is written there. */
    judge: z.optional(z.string()),
    /** Absent in runs without tracking. */
    tokenizer: z.optional(tokenizerInfo),
    tasks: z.number(),
    repeat: z.number(),
    episodes: z.number(),
    parallel: z.number(),
    /** Absent: `sample`. */
    mode: z.optional(z.enum(['sample', 'validate'])),
    /** The trace whose episodes are scored again; absent: they are run. */
    judged: z.optional(z.string()),
  }),
  z.object({ type: z.literal('episode-started'), ...episodeId }),
  z.object({
    type: z.literal('llm-call'),
    episode: z.number(),
    call: z.number(),
    agent: z.string(),
    /** Which answered in place of the model being trained. */
    debugModel: z.optional(z.string()),
    seconds: z.number(),
    status: z.number(),
  }),
  z.object({ type: z.literal('episode-ended'), result: episodeResult }),
  /** An LLM call waits for the person at the keyboard. Comes again, with a problem, when the answer could not be read. */
  z.object({
    type: z.literal('model-asks'),
    id: z.number(),
    taskId: z.string(),
    repeat: z.number(),
    call: z.number(),
    agent: z.string(),
    /** Markdown. */
    conversation: z.string(),
    /** Names of the tools that may be called. */
    tools: z.array(z.string()),
    /** Calls that will ask after this one. */
    waiting: z.number(),
    /** `line` from 0, of the answer. */
    problem: z.nullable(z.object({ message: z.string(), line: z.number() })),
  }),
  /** That call waits no more: it was answered or given up. */
  z.object({ type: z.literal('model-asks-no-more'), id: z.number() }),
  /** How often each scored episode of an oversampled rollout trains; once, before the end. */
  z.object({
    type: z.literal('selection'),
    episodes: z.array(z.object({ episode: z.number(), times: z.number() })),
  }),
  /** Of a run that rolled out; once, before the end. */
  z.object({ type: z.literal('places'), places: runLocations }),
  /** The user's Python waits for a debugger: DAP on 127.0.0.1. */
  z.object({ type: z.literal('debugger'), language: z.literal('python'), port: z.number() }),
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
    /** Why the run could not start or go on; only with `failed`. */
    error: z.nullable(errorReport),
  }),
]);
export type RunEvent = z.infer<typeof runEvent>;

/** One line, ready to be written. */
export function encodeLine(message: RunClientMessage | RunEvent): string {
  return `${JSON.stringify(message)}\n`;
}

/** Undefined for a line that is not of the protocol: the caller logs it and goes on. */
export function decodeRunEvent(line: string): RunEvent | undefined {
  return decode(runEvent, line);
}

export function decodeRunClientMessage(line: string): RunClientMessage | undefined {
  return decode(runClientMessage, line);
}

function decode<T>(schema: z.ZodMiniType<T>, line: string): T | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // not JSON at all: not of the protocol
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
