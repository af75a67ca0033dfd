import type { Alarm, AlarmState } from './alarms.ts';

/** Milliseconds. */
const limits = {
  /** The limit before the duration of steps is known, and during an evaluation. */
  unknown: 60 * 60_000,
  /** The later minimum, and the multiple of the longest recent step. */
  step: 15 * 60_000,
  stepTimes: 10,
  stepsKept: 10,
  /** The maximum time between two checks. The machine was asleep or stopped for any more. */
  look: 30_000,
} as const;

interface Role {
  /** The newest completed step. */
  step: number | null;
  /** The time since then; undefined if that was before the run was watched. */
  since: number | undefined;
  lengths: readonly number[];
}

/**
 * Detects that a run makes no progress. Only watched time counts, so clock changes, a sleeping machine and a
 * restarted host raise no alarm. After a restart, it waits as before a first step, until it has seen a whole step of
 * each role.
 */
export class StallDetector {
  readonly #roles = new Map<string, Role>();
  #lookedAt: number | undefined;
  #signs = 0;
  #silence = 0;

  /** Returns the alarms to raise. `now` is monotonic, in milliseconds. */
  look(alarms: AlarmState, now: number): readonly Alarm[] {
    const isFirst = this.#lookedAt === undefined;
    const elapsed = Math.min(Math.max(0, now - (this.#lookedAt ?? now)), limits.look);
    this.#lookedAt = now;
    this.#silence = isFirst || alarms.signs !== this.#signs ? 0 : this.#silence + elapsed;
    this.#signs = alarms.signs;
    this.#learn(alarms.steps, isFirst ? undefined : elapsed);
    if (this.#silence <= this.#allowed(alarms.evaluates) || alarms.raised.includes('no-progress')) return [];
    const minutes = Math.round(this.#silence / 60_000);
    const text = `No progress for ${minutes} min. Check its log, or cancel it.`;
    return [{ alarm: 'no-progress', text }];
  }

  /** @param elapsed since the last look; undefined: this is the first */
  #learn(steps: AlarmState['steps'], elapsed: number | undefined): void {
    for (const name of this.#roles.keys()) if (!(name in steps)) this.#roles.delete(name);
    for (const [name, step] of Object.entries(steps)) {
      const role = this.#roles.get(name);
      if (role === undefined) {
        const since = step === null || elapsed === undefined ? undefined : 0;
        this.#roles.set(name, { step, since, lengths: [] });
        continue;
      }
      if (role.since !== undefined) role.since += elapsed ?? 0;
      if (role.step === step) continue;
      if (role.since !== undefined) role.lengths = [...role.lengths, role.since].slice(-limits.stepsKept);
      role.step = step;
      role.since = 0;
    }
  }

  #allowed(evaluates: boolean): number {
    const roles = [...this.#roles.values()];
    const isKnown = roles.length > 0 && roles.every(({ lengths }) => lengths.length > 0);
    const longest = Math.max(0, ...roles.flatMap(({ lengths }) => lengths));
    return Math.max(isKnown && !evaluates ? limits.step : limits.unknown, longest * limits.stepTimes);
  }
}
