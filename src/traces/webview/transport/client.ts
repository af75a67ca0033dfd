import { CodedError } from '../../../base/core/errors.ts';
import type { ParamsOf, TraceMethod, TraceReply, TraceRequest } from '../../core/protocol/traceRpc.ts';
import type { ResultOf, TraceClient } from '../../core/methods.ts';
import type { Transport } from './transport.ts';

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Matches replies to requests by their ids. */
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
