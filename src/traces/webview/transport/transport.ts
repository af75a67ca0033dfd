import type { TraceCall, TraceReply } from '../../core/protocol/traceRpc.ts';

/** Sends requests to a trace server and receives replies and notices. */
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
