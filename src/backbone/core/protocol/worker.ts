/**
 * The messages between the backbone of a run and the process of its Python workflows and judges. Each is one line of JSON
 * on one loopback connection, in both directions. They never use stdout, which belongs to the user's code.
 */
import * as z from 'zod/mini';
import { decode } from './run.ts';

/** The first and only line of the worker's standard input. */
export interface WorkerBegin {
  /** The port of the backbone on 127.0.0.1. */
  readonly port: number;
  /** Proves that who connects is the worker. */
  readonly token: string;
  /** The first entries of Python's search path. */
  readonly path: readonly string[];
  /** The `ajet` to import: that of the worker, or that of the interpreter. */
  readonly package: 'bundled' | 'installed';
  /** Folders of Trinity-RFT's plugins. */
  readonly plugins: readonly string[];
  /** True to open a debugger port and wait for a debugger. */
  readonly debug: boolean;
  /** Folders that debugpy is taken from where the interpreter has none, in order. */
  readonly debugpy: readonly string[];
}

export const workerMethods = [
  'load',
  'execute',
  'judge',
  'execute-function',
  'judge-function',
  'script',
  'load-trinity',
  'execute-trinity',
  'forget',
] as const;
export type WorkerMethod = (typeof workerMethods)[number];

/** Backbone to worker. */
export type ToWorker =
  | {
      readonly type: 'call';
      readonly id: number;
      readonly method: WorkerMethod;
      readonly params: Readonly<Record<string, unknown>>;
    }
  /** The call of that id is no longer wanted; it still ends, by `result` or `failed`. */
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly error: string };

const failure = z.object({
  /** Absent: the user's code raised it. */
  code: z.optional(z.string()),
  message: z.string(),
  hint: z.optional(z.string()),
  file: z.optional(z.string()),
  line: z.optional(z.number()),
  /** Python's traceback. */
  stack: z.optional(z.string()),
});
export type WorkerFailure = z.infer<typeof failure>;

/** The requests of the worker to the backbone, for the code of an episode; the last three are for scripts. */
export const workerRequests = [
  'gym-step',
  'gym-evaluate',
  'window',
  'context-overflow',
  'helper',
  'experience',
  'tune',
  'preview',
  'job',
] as const;
export type WorkerRequest = (typeof workerRequests)[number];

const fromWorker = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), token: z.string() }),
  z.object({
    type: z.literal('ready'),
    /** e.g. `3.12.4`. */
    python: z.string(),
    executable: z.string(),
    pid: z.number(),
    /** The port of the debugger on 127.0.0.1; null if none was requested. */
    debugPort: z.nullable(z.number()),
  }),
  /** In place of `ready`: why it cannot begin. */
  z.object({ type: z.literal('refused'), failure }),
  z.object({ type: z.literal('result'), id: z.number(), value: z.unknown() }),
  z.object({ type: z.literal('failed'), id: z.number(), failure }),
  z.object({
    type: z.literal('ask'),
    id: z.number(),
    method: z.enum(workerRequests),
    params: z.looseObject({ episodeUuid: z.optional(z.string()) }),
  }),
  /** An exception that no caller catches, for example in a callback of the event loop. */
  z.object({ type: z.literal('uncaught'), failure }),
]);
export type FromWorker = z.infer<typeof fromWorker>;

/** Returns undefined for a line that is not a message of the protocol. */
export function decodeFromWorker(line: string): FromWorker | undefined {
  return decode(fromWorker, line);
}

/** The result of `load` for a class or function. */
export const loadedCode = z.object({
  file: z.nullable(z.string()),
  /** Absent: it is a class. */
  form: z.optional(z.literal('function')),
  /** Only of a workflow; null: all. */
  trainableTargets: z.optional(z.nullable(z.array(z.string()))),
});

/** A number; one that JSON has not goes by its name. */
const anyNumber = z.pipe(
  z.union([z.number(), z.object({ number: z.string() })]),
  z.transform((value) => (typeof value === 'number' ? value : numberNamed(value.number))),
);

const numbers = z.union([z.record(z.string(), z.union([anyNumber, z.unknown()])), z.unknown()]);

function numberNamed(name: string): number {
  const sign = name.startsWith('-') ? -1 : 1;
  return name.endsWith('inf') ? sign * Infinity : NaN;
}

/** The result of `execute`. A reward that is not a number is unchanged, so that the run can reject it. */
export const returnedOutput = z.object({
  reward: z.union([anyNumber, z.unknown()]),
  isSuccess: z.nullable(z.boolean()),
  metadata: z.record(z.string(), z.unknown()),
  logMetrics: z.record(z.string(), z.unknown()),
});

/** The result of `compute_reward`, and the output, to which a judge may add. */
export const returnedVerdict = z.object({
  reward: z.union([anyNumber, z.unknown()]),
  isSuccess: z.boolean(),
  metadata: z.record(z.string(), z.unknown()),
  logMetrics: z.record(z.string(), z.unknown()),
});

/** The result of a workflow function. Values that are not numbers are unchanged. */
export const functionOutput = z.object({
  reward: z.union([anyNumber, z.unknown()]),
  response: z.unknown(),
  metrics: numbers,
  awaited: z.boolean(),
});

/** The result of a judge function. */
export const functionVerdict = z.omit(functionOutput, { response: true });

/** The result of `load-trinity` for a class. */
export const loadedTrinity = z.object({
  file: z.nullable(z.string()),
  line: z.nullable(z.number()),
  /** The problems of plugins. They do not stop a run. */
  problems: z.array(z.extend(failure, { hint: z.nullish(z.string()) })),
});

/** The result of `execute-trinity`, from the returned experiences. */
export const returnedExperiences = z.extend(returnedOutput, {
  isSuccess: z.boolean(),
  problems: z.array(
    z.object({
      code: z.enum(['trinity-rewards', 'trinity-lost-answers', 'trinity-foreign-replies', 'trinity-repeats']),
      message: z.string(),
    }),
  ),
});

/** The ask `experience`. */
export const experienceRequest = z.object({
  /** `answer`: of prompt and reply, where there is one, else of the whole conversation. */
  of: z.enum(['prompt', 'answer']),
  messages: z.array(z.unknown()),
  tools: z.nullable(z.array(z.unknown())),
  reply: z.nullable(
    z.object({
      message: z.unknown(),
      ids: z.nullable(z.array(z.number())),
      promptIds: z.nullable(z.array(z.number())),
      ended: z.boolean(),
    }),
  ),
});
