/**
 * What crosses between a run's backbone and the Python process that its Python workflows and judges run in: one JSON
 * object per line, both ways, over one connection on loopback. Never over stdout, which belongs to the user's code.
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

/** What the worker asks of the backbone while the code of an episode waits, or that of a script: the last three. */
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
    /** Of the debugger, on 127.0.0.1; null: none was asked for. */
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
  /** Raised where nobody waits for it, such as in a callback of the event loop. */
  z.object({ type: z.literal('uncaught'), failure }),
]);
export type FromWorker = z.infer<typeof fromWorker>;

/** Undefined for a line that is not of the protocol. */
export function decodeFromWorker(line: string): FromWorker | undefined {
  try {
    const parsed = fromWorker.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // not JSON at all
  }
}

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
  problems: z.array(z.extend(failure, { hint: z.nullish(z.string()) })),
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
