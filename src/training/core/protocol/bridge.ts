/**
 * Messages between the Python that trains and a Node.js process that runs a TypeScript workflow or judge. Each is one
 * JSON object per line, over a separate socket. stdout belongs to the user's code. The Python side is
 * `python/agentjet_bridge`.
 */
import * as z from 'zod/mini';
import type { ErrorReport } from '../../../base/core/errors.ts';

/** The name of the Python package that upstream imports in place of a TypeScript workflow or judge. */
export const bridgePackage = 'agentjet_bridge';
/** The file in the package that lists them by kind, as {@link BridgedCode}. */
export const bridgedFile = 'named.json';
/** An export of a user file. In {@link bridgedFile} the path is inside the uploaded folder, with `/`. */
export const bridgedCode = z.object({ file: z.string(), name: z.string() });
export type BridgedCode = z.infer<typeof bridgedCode>;
/** The variable with the file descriptor of the socket. */
export const bridgeDescriptor = 'AGENTJET_BRIDGE_FD';
const id = z.int();
const record = z.record(z.string(), z.unknown());
/** Its path is absolute. */
const named = z.nullable(bridgedCode);

/** A `WorkflowTask` without the parts that call back. */
const bridgedTask = z.object({
  task: z.object({
    main_query: z.string(),
    init_messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
    task_id: z.string(),
    env_type: z.string(),
    metadata: record,
  }),
  taskId: z.string(),
  envType: z.string(),
  taskThreadIndex: z.int(),
  taskBatchIndex: z.int(),
  taskTag: z.string(),
  episodeUuid: z.string(),
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

/** Messages from Python. */
export const toBridge = z.discriminatedUnion('type', [
  /** The first message. */
  z.object({ type: z.literal('open'), workflow: named, judge: named }),
  /** Once, before the first task. */
  z.object({ type: z.literal('config'), config: record }),
  z.object({
    type: z.literal('execute'),
    id,
    task: bridgedTask,
    /** Null if training does not serve models by base URL and key. */
    endpoint: z.nullable(z.object({ baseUrl: z.string(), apiKey: z.string(), model: z.string() })),
  }),
  z.object({ type: z.literal('judge'), id, task: bridgedTask, output: bridgedOutput }),
  /** The answer to a `call`. */
  z.object({
    type: z.literal('answer'),
    id,
    result: z.unknown(),
    error: z.optional(z.string()),
    overflow: z.optional(z.boolean()),
  }),
  /** The episode is no longer needed. */
  z.object({ type: z.literal('cancel'), id }),
]);
export type ToBridge = z.infer<typeof toBridge>;

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

/** Messages from the Node.js process. */
export type FromBridge =
  | { readonly type: 'ready'; readonly trainableTargets: readonly string[] | null }
  /** The user's code could not be loaded. */
  | { readonly type: 'failed'; readonly error: ErrorReport }
  | { readonly type: 'done'; readonly id: number; readonly value: unknown }
  /** The error of a request, or the confirmation of its cancellation. */
  | { readonly type: 'error'; readonly id: number; readonly error: ErrorReport }
  | { readonly type: 'call'; readonly id: number; readonly episode: number; readonly call: BridgeCall };
