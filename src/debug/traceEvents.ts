import type { RunEvent } from '../protocol/run.ts';
import type { DapEvent } from './runReporter.ts';

/** Events of our own on top of the protocol's, for clients that show traces; others ignore them. */
export const traceEventNames = { started: 'agentjet.runStarted', ended: 'agentjet.runEnded' } as const;

/** Body of `agentjet.runStarted`. Paths are absolute. */
export interface RunStartedBody {
  readonly trace: string;
  readonly folder: string;
}

/** Body of `agentjet.runEnded`, which comes once the process is gone and the trace is complete. */
export interface RunEndedBody extends RunStartedBody {
  /** `cancelled`: the user stopped it, whether or not it could still say so; `died`: it went without a word. */
  readonly status: 'completed' | 'cancelled' | 'failed' | 'died';
}

/** Tells where a run's trace is, and when it is complete. Nothing of runs without one. */
export class TraceEvents {
  #run: RunStartedBody | undefined;
  #status: RunEndedBody['status'] = 'died';

  report(event: RunEvent): DapEvent[] {
    if (event.type === 'run-ended') this.#status = event.status;
    if (event.type !== 'run-started' || typeof event.trace !== 'string') return [];
    this.#run = { trace: event.trace, folder: event.folder };
    return [{ event: traceEventNames.started, body: this.#run }];
  }

  processEnded({ stopped }: { readonly stopped: boolean }): DapEvent[] {
    if (this.#run === undefined) return [];
    const body: RunEndedBody = { ...this.#run, status: stopped ? 'cancelled' : this.#status };
    return [{ event: traceEventNames.ended, body }];
  }
}
