import type { Task } from '../../../../sdk/core/index.ts';

export type Embed = (text: string) => Promise<readonly number[]>;

/**
 * Keeps, one after another, the tasks whose `main_query` is not as similar to one kept before as the threshold says
 * (cosine, at or above). As upstream's filter, but that its nearest neighbour is searched for approximately, in a
 * store on disk: here exactly, in memory. What one call keeps the next one compares with.
 */
export class Deduplicator {
  readonly #embed: Embed;
  readonly #threshold: number;
  readonly #kept: Float64Array[] = [];

  constructor(embed: Embed, threshold: number) {
    this.#embed = embed;
    this.#threshold = threshold;
  }

  async keep(tasks: readonly Task[]): Promise<readonly Task[]> {
    const kept: Task[] = [];
    for (const task of tasks) {
      const vector = normalized(await this.#embed(task.main_query));
      if (this.#kept.some((other) => product(vector, other) >= this.#threshold)) continue;
      this.#kept.push(vector);
      kept.push(task);
    }
    return kept;
  }
}

/** Of length 1, so that the product of two is their cosine; what has no length stays as it is, similar to nothing. */
function normalized(values: readonly number[]): Float64Array {
  const vector = Float64Array.from(values);
  const length = Math.sqrt(product(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  // Two equal vectors may miss 1 by rounding, which a threshold of 1 would not forgive.
  return Math.abs(sum - 1) < 1e-12 ? 1 : sum;
}
