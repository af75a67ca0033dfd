import { Buffer } from 'node:buffer';
import type { EventBlock } from '../../../core/contracts.ts';
import { blockSize } from './eventIndex.ts';

/** Buffers that wait to be used again. */
const mostFree = 8;
/** About a block with its frame. */
const usual = blockSize + 32 * 1024;

/** What blocks are read into: with a new buffer for each, V8 would collect garbage many times a second. */
export class BlockMemory {
  readonly #free: Buffer<ArrayBuffer>[] = [];

  take(length: number): Buffer<ArrayBuffer> {
    const at = this.#free.findIndex((one) => one.length >= length);
    const [found = Buffer.allocUnsafeSlow(Math.max(length, usual))] = at < 0 ? [] : this.#free.splice(at, 1);
    return found;
  }

  give(buffer: Buffer<ArrayBuffer>): void {
    if (this.#free.length < mostFree) this.#free.push(buffer);
  }
}

/** A block that is kept for readers who may come, and lent to those that have. */
export class LentBlock {
  readonly #block: EventBlock;
  readonly #free: () => void;
  #readers = 0;
  #isKept = true;

  /** @param free called once nobody has it any more; never, where a reader does not tell */
  constructor(block: EventBlock, free: () => void) {
    this.#block = block;
    this.#free = free;
  }

  lend(): EventBlock {
    this.#readers += 1;
    let isRead = true;
    const release = (): void => {
      if (!isRead) return;
      isRead = false;
      this.#readers -= 1;
      this.#look();
    };
    return { ...this.#block, release };
  }

  /** Nobody gets it any more. */
  leave(): void {
    this.#isKept = false;
    this.#look();
  }

  #look(): void {
    if (!this.#isKept && this.#readers === 0) this.#free();
  }
}
