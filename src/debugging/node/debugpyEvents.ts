import type { RunEvent } from '../../backbone/core/protocol/run.ts';
import type { DapEvent } from './runReporter.ts';

/** A custom event for clients that can install debugpy. Other clients ignore it. */
export const needsDebugpyEvent = 'agentjet.needsDebugpy';

/** The body of `agentjet.needsDebugpy`, with a sentence that names the interpreter without debugpy. */
export interface NeedsDebugpyBody {
  readonly message: string;
}

/** The error code that the worker reports. */
const noDebugpy = 'python/no-debugpy';

/** Sends the event when a run could not start because debugpy is missing. */
export function debugpyEvents(event: RunEvent): DapEvent[] {
  if (event.type !== 'run-ended' || event.error?.code !== noDebugpy) return [];
  const body: NeedsDebugpyBody = { message: event.error.message };
  return [{ event: needsDebugpyEvent, body }];
}
