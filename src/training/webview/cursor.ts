import { Emitter } from '../../base/core/event.ts';
import type { RunData } from './data/runData.ts';

/** A point in all charts at once; each undefined where it is not known. */
export interface Point {
  readonly step: number | undefined;
  /** Of the page's own run since it was started. */
  readonly seconds: number | undefined;
}

/** Where the mouse or the keyboard points to. */
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

/** The step that was under way so many seconds after the start. */
function stepAt(run: RunData, seconds: number): number | undefined {
  const { stepTimes } = run;
  let low = 0;
  let high = stepTimes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((run.secondsAt(stepTimes.at(middle)) ?? 0) < seconds) low = middle + 1;
    else high = middle;
  }
  return low < stepTimes.length ? stepTimes.at(low) : undefined;
}

/** The step nearest to a place on the axis that any run has values of. */
export function nearestStep(runs: readonly RunData[], at: number): number | undefined {
  const steps = runs.flatMap(({ stepTimes }) => {
    const index = stepTimes.atOrBefore(at);
    return [stepTimes.at(index), stepTimes.at(index + 1)].filter((step) => !Number.isNaN(step));
  });
  return steps.sort((a, b) => Math.abs(a - at) - Math.abs(b - at))[0];
}

/** The step `by` steps further among those of all runs, at most the last and at least the first. */
export function adjacentStep(runs: readonly RunData[], from: number, by: number): number {
  let step = from;
  for (let moved = 0; moved < Math.abs(by); moved += 1) {
    const next = neighbour(runs, step, Math.sign(by));
    if (next === undefined) return step;
    step = next;
  }
  return step;
}

function neighbour(runs: readonly RunData[], step: number, direction: number): number | undefined {
  const beside = runs.flatMap(({ stepTimes }) => {
    const index = stepTimes.atOrBefore(step);
    const isHere = stepTimes.at(index) === step;
    const next = stepTimes.at(direction > 0 ? index + 1 : isHere ? index - 1 : index);
    return Number.isNaN(next) ? [] : [next];
  });
  if (beside.length === 0) return undefined;
  return direction > 0 ? Math.min(...beside) : Math.max(...beside);
}
