import type { GpuSample } from '../../../protocol/host/gpuSamples.ts';
import type { Gpu } from '../../../protocol/host/hostRpc.ts';
import { finalStates, type Checkpoint, type RunEvent } from '../../../protocol/host/runs.ts';
import type { ShownRun } from '../../../protocol/trainingRunRpc.ts';
import { MetricSeries } from './metricSeries.ts';

export interface ShownAlarm {
  readonly seq: number;
  readonly alarm: string;
  readonly text: string;
  readonly at: number;
  /** The newest when it was raised; null: before the first. */
  readonly step: number | null;
}

/** All that the page knows of one run. Times are milliseconds since the epoch by the host's clock. */
export class RunData {
  shown: ShownRun;
  readonly metrics = new Map<string, MetricSeries>();
  /** When each step ended. */
  readonly stepTimes = new MetricSeries();
  readonly alarms: ShownAlarm[] = [];
  notice: { readonly at: number; readonly text: string } | undefined;
  phase: { readonly at: number; readonly phase: string } | undefined;
  /** Why nothing more is heard of it; null: it is. */
  unheard: string | null = null;
  checkpoints: readonly Checkpoint[] = [];
  /** Checkpoints that were told of, whether or not they are listed. */
  readonly checkpointTimes = new MetricSeries();
  gpus: readonly Gpu[] = [];
  /** Means of its GPUs, in per cent, by seconds since it was started. */
  readonly gpuLoad = new MetricSeries();
  readonly gpuMemory = new MetricSeries();
  /** What the host's clock is ahead of this one. */
  clockAhead = 0;
  #seq = 0;

  constructor(shown: ShownRun) {
    this.shown = shown;
  }

  get id(): string {
    return this.shown.record.id;
  }

  get name(): string {
    return this.shown.record.name;
  }

  get isOver(): boolean {
    return finalStates.includes(this.shown.record.state);
  }

  /** The newest of which anything is known. */
  get step(): number | null {
    const last = this.stepTimes.last;
    const { step } = this.shown.record;
    return last === undefined ? step : Math.max(last.at, step ?? last.at);
  }

  take(event: RunEvent): void {
    if (event.seq <= this.#seq) return;
    this.#seq = event.seq;
    switch (event.type) {
      case 'metrics':
        this.#takeMetrics(event.step, event.values, event.at);
        break;
      case 'phase':
        this.phase = { at: event.at, phase: event.phase };
        break;
      case 'checkpoint':
        this.checkpointTimes.set(event.step, event.at);
        break;
      case 'alarm': {
        const { seq, alarm, text, at } = event;
        this.alarms.push({ seq, alarm, text, at, step: this.stepTimes.last?.at ?? null });
        break;
      }
      case 'notice':
        this.notice = { at: event.at, text: event.text };
        break;
      case 'state':
      case 'log':
        break; // the record tells the state; lines of the log are shown elsewhere
    }
  }

  takeGpus(at: number, gpus: readonly Gpu[], now: number): void {
    const { id, devices } = this.shown.record;
    this.clockAhead = at - now;
    this.gpus = gpus.filter(({ run, index }) => run === id || (run === null && devices.includes(index)));
    this.#takeLoad(at, [...this.gpus]);
  }

  /** What its host has noted; what the page was told while it was open stays beside it. */
  takeGpuHistory(samples: readonly GpuSample[]): void {
    for (const { at, gpus } of samples) this.#takeLoad(at, gpus);
  }

  #takeLoad(at: number, gpus: GpuSample['gpus']): void {
    const { startedAt, createdAt } = this.shown.record;
    const seconds = (at - (startedAt ?? createdAt)) / 1000;
    const load = mean(gpus.map((gpu) => gpu.load));
    const memory = mean(
      gpus.map((gpu) => (gpu.used === null || !gpu.memory ? null : (100 * gpu.used) / gpu.memory)),
    );
    if (load !== undefined) this.gpuLoad.set(seconds, load);
    if (memory !== undefined) this.gpuMemory.set(seconds, memory);
  }

  /** Seconds since it was started at which a step ended; undefined: that is not known. */
  secondsAt(step: number): number | undefined {
    const { startedAt, createdAt } = this.shown.record;
    const at = this.stepTimes.valueAt(step);
    return at === undefined ? undefined : (at - (startedAt ?? createdAt)) / 1000;
  }

  #takeMetrics(step: number, values: Readonly<Record<string, number>>, at: number): void {
    for (const name in values) {
      let series = this.metrics.get(name);
      if (series === undefined) this.metrics.set(name, (series = new MetricSeries()));
      series.set(step, values[name] ?? NaN);
    }
    this.stepTimes.set(step, at);
  }
}

function mean(values: readonly (number | null)[]): number | undefined {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}
