/**
 * The protocol between a run's backbone and the Python process that executes its Python workflows and judges: JSON-RPC 2.0
 * with `Content-Length` headers, in both directions over one loopback connection. Stdout belongs to the user's code.
 */
import * as z from 'zod/mini';

/** The first and only line of the worker's standard input. */
export interface WorkerBegin {
  /** Where the backbone listens, on 127.0.0.1. */
  readonly port: number;
  /** Proves that who connects is the worker. */
  readonly token: string;
  /** What Python's search path begins with. */
  readonly path: readonly string[];
  /** Whose `ajet` is imported: the one that the worker brings, or the interpreter's own. */
  readonly package: 'bundled' | 'installed';
  /** Folders of Trinity-RFT's plugins. */
  readonly plugins: readonly string[];
  /** Whether to open a debugger's port and wait for one. */
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

/** The worker's notifications, and their parameters. */
export const workerNotifications = {
  /** Its first message. */
  hello: z.object({ token: z.string() }),
  /** It can take requests. `debugPort`: of the debugger, on 127.0.0.1; null if none was requested. */
  ready: z.object({ debugPort: z.nullable(z.number()) }),
  /** Sent instead of `ready`. */
  refused: z.object({ failure: workerFailure }),
  /** An error that no request gets, such as one in a callback of the event loop. */
  uncaught: z.object({ failure: workerFailure }),
} as const;

/** What `load` tells of a class or function. */
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

/** What `execute` returned. A reward that is no number is there as it came, for the run to refuse. */
export const returnedOutput = z.object({
  reward: z.union([anyNumber, z.unknown()]),
  isSuccess: z.nullable(z.boolean()),
  metadata: z.record(z.string(), z.unknown()),
  logMetrics: z.record(z.string(), z.unknown()),
});

/** What `compute_reward` returned, and the output as it left it: a judge may add to it. */
export const returnedVerdict = z.object({
  reward: z.union([anyNumber, z.unknown()]),
  isSuccess: z.boolean(),
  metadata: z.record(z.string(), z.unknown()),
  logMetrics: z.record(z.string(), z.unknown()),
});

/** What a workflow that is a function returned. What is no number is there as it came. */
export const functionOutput = z.object({
  reward: z.union([anyNumber, z.unknown()]),
  response: z.unknown(),
  metrics: numbers,
  awaited: z.boolean(),
});

/** What a judge that is a function returned. */
export const functionVerdict = z.omit(functionOutput, { response: true });

/** What `load-trinity` tells of a class. */
export const loadedTrinity = z.object({
  file: z.nullable(z.string()),
  line: z.nullable(z.number()),
  /** Of plugins; they keep no run from going. */
  problems: z.array(z.extend(workerFailure, { hint: z.nullish(z.string()) })),
});

/** What `execute-trinity` made of the experiences that came back. */
export const returnedExperiences = z.extend(returnedOutput, {
  isSuccess: z.boolean(),
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
