import type { RunEvent } from '../protocol/run.ts';
import type { DapEvent } from './runReporter.ts';

/** Events of our own on top of the protocol's, for clients that show traces; others ignore them. */
export const traceEventNames = {
  started: 'agentjet.runStarted',
  progressed: 'agentjet.runProgress',
  ended: 'agentjet.runEnded',
} as const;

/** Body of `agentjet.runStarted`. Paths are absolute. */
export interface RunStartedBody {
  readonly trace: string;
  readonly folder: string;
  readonly experiment: string;
  /** How many it is to have. */
  readonly episodes: number;
}

/** Body of `agentjet.runProgress`, which comes when an episode has ended. */
export interface RunProgressBody {
  readonly trace: string;
  /** Episodes so far. */
  readonly ended: number;
  /** Of these. */
  readonly failed: number;
}

/** Body of `agentjet.runEnded`, which comes once the process is gone and the trace is complete. */
export interface RunEndedBody extends RunStartedBody {
  /** `cancelled`: the user stopped it, whether or not it could still say so; `died`: it went without a word. */
  readonly status: 'completed' | 'cancelled' | 'failed' | 'died';
}

/** Tells where a run's trace is, how far the run is, and when the trace is complete. Nothing of runs without one. */
export class TraceEvents {
  #run: RunStartedBody | undefined;
  #status: RunEndedBody['status'] = 'died';
  #ended = 0;
  #failed = 0;

  report(event: RunEvent): DapEvent[] {
    if (event.type === 'run-ended') this.#status = event.status;
    if (event.type === 'episode-ended') return this.#episodeEnded(event.result.error !== null);
    if (event.type !== 'run-started' || typeof event.trace !== 'string') return [];
    const { trace, folder, experiment, episodes } = event;
    this.#run = { trace, folder, experiment, episodes };
    return [{ event: traceEventNames.started, body: this.#run }];
  }

  #episodeEnded(failed: boolean): DapEvent[] {
    if (this.#run === undefined) return [];
    this.#ended += 1;
    if (failed) this.#failed += 1;
    const body: RunProgressBody = { trace: this.#run.trace, ended: this.#ended, failed: this.#failed };
    return [{ event: traceEventNames.progressed, body }];
  }

  processEnded({ stopped }: { readonly stopped: boolean }): DapEvent[] {
    if (this.#run === undefined) return [];
    const body: RunEndedBody = { ...this.#run, status: stopped ? 'cancelled' : this.#status };
    return [{ event: traceEventNames.ended, body }];
  }
}
