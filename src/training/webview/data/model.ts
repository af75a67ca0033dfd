import { Emitter } from '../../../base/core/event.ts';
import type { HostState, RunRef, RunPageMessage } from '../../core/page/trainingRunRpc.ts';
import { RunData } from './runData.ts';

/** The data of the page. It only stores messages, because many can arrive before the page is drawn. */
export class RunPageModel {
  /** Undefined until the editor sends them. */
  runs: readonly RunData[] | undefined;
  readonly connections = new Map<string, HostState>();
  /** Runs to show as soon as their hosts report them. */
  #awaited: readonly RunRef[] = [];
  /** The host that no longer has the page's own run. The data of the run is kept. */
  goneFrom: string | undefined;
  readonly #changed = new Emitter<undefined>();
  readonly onChanged = this.#changed.event;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The runs to compare with, whether or not their data has arrived. Undefined until the editor sends the runs. */
  get compared(): readonly RunRef[] | undefined {
    const compared = this.runs?.slice(1).map(({ id, shown }) => ({ host: shown.host, run: id }));
    return compared && [...compared, ...this.#awaited];
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
      case 'rewound':
        this.runs = this.runs?.map((run) => (run.id === message.run ? new RunData(run.shown) : run));
        break;
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
