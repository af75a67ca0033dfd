import type { ImportSink } from './parts.ts';

/** A logged episode, as needed to detect validations. */
export interface LoggedEpisode {
  readonly name: string;
  readonly task: string;
  /** Hash of the task and its tokens. */
  readonly hash: number;
}

/**
 * Finds the episodes of validations in a log: with verl each is logged twice with the same tokens, first without a step, as
 * all of the validation are, and then as of the step that was trained last, as if training had it. Before the first step
 * neither copy has one. With Trinity no episode has a step, and none is logged twice.
 */
export class Validations {
  readonly #sink: ImportSink;
  /** Those without a step since the last that had one. */
  #block: LoggedEpisode[] = [];
  /** Those of the block that no other copy is known of, by hash: a validation may run a task more than once. */
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

  /** The episode of which the record is the second copy; undefined: training has it. */
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

  /** All of the validation before the first step stand there once more, in the same order. */
  #untrained(step: number): void {
    const half = this.#block.length / 2;
    for (const { name, task } of this.#block.slice(0, half)) {
      this.#sink.add(name, { kind: 'facts', group: validationGroup(step, task) });
    }
    for (const { name } of this.#block.slice(half)) this.#sink.drop(name);
  }
}

/** Never one of training, whose groups begin with a number. */
export function validationGroup(step: number, task: string): string {
  return `val ${step}/${task}`;
}
