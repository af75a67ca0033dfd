/**
 * What crosses between the Python that trains and a Node process beside it, in which a TypeScript workflow or judge runs:
 * one JSON object per line, both ways, over a socket of their own. Never over stdout, which belongs to the user's code.
 * Python's side is `python/agentjet_bridge`.
 */
import * as z from 'zod/mini';
import type { ErrorReport } from '../../../base/core/errors.ts';

/** The descriptor of the socket, by number. */
export const bridgeDescriptor = 'AGENTJET_BRIDGE_FD';

const id = z.int();
const record = z.record(z.string(), z.unknown());
/** An export of a file of the user's; the file is absolute. */
const named = z.object({ file: z.string(), name: z.string() });

const task = z.object({
  main_query: z.string(),
  init_messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  task_id: z.string(),
  env_type: z.string(),
  metadata: record,
});

/** A `WorkflowTask` but for what of it asks back. */
export const bridgedTask = z.object({
  task,
  taskId: z.string(),
  envType: z.string(),
  taskThreadIndex: z.int(),
  taskBatchIndex: z.int(),
  taskTag: z.string(),
  episodeUuid: z.string(),
  /** As it was when the episode began. */
  observationWindow: z.object({
    step: z.array(z.number()),
    token: z.array(z.number()),
    stop: z.array(z.boolean()),
  }),
  serviceUrl: z.nullable(z.string()),
});
export type BridgedTask = z.infer<typeof bridgedTask>;

const bridgedOutput = z.object({
  reward: z.nullable(z.number()),
  isSuccess: z.nullable(z.boolean()),
  metadata: record,
  logMetrics: record,
});

/** What the Python sends. */
export const toBridge = z.discriminatedUnion('type', [
  /** The first line. */
  z.object({
    type: z.literal('open'),
    workflow: z.nullable(named),
    judge: z.nullable(named),
  }),
  /** Once, before the first task. */
  z.object({ type: z.literal('config'), config: record }),
  z.object({
    type: z.literal('execute'),
    id,
    task: bridgedTask,
    /** Null: training does not serve models by base URL and key. */
    endpoint: z.nullable(z.object({ baseUrl: z.string(), apiKey: z.string(), model: z.string() })),
  }),
  z.object({ type: z.literal('judge'), id, task: bridgedTask, output: bridgedOutput }),
  /** To a `call`. */
  z.object({
    type: z.literal('answer'),
    id,
    result: z.unknown(),
    error: z.optional(z.string()),
    overflow: z.optional(z.boolean()),
  }),
  /** Nobody waits for the episode any more. */
  z.object({ type: z.literal('cancel'), id }),
]);
export type ToBridge = z.infer<typeof toBridge>;

/** What an episode asks the Python for. */
export type BridgeCall =
  | {
      readonly method: 'chat';
      readonly agentName: string;
      readonly targetTag: string;
      readonly debugModel: string | null;
      readonly request: Readonly<Record<string, unknown>>;
    }
  | { readonly method: 'gym-step'; readonly action: unknown }
  | { readonly method: 'gym-evaluate'; readonly messages: unknown };

/** What the Node process sends. */
export type FromBridge =
  | { readonly type: 'ready'; readonly trainableTargets: readonly string[] | null }
  /** The user's code could not be loaded. */
  | { readonly type: 'failed'; readonly error: ErrorReport }
  | { readonly type: 'done'; readonly id: number; readonly value: unknown }
  /** Of a request, or, where it was cancelled, that it has been let go. */
  | { readonly type: 'error'; readonly id: number; readonly error: ErrorReport }
  | { readonly type: 'call'; readonly id: number; readonly episode: number; readonly call: BridgeCall };
