import type { Alarm, AlarmState } from './alarms.ts';

/** Milliseconds. */
const limits = {
  /** Without a sign before steps have shown how long they take, and while an evaluation goes on. */
  unknown: 60 * 60_000,
  /** Afterwards, at least, and as a multiple of the longest of the newest steps. */
  step: 15 * 60_000,
  stepTimes: 10,
  stepsKept: 10,
  /** Between two looks at most: whatever more a clock tells, the machine slept or was stopped for. */
  look: 30_000,
} as const;

interface Role {
  /** The newest that has ended. */
  step: number | null;
  /** Time since then; undefined: that was before it was watched. */
  since: number | undefined;
  lengths: readonly number[];
}

/**
 * Whether a run that goes on has come to a standstill. Time is what passed while it was watched: a clock that is set, a
 * machine that sleeps and a host that is started anew are no silence of the run's. Who takes a run over begins to watch,
 * and waits as before a first step until a whole step of each role has been seen.
 */
export class StallDetector {
  readonly #roles = new Map<string, Role>();
  #lookedAt: number | undefined;
  #signs = 0;
  #silence = 0;

  /** @param now monotonic, in milliseconds @returns the alarms to be raised */
  look(alarms: AlarmState, now: number): readonly Alarm[] {
    const isFirst = this.#lookedAt === undefined;
    const elapsed = Math.min(Math.max(0, now - (this.#lookedAt ?? now)), limits.look);
    this.#lookedAt = now;
    this.#silence = isFirst || alarms.signs !== this.#signs ? 0 : this.#silence + elapsed;
    this.#signs = alarms.signs;
    this.#learn(alarms.steps, isFirst ? undefined : elapsed);
    if (this.#silence <= this.#allowed(alarms.evaluates) || alarms.raised.includes('no-progress')) return [];
    const minutes = Math.round(this.#silence / 60_000);
    return [
      {
        alarm: 'no-progress',
        text: `Nothing has come of it for ${minutes} min; see what it prints, or cancel it.`,
      },
    ];
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
