/**
 * The protocol between the backbone of a run and the process of its Python workflows and judges. It is JSON-RPC 2.0 with
 * `Content-Length` headers, in both directions over one loopback connection. Stdout belongs to the user's code.
 */
import * as z from 'zod/mini';
import { printedOutput } from '../../../tracking/core/records/trace.ts';
import { debuggerAddress } from './run.ts';

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

/** The data of an error response: what failed in the user's code, or before it. */
export const workerFailure = z.object({
  /** Absent: the user's code raised it. */
  code: z.optional(z.string()),
  message: z.string(),
  hint: z.optional(z.string()),
  file: z.optional(z.string()),
  line: z.optional(z.number()),
  /** The part of the traceback in the user's files, if it has several frames. */
  userStack: z.optional(z.string()),
  /** Python's traceback. */
  stack: z.optional(z.string()),
});
export type WorkerFailure = z.infer<typeof workerFailure>;

/** The worker's requests, during which the code of an episode waits, or that of a script: the last three. */
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

export const workerNotifications = {
  /** Its first message. */
  hello: z.object({ token: z.string() }),
  /** It can take requests. `debugger`: null if none was requested. `missing`: null if no listed package is missing. */
  ready: z.object({
    debugger: z.nullable(debuggerAddress),
    missing: z.nullable(z.object({ file: z.string(), packages: z.array(z.string()) })),
  }),
  /** Sent instead of `ready`. */
  refused: z.object({ failure: workerFailure }),
  /** An error that no request gets, such as one in a callback of the event loop. */
  uncaught: z.object({ failure: workerFailure }),
  /** The output of an episode's code, before the response to its request. */
  printed: z.extend(printedOutput, { episodeUuid: z.string() }),
} as const;

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
export const returnedVerdict = z.extend(returnedOutput, { isSuccess: z.boolean() });

/** The result of a workflow function. Values that are not numbers are unchanged. */
export const functionOutput = z.object({
  reward: z.union([anyNumber, z.unknown()]),
  response: z.unknown(),
  metrics: numbers,
  awaited: z.boolean(),
});

export const functionVerdict = z.omit(functionOutput, { response: true });

/** The result of `load-trinity` for a class. */
export const loadedTrinity = z.object({
  file: z.nullable(z.string()),
  line: z.nullable(z.number()),
  /** The problems of plugins. They do not stop a run. */
  problems: z.array(z.extend(workerFailure, { hint: z.nullish(z.string()) })),
});

/** The result of `execute-trinity`, from the returned experiences. */
export const returnedExperiences = z.extend(returnedVerdict, {
  problems: z.array(
    z.object({
      code: z.enum([
        'trinity-rewards',
        'trinity-untrained-replies',
        'trinity-foreign-replies',
        'trinity-repeats',
      ]),
      message: z.string(),
    }),
  ),
});

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
