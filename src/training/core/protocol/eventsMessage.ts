/** The `run.events` messages of a host. */
import type { HostNotices } from './hostRpc.ts';
import type { RunEvent } from './runs.ts';

/**
 * Returns a message as UTF-8.
 *
 * @param run never needs quoting: see `runId`
 * @param events the JSON of each event
 */
export function eventsMessage(run: string, events: readonly string[]): Uint8Array {
  const params = `{"run":"${run}","events":[${events.join(',')}]}`;
  return new TextEncoder().encode(`{"jsonrpc":"2.0","method":"run.events","params":${params}}`);
}

/** Returns the events of a message. */
export function eventsIn(message: string): readonly RunEvent[] {
  const { params } = JSON.parse(message) as { readonly params: HostNotices['run.events'] };
  return params.events;
}
