import { Emitter } from '../../../base/core/event.ts';
import type { HostState, RunRef, RunPageMessage } from '../../core/page/trainingRunRpc.ts';
import type { Window } from './chartPoints.ts';
import { RunData } from './runData.ts';

/** What the page knows. Nothing is computed here: many messages can come before anything is drawn. */
export class RunPageModel {
  /** Undefined: the editor has not told yet. */
  runs: readonly RunData[] | undefined;
  readonly connections = new Map<string, HostState>();
  /** To be shown as soon as their hosts tell of them. */
  #awaited: readonly RunRef[] = [];
  /** The host that no longer has the run which the page is for. What is known of it stays. */
  goneFrom: string | undefined;
  readonly #changed = new Emitter<undefined>();
  readonly onChanged = this.#changed.event;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What is, or is to be, shown beside the page's own run; undefined: the editor has not told yet. */
  get compared(): readonly RunRef[] | undefined {
    const beside = this.runs?.slice(1).map(({ id, shown }) => ({ host: shown.host, run: id }));
    return beside && [...beside, ...this.#awaited];
  }

  take(message: RunPageMessage): void {
    switch (message.type) {
      case 'runs': {
        const known = new Map(this.runs?.map((run) => [run.id, run]));
        this.runs = message.runs.map((shown) => {
          const run = known.get(shown.record.id) ?? new RunData(shown);
          run.shown = shown;
          return run;
        });
        this.#awaited = message.awaited ?? [];
        this.goneFrom = undefined;
        break;
      }
      case 'events': {
        const run = this.#run(message.run);
        for (const event of message.events) run?.take(event);
        break;
      }
      case 'checkpoints': {
        const run = this.#run(message.run);
        if (run) run.checkpoints = message.checkpoints;
        break;
      }
      case 'gpus':
        this.#run(message.run)?.takeGpus(message.at, message.gpus, this.#now());
        break;
      case 'gpuHistory':
        this.#run(message.run)?.takeGpuHistory(message.samples);
        break;
      case 'unheard': {
        const run = this.#run(message.run);
        if (run) run.unheard = message.problem;
        break;
      }
      case 'gone':
        this.goneFrom = message.host;
        break;
      case 'connection':
        this.connections.set(message.host, message.state);
        break;
    }
    this.#changed.fire(undefined);
  }

  #run(id: string): RunData | undefined {
    return this.runs?.find((run) => run.id === id);
  }
}

/** From the first step of any run to the last; one step is a window, too. */
export function allSteps(runs: readonly RunData[]): Window {
  const ends = runs.flatMap(({ stepTimes }) => (stepTimes.length === 0 ? [] : [stepTimes]));
  if (ends.length === 0) return { min: 0, max: 1 };
  const min = Math.min(...ends.map((times) => times.at(0)));
  const max = Math.max(...ends.map((times) => times.last?.at ?? 0));
  return min < max ? { min, max } : { min: min - 1, max: max + 1 };
}

/** The same of the seconds that their GPUs are known for. */
export function allSeconds(runs: readonly RunData[]): Window {
  const ends = runs
    .flatMap(({ gpuLoad, gpuMemory }) => [gpuLoad, gpuMemory])
    .filter(({ length }) => length > 0);
  if (ends.length === 0) return { min: 0, max: 1 };
  const min = Math.min(...ends.map((series) => series.at(0)));
  const max = Math.max(...ends.map((series) => series.last?.at ?? 0));
  return min < max ? { min, max } : { min: min - 1, max: max + 1 };
}
