import type { RunEvent } from '../../backbone/core/protocol/run.ts';
import type { DapEvent } from './runReporter.ts';
import {
  traceEventNames,
  type RunStartedBody,
  type RunEndedBody,
  type RunProgressBody,
} from '../../traces/core/runEvents.ts';

/** Reports the path of the trace, the progress of the run, and the completion of the trace. */
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
