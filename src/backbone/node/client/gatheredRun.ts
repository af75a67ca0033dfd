import type { EpisodeResult, RunLocations } from '../../../tracking/core/records/episodeResult.ts';
import type { RunEvent } from '../../core/protocol/run.ts';
import { withSelection } from '../../../tracking/core/records/episodeResult.ts';

export type RunStarted = Extract<RunEvent, { type: 'run-started' }>;
export type RunEnded = Extract<RunEvent, { type: 'run-ended' }>;

/** What a run has told of itself and of its episodes so far; what a front end shows is made of it. */
export class GatheredRun {
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

  /** Undefined: it did not say where the user's files have what findings are about. */
  get places(): RunLocations | undefined {
    return this.#places;
  }

  /** In the order in which the episodes ended. */
  get results(): readonly EpisodeResult[] {
    return this.#results;
  }

  /** Before whoever shows the event. */
  take(event: RunEvent): void {
    if (event.type === 'run-started') this.#started = event;
    else if (event.type === 'episode-ended') this.add(event.result);
    else if (event.type === 'selection') this.#results = [...withSelection(this.#results, event.episodes)];
    else if (event.type === 'places') this.#places = event.places;
    else if (event.type === 'run-ended') this.#ended = event;
  }

  /** Of an episode that could not tell itself. */
  add(result: EpisodeResult): void {
    this.#results.push(result);
  }
}
