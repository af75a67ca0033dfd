import { packHeaderBytes, packLimits } from '../../../core/protocol/sync.ts';
import type { ByteSource } from '../../../core/contracts.ts';
import { packHeader } from '../../../core/sync/pack.ts';
import { inMemory } from '../../filePieces.ts';

/** The size of a full pack in bytes, and in contents. */
const fullBytes = 4 * 1024 * 1024;
const fullContents = 1_000;

interface PackEntry {
  readonly sha256: string;
  readonly from: number;
  readonly to: number;
}

/** A reusable pack. Allocating memory for each pack would cost more than filling it. */
export class OutgoingPack {
  readonly #memory = Buffer.allocUnsafe(fullBytes + packHeaderBytes + packLimits.content);
  #entries: PackEntry[] = [];
  #length = 0;

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  get isFull(): boolean {
    return this.#length >= fullBytes || this.#entries.length >= fullContents;
  }

  get contents(): string[] {
    return this.#entries.map(({ sha256 }) => sha256);
  }

  get room(): Uint8Array {
    const from = this.#length + packHeaderBytes;
    return this.#memory.subarray(from, from + packLimits.content);
  }

  /** Adds the first bytes of {@link room} as a content. */
  add(sha256: string, bytes: number): void {
    const from = this.#length;
    this.#memory.set(packHeader(sha256, bytes), from);
    this.#length = from + packHeaderBytes + bytes;
    this.#entries.push({ sha256, from, to: this.#length });
  }

  /** Removes all other contents. Returns the number of bytes removed. */
  keepOnly(lacking: ReadonlySet<string>): number {
    const before = this.#length;
    this.#length = 0;
    this.#entries = this.#entries.flatMap(({ sha256, from, to }) => {
      if (!lacking.has(sha256)) return [];
      const moved = { sha256, from: this.#length, to: this.#length + to - from };
      if (moved.from !== from) this.#memory.copyWithin(moved.from, from, to);
      this.#length = moved.to;
      return [moved];
    });
    return before - this.#length;
  }

  clear(): void {
    this.#entries = [];
    this.#length = 0;
  }

  get source(): ByteSource {
    return inMemory(this.#memory.subarray(0, this.#length));
  }
}
