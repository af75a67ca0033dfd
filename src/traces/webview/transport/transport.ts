import type { TraceCall, TraceReply } from '../../core/protocol/traceRpc.ts';

/** Carries requests to a trace server and what comes back. */
export interface Transport {
  /** Never throws: a request that cannot be delivered is answered with an error. */
  send(call: TraceCall): void;
  /** Called once, before the first {@link send}. */
  onReply(listener: (reply: TraceReply) => void): void;
}

/** What arrives is the server's own, but a page is sent other messages too. */
export function isTraceReply(value: unknown): value is TraceReply {
  if (typeof value !== 'object' || value === null) return false;
  if ('notice' in value) return value.notice === 'changed';
  return 'id' in value && typeof value.id === 'number' && ('result' in value || 'error' in value);
}
