import { commonPrefixLength } from '../../base/core/commonPrefix.ts';

/** A difference of two lists: `left` of one list replaces `right` of the other. Either may be empty. */
export interface Hunk {
  readonly left: Range;
  readonly right: Range;
}

/** `end` excluded. */
export interface Range {
  readonly from: number;
  readonly end: number;
}

export interface Alignment {
  /** The hunks in order. Outside of them both lists are equal. */
  readonly hunks: readonly Hunk[];
  /** True if the lists differ too much for a minimal difference, so some hunks are larger than needed. */
  readonly coarse: boolean;
  readonly steps: number;
}

/** The work limit of an alignment. Beyond it, a part that differs becomes one hunk. */
export interface AlignLimits {
  /** The maximum number of insertions and deletions in one part. */
  readonly edits: number;
  /** The maximum number of comparisons in total. */
  readonly steps: number;
}

export const alignLimits: AlignLimits = { edits: 4_096, steps: 40_000_000 };

/** Aligns two lists with the smallest set of insertions and deletions (Myers 1986, in linear space). */
export function align(left: Int32Array, right: Int32Array, limits: AlignLimits = alignLimits): Alignment {
  const aligner = new Aligner(left, right, limits);
  aligner.align({ from: 0, end: left.length }, { from: 0, end: right.length });
  return { hunks: aligner.hunks, coarse: aligner.coarse, steps: aligner.steps };
}

/** A run of equal entries, possibly empty, in the middle of a shortest path through a part. */
interface Snake {
  readonly left: number;
  readonly right: number;
  readonly leftEnd: number;
  readonly rightEnd: number;
}

class Aligner {
  readonly hunks: Hunk[] = [];
  coarse = false;
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  readonly #edits: number;
  steps = 0;
  readonly #most: number;
  /** The furthest positions from the start and from the end, by diagonal. */
  readonly #ahead: Int32Array;
  readonly #back: Int32Array;
  readonly #centre: number;

  constructor(left: Int32Array, right: Int32Array, { edits, steps }: AlignLimits) {
    this.#left = left;
    this.#right = right;
    this.#edits = edits;
    this.#most = steps;
    this.#centre = Math.min(edits, Math.ceil((left.length + right.length) / 2)) + 2;
    this.#ahead = new Int32Array(2 * this.#centre + 1);
    this.#back = new Int32Array(2 * this.#centre + 1);
  }

  /** Uses a list of parts instead of recursion, which could be as deep as the lists are long. */
  align(left: Range, right: Range): void {
    const parts: Hunk[] = [{ left, right }];
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      const rest = this.#trimmed(part);
      const size = { left: rest.left.end - rest.left.from, right: rest.right.end - rest.right.from };
      if (size.left === 0 || size.right === 0) {
        if (size.left + size.right > 0) this.#add(rest);
        continue;
      }
      const snake = this.#middle(rest, size.left, size.right);
      if (snake === undefined) {
        this.coarse = true;
        this.#add(rest);
        continue;
      }
      parts.push({
        left: { from: snake.leftEnd, end: rest.left.end },
        right: { from: snake.rightEnd, end: rest.right.end },
      });
      parts.push({
        left: { from: rest.left.from, end: snake.left },
        right: { from: rest.right.from, end: snake.right },
      });
    }
  }

  #trimmed({ left, right }: Hunk): Hunk {
    const start = commonPrefixLength(
      this.#left.subarray(left.from, left.end),
      this.#right.subarray(right.from, right.end),
    );
    let [leftEnd, rightEnd] = [left.end, right.end];
    while (
      leftEnd > left.from + start &&
      rightEnd > right.from + start &&
      this.#left[leftEnd - 1] === this.#right[rightEnd - 1]
    ) {
      leftEnd -= 1;
      rightEnd -= 1;
    }
    return {
      left: { from: left.from + start, end: leftEnd },
      right: { from: right.from + start, end: rightEnd },
    };
  }

  /** Adds a hunk. Adjacent hunks become one. */
  #add(hunk: Hunk): void {
    const last = this.hunks.at(-1);
    if (last?.left.end !== hunk.left.from || last.right.end !== hunk.right.from) {
      this.hunks.push(hunk);
      return;
    }
    this.hunks[this.hunks.length - 1] = {
      left: { from: last.left.from, end: hunk.left.end },
      right: { from: last.right.from, end: hunk.right.end },
    };
  }

  /** Returns the middle snake; undefined if the limits are reached. */
  #middle({ left, right }: Hunk, width: number, height: number): Snake | undefined {
    const part = { left: left.from, right: right.from, width, height };
    const most = Math.min(this.#edits, Math.ceil((width + height) / 2));
    this.#ahead[this.#centre + 1] = 0;
    this.#back[this.#centre + 1] = 0;
    for (let edits = 0; edits <= most; edits++) {
      const found = this.#extend(part, edits, true) ?? this.#extend(part, edits, false);
      if (found !== undefined) return found;
      if (this.steps > this.#most) return undefined;
    }
    return undefined;
  }

  /** Extends the paths from one end by one edit. Returns the snake where one meets a path from the other end. */
  #extend(part: Part, edits: number, isForward: boolean): Snake | undefined {
    const { left, right, width, height } = part;
    const delta = width - height;
    const [paths, others] = isForward ? [this.#ahead, this.#back] : [this.#back, this.#ahead];
    const mayMeet = (delta % 2 !== 0) === isForward;
    const isSame = (x: number, y: number): boolean =>
      y >= 0 &&
      (isForward
        ? this.#left[left + x] === this.#right[right + y]
        : this.#left[left + width - 1 - x] === this.#right[right + height - 1 - y]);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const start = this.#start(paths, diagonal, edits);
      let x = start;
      while (x < width && x - diagonal < height && isSame(x, x - diagonal)) x += 1;
      this.steps += x - start + 1;
      paths[this.#centre + diagonal] = x;
      const opposite = delta - diagonal;
      if (!mayMeet || Math.abs(opposite) > (isForward ? edits - 1 : edits)) continue;
      if (x + (others[this.#centre + opposite] ?? 0) < width) continue;
      const [from, to] = isForward ? [start, x] : [width - x, width - start];
      const offset = right - left - (isForward ? diagonal : delta - diagonal);
      return {
        ...{ left: left + from, right: left + from + offset },
        ...{ leftEnd: left + to, rightEnd: left + to + offset },
      };
    }
    return undefined;
  }

  /** Returns where a path with one more edit starts on a diagonal. */
  #start(ways: Int32Array, diagonal: number, edits: number): number {
    const below = ways[this.#centre + diagonal - 1] ?? 0;
    const above = ways[this.#centre + diagonal + 1] ?? 0;
    return diagonal === -edits || (diagonal !== edits && below < above) ? above : below + 1;
  }
}

interface Part {
  readonly left: number;
  readonly right: number;
  readonly width: number;
  readonly height: number;
}
