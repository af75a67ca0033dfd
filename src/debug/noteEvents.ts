import type { EpisodeResult, RunEvent, RunPlaces } from '../protocol/run.ts';
import { withSelection } from '../protocol/selection.ts';
import { runNotes, type RunNote } from '../tracking/notes.ts';
import type { DapEvent } from './runReporter.ts';
import { inOrder, reportOf } from './runResults.ts';

type RunStarted = Extract<RunEvent, { type: 'run-started' }>;

/** An event of our own on top of the protocol's, for clients that show notes at the code; others ignore it. */
export const notesEvent = 'agentjet.runNotes';

/** Body of `agentjet.runNotes`: all that there are of a run that is over. Paths are absolute. */
export interface RunNotesBody {
  readonly notes: readonly RunNote[];
}

/** What a run's report has to say at the user's code and config. Nothing of runs that do not tell their places. */
export class NoteEvents {
  #started: RunStarted | undefined;
  #results: EpisodeResult[] = [];
  #places: RunPlaces | undefined;

  report(event: RunEvent): DapEvent[] {
    if (event.type === 'run-started') this.#started = event;
    else if (event.type === 'episode-ended') this.#results.push(event.result);
    else if (event.type === 'selection') this.#results = [...withSelection(this.#results, event.episodes)];
    else if (event.type === 'places') this.#places = event.places;
    else if (event.type === 'run-ended') return this.#notes();
    return [];
  }

  #notes(): DapEvent[] {
    if (this.#places === undefined) return [];
    const results = inOrder(this.#results);
    const notes = runNotes(reportOf(results, this.#started), results, this.#places);
    const body: RunNotesBody = { notes };
    return notes.length === 0 ? [] : [{ event: notesEvent, body }];
  }
}
