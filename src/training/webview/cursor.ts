import { countWhile } from '../../base/core/countWhile.ts';
import { Emitter } from '../../base/core/event.ts';
import { nearestIn } from './data/metricSeries.ts';
import type { RunData } from './data/runData.ts';

/** A position in all charts. Coordinates are undefined if they are unknown. */
export interface Point {
  readonly step: number | undefined;
  /** Seconds since the start of the page's own run. */
  readonly seconds: number | undefined;
}

export class Cursor {
  #point: Point | undefined;
  readonly #moved = new Emitter<Point | undefined>();
  readonly onMoved = this.#moved.event;

  get point(): Point | undefined {
    return this.#point;
  }

  toStep(step: number | undefined, own: RunData | undefined): void {
    this.#move(step === undefined ? undefined : { step, seconds: own?.secondsAt(step) });
  }

  toSeconds(seconds: number | undefined, own: RunData | undefined): void {
    this.#move(seconds === undefined ? undefined : { seconds, step: own && stepAt(own, seconds) });
  }

  #move(point: Point | undefined): void {
    if (point?.step === this.#point?.step && point?.seconds === this.#point?.seconds) return;
    this.#point = point;
    this.#moved.fire(point);
  }
}

/** Returns the step that was running at a time in seconds after the start. */
function stepAt(run: RunData, seconds: number): number | undefined {
  const steps = run.stepTimes.positions;
  return steps[countWhile(steps, (step) => (run.secondsAt(step) ?? 0) < seconds)];
}

export function nearestStep(runs: readonly RunData[], at: number): number | undefined {
  return nearestIn(
    runs.map(({ stepTimes }) => stepTimes),
    at,
  );
}

/** Returns the step that is `by` steps away, among the steps of all runs. Stops at the first and the last step. */
export function adjacentStep(runs: readonly RunData[], from: number, by: number): number {
  const all = new Set(runs.flatMap(({ stepTimes }) => stepTimes.positions));
  const steps = [...all].filter((step) => (by > 0 ? step > from : step < from)).sort((a, b) => a - b);
  return (by > 0 ? (steps[by - 1] ?? steps.at(-1)) : (steps.at(by) ?? steps[0])) ?? from;
}
