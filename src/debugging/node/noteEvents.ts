import type { RunEvent } from '../../backbone/core/protocol/run.ts';
import { locatedFindings, type LocatedFinding } from '../../tracking/core/locatedFindings.ts';
import type { RunProgress } from '../../backbone/node/client/runProgress.ts';
import type { DapEvent } from './runReporter.ts';
import { inOrder, reportOf } from '../../backbone/node/client/runResults.ts';

/** A custom event for clients that show notes in the code. Other clients ignore it. */
export const notesEvent = 'agentjet.runNotes';

/** The body of `agentjet.runNotes`: all notes of a finished run, with absolute paths. */
export interface RunNotesBody {
  readonly notes: readonly LocatedFinding[];
}

/** Sends the notes of a run for the code and config of the user. Runs without source locations send none. */
export function noteEvents(event: RunEvent, { places, results, started }: RunProgress): DapEvent[] {
  if (event.type !== 'run-ended' || places === undefined) return [];
  const sorted = inOrder(results);
  const notes = locatedFindings(reportOf(sorted, started), sorted, places);
  const body: RunNotesBody = { notes };
  return notes.length === 0 ? [] : [{ event: notesEvent, body }];
}
