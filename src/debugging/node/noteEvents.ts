import type { RunEvent } from '../../backbone/core/protocol/run.ts';
import { locatedFindings, type LocatedFinding } from '../../tracking/core/locatedFindings.ts';
import type { RunProgress } from '../../backbone/node/client/runProgress.ts';
import type { DapEvent } from './runReporter.ts';
import { inOrder, reportOf } from '../../backbone/node/client/runResults.ts';

/** An event of our own on top of the protocol's, for clients that show notes at the code; others ignore it. */
export const notesEvent = 'agentjet.runNotes';

/** Body of `agentjet.runNotes`: all that there are of a run that is over. Paths are absolute. */
export interface RunNotesBody {
  readonly notes: readonly LocatedFinding[];
}

/** What a run's report has to say at the user's code and config. Nothing of runs that do not tell their places. */
export function noteEvents(event: RunEvent, { places, results, started }: RunProgress): DapEvent[] {
  if (event.type !== 'run-ended' || places === undefined) return [];
  const sorted = inOrder(results);
  const notes = locatedFindings(reportOf(sorted, started), sorted, places);
  const body: RunNotesBody = { notes };
  return notes.length === 0 ? [] : [{ event: notesEvent, body }];
}
