/**
 * A row of spans at every zoom. Spans on one pixel are joined to one block. Blocks are computed on demand, once per
 * power of two of the resolution. So the cost of a frame depends on its pixels, not on the number of spans.
 */
import { countWhile } from '../../../../base/core/countWhile.ts';
import type { Range } from './range.ts';

/** Anything with a start and an end. An infinite end: it runs. */
type Span = Range & { readonly state?: string };

/** A span, or several that are joined. */
export interface Block<S extends Span> extends Range {
  readonly first: S;
  readonly count: number;
  /** Milliseconds of the spans, without the gaps between them. */
  readonly busy: number;
  readonly failed: boolean;
}

/** The finest resolution, about a microsecond. Shorter spans do not occur. */
const finest = -10;

export class RowMips<S extends Span> {
  /** The spans in order. They do not overlap. */
  readonly spans: readonly S[];
  readonly #levels = new Map<number, readonly Block<S>[]>();

  constructor(spans: readonly S[]) {
    this.spans = spans;
  }

  /** @param resolution milliseconds per pixel */
  at(resolution: number): readonly Block<S>[] {
    const level = Math.max(finest, Math.floor(Math.log2(resolution)));
    let blocks = this.#levels.get(level);
    if (blocks === undefined) {
      blocks = joined(this.spans, level === finest ? 0 : 2 ** level);
      this.#levels.set(level, blocks);
    }
    return blocks;
  }

  /** Returns the blocks that may reach into a range. */
  within({ start, end }: Range, resolution: number): readonly Block<S>[] {
    const blocks = this.at(resolution);
    return blocks.slice(Math.max(0, startedBy(blocks, start) - 1), startedBy(blocks, end));
  }
}

/** Returns the number of ordered ranges that have started at a time. */
export function startedBy(ranges: readonly Range[], time: number): number {
  return countWhile(ranges, ({ start }) => start <= time);
}

/** Joins spans that are shorter than a pixel and begin on the same one. */
function joined<S extends Span>(spans: readonly S[], pixel: number): readonly Block<S>[] {
  const blocks: { start: number; end: number; first: S; count: number; busy: number; failed: boolean }[] = [];
  let open = -1;
  for (const span of spans) {
    const { start, end, state } = span;
    const length = end - start;
    const isShort = length < pixel;
    const column = isShort ? Math.floor(start / pixel) : -1;
    const last = blocks.at(-1);
    if (isShort && last !== undefined && column === open) {
      last.end = Math.max(last.end, end);
      last.count += 1;
      last.busy += length;
      last.failed ||= state === 'failed';
    } else {
      blocks.push({ start, end, first: span, count: 1, busy: length, failed: state === 'failed' });
    }
    open = column;
  }
  return blocks;
}
