import type { Task } from '../../../../sdk/core/index.ts';

export type Embed = (text: string) => Promise<readonly number[]>;

/**
 * A filter for near duplicates, as in upstream. It keeps a task if the cosine similarity of its `main_query` to all kept
 * tasks is below the threshold. Later calls also compare with the tasks that earlier calls kept. The search for the nearest
 * neighbor is exact and in memory; upstream's is approximate, in a store on disk.
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

/** Returns the vector with length 1, so that the product of two is their cosine. A zero vector stays unchanged. */
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
