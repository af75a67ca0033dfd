import {
  type EpisodeResult,
  type RunLocations,
  withSelection,
} from '../../../tracking/core/records/episodeResult.ts';
import type { RunEvent } from '../../core/protocol/run.ts';

export type RunStarted = Extract<RunEvent, { type: 'run-started' }>;
export type RunEnded = Extract<RunEvent, { type: 'run-ended' }>;

/** The state of a run after its events, from which run clients build their output. */
export class RunProgress {
  #started: RunStarted | undefined;
  #ended: RunEnded | undefined;
  #places: RunLocations | undefined;
  #results: EpisodeResult[] = [];

  get started(): RunStarted | undefined {
    return this.#started;
  }

  get ended(): RunEnded | undefined {
    return this.#ended;
  }

  /** The locations in the user's files for findings; undefined if the run did not report them. */
  get places(): RunLocations | undefined {
    return this.#places;
  }

  /** The results in the order in which the episodes ended. */
  get results(): readonly EpisodeResult[] {
    return this.#results;
  }

  /** Takes an event. Call it before the event is shown. */
  take(event: RunEvent): void {
    if (event.type === 'run-started') this.#started = event;
    else if (event.type === 'episode-ended') this.add(event.result);
    else if (event.type === 'selection') this.#results = [...withSelection(this.#results, event.episodes)];
    else if (event.type === 'places') this.#places = event.places;
    else if (event.type === 'run-ended') this.#ended = event;
  }

  /** Adds the result of an episode that could not report it. */
  add(result: EpisodeResult): void {
    this.#results.push(result);
  }
}
