import type { RunData } from './runData.ts';

/** Steps over which the pace is taken: an evaluation or a checkpoint among them tells little. */
const paceSteps = 20;

/** Seconds that a step takes of late; undefined: fewer than two have ended. */
function pace(run: RunData): number | undefined {
  const times = run.ownStepTimes;
  const last = times.length - 1;
  const first = Math.max(0, last - paceSteps);
  const steps = times.at(last) - times.at(first);
  return steps > 0 ? (times.value(last) - times.value(first)) / 1000 / steps : undefined;
}

/** Seconds that it has taken so far, or took; null: it has not been started. @param now by this machine's clock */
export function elapsedOf(run: RunData, now: number): number | null {
  const { startedAt, endedAt } = run.shown.record;
  if (startedAt === null) return null;
  return Math.max(0, ((endedAt ?? now + run.clockAhead) - startedAt) / 1000);
}

/** Seconds until its last step, of a training in stages until that of its stage, at the pace of late; null: that cannot be told. */
export function remainingOf(run: RunData, now: number): number | null {
  const { totalSteps, state } = run.shown.record;
  const last = run.ownStepTimes.last;
  const seconds = pace(run);
  if (state !== 'running' || totalSteps === null || last === undefined || seconds === undefined) return null;
  const since = Math.max(0, (now + run.clockAhead - last.value) / 1000);
  return Math.max(0, (totalSteps - last.at) * seconds - Math.min(since, seconds));
}
