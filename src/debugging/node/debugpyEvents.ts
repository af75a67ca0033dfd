import type { RunEvent } from '../../backbone/core/protocol/run.ts';
import type { DapEvent } from './runReporter.ts';

/** An event of our own on top of the protocol's, for clients that can bring debugpy; others ignore it. */
export const needsDebugpyEvent = 'agentjet.needsDebugpy';

/** Body of `agentjet.needsDebugpy`: whose it lacks, in a sentence. */
export interface NeedsDebugpyBody {
  readonly message: string;
}

/** The code of the worker's refusal. */
const noDebugpy = 'python/no-debugpy';

/** Tells when a run could not begin for want of debugpy. */
export function debugpyEvents(event: RunEvent): DapEvent[] {
  if (event.type !== 'run-ended' || event.error?.code !== noDebugpy) return [];
  const body: NeedsDebugpyBody = { message: event.error.message };
  return [{ event: needsDebugpyEvent, body }];
}
