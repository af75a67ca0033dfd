/**
 * A row of spans at every zoom. Spans on one pixel are joined to one block. Blocks are computed on demand, once per
 * power of two of the resolution. So the cost of a frame depends on its pixels, not on the number of spans.
 */

/** Parallel arrays, one entry per span, in order. Spans do not overlap. */
export interface RowColumns {
  readonly starts: Float64Array;
  /** Infinity: the span runs. */
  readonly ends: Float64Array;
  readonly ids: Int32Array;
  readonly failed: Uint8Array;
}

/** Parallel arrays, one entry per block. */
export interface Blocks {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** Index of its first span in the row. */
  readonly firsts: Int32Array;
  /** Number of spans of the block. */
  readonly counts: Int32Array;
  /** Milliseconds of the spans, without the gaps between them. */
  readonly busy: Float64Array;
  /** 1 if a span of the block failed. */
  readonly failed: Uint8Array;
}

/** The finest resolution, about a microsecond. Shorter spans do not occur. */
const finest = -10;

export class RowMips {
  readonly columns: RowColumns;
  readonly #levels = new Map<number, Blocks>();

  constructor(columns: RowColumns) {
    this.columns = columns;
  }

  /** @param resolution milliseconds per pixel */
  at(resolution: number): Blocks {
    const level = Math.max(finest, Math.floor(Math.log2(resolution)));
    let blocks = this.#levels.get(level);
    if (blocks === undefined) {
      blocks = joined(this.columns, level === finest ? 0 : 2 ** level);
      this.#levels.set(level, blocks);
    }
    return blocks;
  }
}

/** Joins spans that are shorter than a pixel and begin on the same one. */
function joined({ starts, ends, failed }: RowColumns, pixel: number): Blocks {
  const made: {
    start: number;
    end: number;
    first: number;
    count: number;
    busy: number;
    failed: number;
  }[] = [];
  let open = -1;
  for (let index = 0; index < starts.length; index++) {
    const [start = 0, end = 0, fails = 0] = [starts[index], ends[index], failed[index]];
    const isShort = end - start < pixel;
    const route = isShort ? Math.floor(start / pixel) : -1;
    const last = made.at(-1);
    if (isShort && last !== undefined && route === open) {
      last.end = Math.max(last.end, end);
      last.count += 1;
      last.busy += end - start;
      last.failed |= fails;
    } else {
      made.push({ start, end, first: index, count: 1, busy: end - start, failed: fails });
    }
    open = route;
  }
  return {
    starts: Float64Array.from(made, ({ start }) => start),
    ends: Float64Array.from(made, ({ end }) => end),
    firsts: Int32Array.from(made, ({ first }) => first),
    counts: Int32Array.from(made, ({ count }) => count),
    busy: Float64Array.from(made, ({ busy }) => busy),
    failed: Uint8Array.from(made, (block) => block.failed),
  };
}
