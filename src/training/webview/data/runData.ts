import { type GpuSample, finalStates, type RunEvent } from '../../core/protocol/runs.ts';
import type { Gpu } from '../../core/protocol/hostRpc.ts';
import type { PageCheckpoint, PageRun } from '../../core/page/trainingRunRpc.ts';
import { omit } from '../../../base/core/omit.ts';
import { MetricSeries } from './metricSeries.ts';

interface AlarmEntry extends Omit<Extract<RunEvent, { type: 'alarm' }>, 'type'> {
  /** The newest step when the alarm was raised; null before the first step. */
  readonly step: number | null;
  readonly stage: number;
}

/** The curves of a stage. The steps of each stage start with 1. */
interface StageCurves {
  readonly metrics: Map<string, MetricSeries>;
  /** The end times of steps. */
  readonly stepTimes: MetricSeries;
}

/** The data of one run. Times are milliseconds since the epoch, by the host's clock. */
export class RunData {
  shown: PageRun;
  /** The stages by number; 0 if the training has no stages, or none has started. */
  readonly #stages = new Map<number, StageCurves>();
  #newest = 0;
  /** The stage that charts show; undefined for the newest. */
  #chosen: number | undefined;
  readonly alarms: AlarmEntry[] = [];
  notice: { readonly at: number; readonly text: string } | undefined;
  phase: { readonly at: number; readonly phase: string } | undefined;
  /** The reason why no events arrive; null if they do. */
  unheard: string | null = null;
  checkpoints: readonly PageCheckpoint[] = [];
  /** Checkpoints from events, whether or not the host has listed them. */
  readonly written: { readonly step: number; readonly stage: number; readonly at: number }[] = [];
  gpus: readonly Gpu[] = [];
  /** Means of its GPUs in percent, by seconds since its start. */
  readonly gpuLoad = new MetricSeries();
  readonly gpuMemory = new MetricSeries();
  /** The host's clock minus this machine's clock, in milliseconds. */
  clockAhead = 0;
  #seq = 0;

  constructor(shown: PageRun) {
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

  get stages(): readonly { readonly number: number; readonly name: string }[] {
    return [...this.#stages.keys()]
      .filter((number) => number > 0)
      .sort((a, b) => a - b)
      .map((number) => ({ number, name: this.stageName(number) }));
  }

  /** The current or last stage; 0 if there is none. */
  get stage(): number {
    return Math.max(this.#newest, this.shown.record.stage ?? 0);
  }

  stageName(number: number): string {
    return this.shown.record.stages?.[number - 1]?.name ?? String(number);
  }

  /** Selects the stage that charts show. If there is no stage with this name, they show the newest. */
  chooseStage(name: string | null): void {
    this.#chosen = this.stages.find((one) => one.name === name)?.number;
  }

  get metrics(): ReadonlyMap<string, MetricSeries> {
    return this.#shown.metrics;
  }

  get stepTimes(): MetricSeries {
    return this.#shown.stepTimes;
  }

  get hasMetrics(): boolean {
    return [...this.#stages.values()].some(({ metrics }) => metrics.size > 0);
  }

  get ownStepTimes(): MetricSeries {
    return this.#stages.get(this.stage)?.stepTimes ?? noSteps;
  }

  /** The newest step of the current stage. */
  get step(): number | null {
    const last = this.ownStepTimes.last;
    const { step, stage = 0 } = this.shown.record;
    // The record can arrive after the first steps of a stage.
    const recorded = stage === this.stage ? step : null;
    return last === undefined ? recorded : Math.max(last.at, recorded ?? last.at);
  }

  get #shown(): StageCurves {
    return this.#stages.get(this.#chosen ?? this.#newest) ?? noCurves;
  }

  take(event: RunEvent): void {
    if (event.seq <= this.#seq) return;
    this.#seq = event.seq;
    switch (event.type) {
      case 'metrics':
        this.#takeMetrics(event);
        break;
      case 'phase':
        this.phase = { at: event.at, phase: event.phase };
        break;
      case 'checkpoint':
        this.written.push({ step: event.step, stage: event.stage ?? 0, at: event.at });
        break;
      case 'alarm':
        this.alarms.push({
          ...omit(event, 'type'),
          ...{ step: this.ownStepTimes.last?.at ?? null, stage: this.stage },
        });
        break;
      case 'notice':
        this.notice = { at: event.at, text: event.text };
        break;
      case 'state':
      case 'log':
        break; // the record has the state, and the page shows no log
    }
  }

  takeGpus(at: number, gpus: readonly Gpu[], now: number): void {
    const { id, devices } = this.shown.record;
    this.clockAhead = at - now;
    this.gpus = gpus.filter(({ run, index }) => run === id || (run === null && devices.includes(index)));
    this.#takeLoad(at, [...this.gpus]);
  }

  /** Adds the history from the host to the samples that arrived while the page was open. */
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

  /** Returns the end of a step in seconds since the start of the run; undefined if it is unknown. */
  secondsAt(step: number): number | undefined {
    const { startedAt, createdAt } = this.shown.record;
    const at = this.stepTimes.valueAt(step);
    return at === undefined ? undefined : (at - (startedAt ?? createdAt)) / 1000;
  }

  #takeMetrics({ step, values, at, stage = 0 }: Extract<RunEvent, { type: 'metrics' }>): void {
    let curves = this.#stages.get(stage);
    if (curves === undefined) {
      curves = { metrics: new Map(), stepTimes: new MetricSeries() };
      this.#stages.set(stage, curves);
      this.#newest = Math.max(this.#newest, stage);
    }
    for (const name in values) {
      let series = curves.metrics.get(name);
      if (series === undefined) curves.metrics.set(name, (series = new MetricSeries()));
      series.set(step, values[name] ?? NaN);
    }
    curves.stepTimes.set(step, at);
  }
}

const noSteps = new MetricSeries();
const noCurves: StageCurves = { metrics: new Map(), stepTimes: noSteps };

function mean(values: readonly (number | null)[]): number | undefined {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** The number of steps for the average duration. It evens out evaluations and checkpoints. */
const paceSteps = 20;

/** Returns the average duration of recent steps in seconds. Undefined until two steps have ended. */
function pace(run: RunData): number | undefined {
  const times = run.ownStepTimes;
  const last = times.length - 1;
  const first = Math.max(0, last - paceSteps);
  const steps = times.at(last) - times.at(first);
  return steps > 0 ? (times.value(last) - times.value(first)) / 1000 / steps : undefined;
}

/** Returns the seconds so far; null if it has not started. `now` is the time by this machine's clock. */
export function elapsedOf(run: RunData, now: number): number | null {
  const { startedAt, endedAt } = run.shown.record;
  if (startedAt === null) return null;
  return Math.max(0, ((endedAt ?? now + run.clockAhead) - startedAt) / 1000);
}

/** Estimates the seconds until the last step of the run, or of its current stage; null if that is unknown. */
export function remainingOf(run: RunData, now: number): number | null {
  const { totalSteps, state } = run.shown.record;
  const last = run.ownStepTimes.last;
  const seconds = pace(run);
  if (state !== 'running' || totalSteps === null || last === undefined || seconds === undefined) return null;
  const since = Math.max(0, (now + run.clockAhead - last.value) / 1000);
  return Math.max(0, (totalSteps - last.at) * seconds - Math.min(since, seconds));
}
