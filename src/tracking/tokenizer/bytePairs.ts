/**
 * Byte-pair encoding over a table of ranked byte strings: of all neighbours whose joint bytes have a rank, those with
 * the lowest merge first, the leftmost of equals. A heap keeps a long run of one letter from taking quadratic time.
 */

/** Byte strings by rank; a rank is an id. */
export class RankTable {
  readonly size: number;
  /** Where each string starts in `#bytes`; one entry more than there are strings. */
  readonly #starts: Int32Array;
  readonly #bytes: Uint8Array;
  /** Open addressing; rank + 1, 0: free. */
  readonly #slots: Int32Array;
  readonly #mask: number;

  /** @param data their count (32 bits, little-endian), the length of each (8 bits), then the bytes of each, by rank */
  constructor(data: Uint8Array) {
    this.size = new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(0, true);
    const lengths = data.subarray(4, 4 + this.size);
    this.#bytes = data.subarray(4 + this.size);
    this.#starts = new Int32Array(this.size + 1);
    for (let rank = 0, end = 0; rank < this.size; rank++) {
      end += lengths[rank] ?? 0;
      this.#starts[rank + 1] = end;
    }
    if (this.#starts[this.size] !== this.#bytes.length)
      throw new RangeError('The table of ranks is cut off.');
    // Half full at most, so that probing stays short.
    const slots = 2 ** Math.ceil(Math.log2(Math.max(1, this.size) * 2));
    this.#slots = new Int32Array(slots);
    this.#mask = slots - 1;
    for (let rank = 0; rank < this.size; rank++) this.#insert(rank);
  }

  bytesOf(rank: number): Uint8Array | undefined {
    const start = this.#starts[rank];
    const end = this.#starts[rank + 1];
    return start === undefined || end === undefined ? undefined : this.#bytes.slice(start, end);
  }

  /** The rank of `bytes[start, end)`. */
  rankOf(bytes: Uint8Array, start: number, end: number): number | undefined {
    for (let at = hash(bytes, start, end) & this.#mask; ; at = (at + 1) & this.#mask) {
      const slot = this.#slots[at] ?? 0;
      if (slot === 0) return undefined;
      if (this.#equals(slot - 1, bytes, start, end)) return slot - 1;
    }
  }

  #insert(rank: number): void {
    let at = hash(this.#bytes, this.#starts[rank] ?? 0, this.#starts[rank + 1] ?? 0) & this.#mask;
    while (this.#slots[at] !== 0) at = (at + 1) & this.#mask;
    this.#slots[at] = rank + 1;
  }

  #equals(rank: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#starts[rank] ?? 0;
    if ((this.#starts[rank + 1] ?? 0) - from !== end - start) return false;
    for (let offset = 0; offset < end - start; offset++) {
      if (this.#bytes[from + offset] !== bytes[start + offset]) return false;
    }
    return true;
  }
}

/** FNV-1a, its low bits stirred once more because they choose the slot. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let at = start; at < end; at++) value = Math.imul(value ^ (bytes[at] ?? 0), 0x01000193);
  return (value ^ (value >>> 15)) >>> 0;
}

/** Appends the ids of a piece of text that nothing merges across. Every single byte must have a rank. */
export function encodePiece(piece: Uint8Array, table: RankTable, ids: number[]): void {
  const whole = table.rankOf(piece, 0, piece.length);
  if (whole !== undefined) ids.push(whole);
  else new Merging(piece, table).run(ids);
}

/** Heap entries are `rank * step + start`: comparing them compares ranks first and places second. */
const step = 2 ** 31;

class Merging {
  readonly #piece: Uint8Array;
  readonly #table: RankTable;
  readonly #heap = new Heap();
  /** By start of a part: where it ends, and where the part before it starts. */
  readonly #end: Int32Array;
  readonly #before: Int32Array;
  /** By start of a part: rank of it with the next one, -1: none. Heap entries that differ from it are stale. */
  readonly #joint: Int32Array;

  constructor(piece: Uint8Array, table: RankTable) {
    this.#piece = piece;
    this.#table = table;
    this.#end = Int32Array.from(piece, (_, at) => at + 1);
    this.#before = Int32Array.from(piece, (_, at) => at - 1);
    this.#joint = new Int32Array(piece.length).fill(-1);
    for (let at = 0; at + 1 < piece.length; at++) this.#consider(at);
  }

  run(ids: number[]): void {
    for (let entry = this.#heap.pop(); entry !== undefined; entry = this.#heap.pop()) {
      const start = entry % step;
      if (this.#joint[start] === (entry - start) / step) this.#merge(start);
    }
    for (let start = 0; start < this.#piece.length; start = this.#endOf(start)) {
      const rank = this.#table.rankOf(this.#piece, start, this.#endOf(start));
      if (rank === undefined) throw new RangeError('The table of ranks lacks a single byte.');
      ids.push(rank);
    }
  }

  #endOf(start: number): number {
    return this.#end[start] ?? this.#piece.length;
  }

  #merge(start: number): void {
    const second = this.#endOf(start);
    const end = this.#endOf(second);
    this.#end[start] = end;
    this.#joint[second] = -1;
    if (end < this.#piece.length) this.#before[end] = start;
    this.#consider(start);
    const before = this.#before[start] ?? -1;
    if (before >= 0) this.#consider(before);
  }

  #consider(start: number): void {
    const second = this.#endOf(start);
    const rank =
      second < this.#piece.length ? this.#table.rankOf(this.#piece, start, this.#endOf(second)) : undefined;
    this.#joint[start] = rank ?? -1;
    if (rank !== undefined) this.#heap.push(rank * step + start);
  }
}

/** The smallest number first. */
class Heap {
  readonly #items: number[] = [];

  push(item: number): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] ?? 0;
      if (above <= item) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): number | undefined {
    const [first] = this.#items;
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#sink(last);
    return first;
  }

  #sink(item: number): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const child = (items[right] ?? Infinity) < (items[left] ?? Infinity) ? right : left;
      const below = items[child];
      if (below === undefined || below >= item) break;
      items[at] = below;
      at = child;
    }
    items[at] = item;
  }
}
