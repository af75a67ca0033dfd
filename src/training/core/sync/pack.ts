/**
 * Packs many small contents into one transfer, each after its header. Separate transfers would cost more than the
 * contents.
 */
import { packHeaderBytes, packLimits } from '../protocol/sync.ts';
import { badPack } from './failures.ts';

/** @param sha256 in hex */
export function packHeader(sha256: string, bytes: number): Uint8Array {
  const header = new Uint8Array(packHeaderBytes);
  for (let at = 0; at < 32; at++) header[at] = Number.parseInt(sha256.slice(2 * at, 2 * at + 2), 16);
  new DataView(header.buffer).setUint32(32, bytes);
  return header;
}

export interface PackedContent {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

const nothing = new Uint8Array();

/** Reads a pack from pieces of any size. */
export class PackReader {
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  #header: { readonly sha256: string; readonly bytes: number } | undefined;

  /**
   * Returns the contents that are now complete. Their bytes can be views of `piece`. Throws if the data is not a
   * pack.
   */
  push(piece: Uint8Array): readonly PackedContent[] {
    const whole: PackedContent[] = [];
    if (piece.length > 0) this.#rest.push(piece);
    this.#restBytes += piece.length;
    for (;;) {
      this.#header ??= readHeader(this.#take(packHeaderBytes));
      if (this.#header === undefined) return whole;
      const bytes = this.#take(this.#header.bytes);
      if (bytes === undefined) return whole;
      whole.push({ sha256: this.#header.sha256, bytes });
      this.#header = undefined;
    }
  }

  /** Throws if the last content is incomplete. */
  end(): void {
    if (this.#header !== undefined || this.#restBytes > 0) throw badPack('it ends in the middle of a file');
  }

  /** Returns the next bytes, or undefined if they have not all arrived. */
  #take(length: number): Uint8Array | undefined {
    if (this.#restBytes < length) return undefined;
    this.#restBytes -= length;
    const first = this.#rest[0] ?? nothing;
    if (first.length < length) return this.#join(length);
    if (first.length === length) this.#rest.shift();
    else this.#rest[0] = first.subarray(length);
    return first.subarray(0, length);
  }

  #join(length: number): Uint8Array {
    const joined = new Uint8Array(length);
    let filled = 0;
    let used = 0;
    for (const piece of this.#rest) {
      const part = piece.subarray(0, length - filled);
      joined.set(part, filled);
      filled += part.length;
      if (part.length < piece.length) {
        this.#rest[used] = piece.subarray(part.length);
        break;
      }
      used++;
    }
    this.#rest.splice(0, used);
    return joined;
  }
}

function readHeader(header: Uint8Array | undefined): { sha256: string; bytes: number } | undefined {
  if (header === undefined) return undefined;
  const bytes = new DataView(header.buffer, header.byteOffset, header.byteLength).getUint32(32);
  if (bytes > packLimits.content) throw badPack(`a file in it has more than ${packLimits.content} bytes`);
  let sha256 = '';
  for (let at = 0; at < 32; at++) sha256 += (header[at] ?? 0).toString(16).padStart(2, '0');
  return { sha256, bytes };
}
