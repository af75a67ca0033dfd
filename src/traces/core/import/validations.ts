import type { ImportSink } from './parts.ts';

export interface LoggedEpisode {
  readonly name: string;
  readonly task: string;
  /** Hash of the task and its tokens. */
  readonly hash: number;
}

/**
 * Detects validation episodes in a log. With verl, each is logged twice with the same tokens. The first copy has no
 * step, like all episodes of the validation. The second has the step that was trained last, like training episodes.
 * Before the first step neither copy has one. With Trinity no episode has a step, and none is logged twice.
 */
export class Validations {
  readonly #sink: ImportSink;
  /** Episodes without a step since the last one with a step. */
  #block: LoggedEpisode[] = [];
  /** Episodes of the block without a known copy, by hash. A validation may run a task more than once. */
  #single = new Map<number, string[]>();
  /** The step of the records after the block. */
  #step: number | undefined;

  constructor(sink: ImportSink) {
    this.#sink = sink;
  }

  withoutStep(logged: LoggedEpisode): void {
    if (this.#step !== undefined) this.#begin();
    this.#block.push(logged);
    const alike = this.#single.get(logged.hash);
    if (alike === undefined) this.#single.set(logged.hash, [logged.name]);
    else alike.push(logged.name);
  }

  /** Returns the episode of which the record is the second copy; undefined: it is a training episode. */
  withStep(step: number, hash: number): string | undefined {
    const isNext = this.#step === undefined;
    if (!isNext && step !== this.#step) this.#begin();
    const found = this.#single.get(hash)?.pop();
    if (isNext && found === undefined && this.#isTwice()) {
      this.#untrained(step - 1);
      this.#begin();
    }
    this.#step = step;
    return found;
  }

  #begin(): void {
    this.#block = [];
    this.#single = new Map();
    this.#step = undefined;
  }

  #isTwice(): boolean {
    const half = this.#block.length / 2;
    return (
      Number.isInteger(half) &&
      this.#block.slice(0, half).every(({ hash }, at) => hash === this.#block[at + half]?.hash)
    );
  }

  /** Handles the validation before the first step. The log repeats its episodes in the same order. */
  #untrained(step: number): void {
    const half = this.#block.length / 2;
    for (const { name, task } of this.#block.slice(0, half)) {
      this.#sink.add(name, [{ kind: 'facts', group: validationGroup(step, task) }]);
    }
    for (const { name } of this.#block.slice(half)) this.#sink.drop(name);
  }
}

/** Returns a name that differs from all training groups, whose names begin with a number. */
export function validationGroup(step: number, task: string): string {
  return `val ${step}/${task}`;
}
