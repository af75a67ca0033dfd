/** `run.events` as a host makes it: the bytes of events as they lie in their file, with a frame around them. */
import type { HostNotices } from './hostRpc.ts';
import type { RunEvent } from './runs.ts';

/** What stands before and behind the JSON of events, with commas between, of one run. */
export interface EventsFrame {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** @param run needs no quoting: see `runId` */
export function eventsFrame(run: string): EventsFrame {
  return {
    before: new TextEncoder().encode(
      `{"jsonrpc":"2.0","method":"run.events","params":{"run":"${run}","events":[`,
    ),
    after: new TextEncoder().encode(']}}'),
  };
}

/** The events in a message that was made here. */
export function eventsIn(message: string): readonly RunEvent[] {
  const { params } = JSON.parse(message) as { readonly params: HostNotices['run.events'] };
  return params.events;
}
