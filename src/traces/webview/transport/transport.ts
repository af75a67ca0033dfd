import type {
  TraceCall,
  TraceReply,
  ParamsOf,
  TraceMethod,
  TraceRequest,
} from '../../core/protocol/traceRpc.ts';
import { CodedError } from '../../../base/core/errors.ts';
import type { ResultOf, TraceClient } from '../../core/methods.ts';
import type { GoMessage, HeldMessage } from '../../core/viewerPage.ts';

export interface Transport {
  /** Never throws. A request that cannot be sent gets a reply with an error. */
  send(call: TraceCall): void;
  /** Called once, before the first {@link send}. */
  onReply(listener: (reply: TraceReply) => void): void;
}

/** Returns true for a message of the server. A page also receives other messages. */
export function isTraceReply(value: unknown): value is TraceReply {
  if (typeof value !== 'object' || value === null) return false;
  if ('notice' in value) return value.notice === 'changed';
  return 'id' in value && typeof value.id === 'number' && ('result' in value || 'error' in value);
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export function createTraceClient(transport: Transport): TraceClient {
  const pending = new Map<number, Pending>();
  const listeners = new Set<(trace: string) => void>();
  let lastId = 0;

  transport.onReply((reply) => {
    if ('notice' in reply) for (const listener of listeners) listener(reply.trace);
    else settle(pending, reply);
  });

  return {
    ask: <M extends TraceMethod>(method: M, parameters: ParamsOf<M>) =>
      new Promise<ResultOf<M>>((resolve, reject) => {
        const id = ++lastId;
        // The server returns the type that the protocol defines for the method.
        pending.set(id, { resolve: (result) => resolve(result as ResultOf<M>), reject });
        transport.send({ id, request: { method, ...parameters } as unknown as TraceRequest });
      }),
    onChanged: (listener) => {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    },
  };
}

function settle(pending: Map<number, Pending>, reply: Exclude<TraceReply, { notice: unknown }>): void {
  const request = pending.get(reply.id);
  pending.delete(reply.id);
  if ('error' in reply) request?.reject(new CodedError(reply.error));
  else request?.resolve(reply.result);
}

export interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

export function editorTransport(editor: EditorApi, page: Window): Transport {
  return {
    send: (call) => editor.postMessage(call),
    onReply: (listener) =>
      page.addEventListener('message', (event: MessageEvent<unknown>) => {
        if (isTraceReply(event.data)) listener(event.data);
      }),
  };
}

/** Calls `go` when the editor sends a location as parameters of an address. */
export function onNavigate(page: Window, go: (route: URLSearchParams) => void): void {
  page.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (isGoMessage(data)) go(new URLSearchParams(data.go));
  });
}

/** Calls `tell` when the editor says whether a debugger holds the run. */
export function onHeld(page: Window, tell: (held: boolean) => void): void {
  page.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (isHeldMessage(data)) tell(data.held);
  });
}

function isHeldMessage(data: unknown): data is HeldMessage {
  return typeof data === 'object' && data !== null && 'held' in data && typeof data.held === 'boolean';
}

function isGoMessage(data: unknown): data is GoMessage {
  return typeof data === 'object' && data !== null && 'go' in data && typeof data.go === 'string';
}
