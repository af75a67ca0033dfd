/** Builds `run.events` messages of a host: a frame around the bytes of events in their file. */
import type { HostNotices } from './hostRpc.ts';
import type { RunEvent } from './runs.ts';

/** The bytes before and after the JSON of one run's events, which are separated by commas. */
export interface EventsFrame {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** @param run never needs quoting: see `runId` */
export function eventsFrame(run: string): EventsFrame {
  return {
    before: new TextEncoder().encode(
      `{"jsonrpc":"2.0","method":"run.events","params":{"run":"${run}","events":[`,
    ),
    after: new TextEncoder().encode(']}}'),
  };
}

/** Returns the events of such a message. */
export function eventsIn(message: string): readonly RunEvent[] {
  const { params } = JSON.parse(message) as { readonly params: HostNotices['run.events'] };
  return params.events;
}
