import type { RunData } from './runData.ts';

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

/**
 * Returns the duration of a run so far in seconds; null if it has not started.
 *
 * @param now the time by this machine's clock
 */
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
