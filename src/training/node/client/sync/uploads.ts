import { hasCode } from '../../../../base/core/errors.ts';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { ByteSource } from '../../../core/contracts.ts';
import type { ClientConnection } from '../../../core/wire/clientConnection.ts';
import type { UploadRequest } from '../../../core/wire/transfers.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import { packHeaderBytes, packLimits } from '../../../core/protocol/hostRpc.ts';
import { packHeader, type PackedContent } from '../../../core/sync/manifest.ts';
import { inMemory } from '../../filePieces.ts';
import { WorkPool } from '../../parallel.ts';

/** The size of a full pack in bytes, and in contents. */
const fullBytes = 4 * 1024 * 1024;
const fullContents = 1_000;

const atATime = 4;
/** Attempts after a lost connection. */
const tries = 5;

export interface UploadsOptions {
  readonly connection: Pick<ClientConnection, 'ask' | 'upload'>;
  readonly cancellation: CancellationToken;
  /** Receives the bytes that the host has gained, and how many of them were `sent`. */
  readonly onBytes: (bytes: number, sent: number) => void;
}

/** Uploads contents in parallel. Checks before each upload whether the host still needs it. */
export class Uploads {
  readonly #options: UploadsOptions;
  readonly #pool = new WorkPool(atATime);
  #pack = new Pack();

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /** Copies a content, and uploads it in a pack with others. Rejects if an earlier upload failed. */
  async small(content: PackedContent): Promise<void> {
    this.#pack.add(content);
    if (this.#pack.isFull) await this.#sendPack();
  }

  /** @param open returns the bytes for each attempt */
  async large(sha256: string, open: () => ByteSource, file: string): Promise<void> {
    await this.#start(async () => {
      const source = open();
      if ((await this.#lacking([sha256])).size === 0) {
        this.#options.onBytes(source.bytes, 0);
        return;
      }
      const request = { method: 'sync.put', params: { sha256, bytes: source.bytes, resumes: true } } as const;
      await this.#upload(request, source).catch((error: unknown) => {
        throw hasCode(error, 'sync/content-differs') ? syncErrors.changedWhileSent(file) : error;
      });
    });
  }

  async end(): Promise<void> {
    if (this.#pack.bytes > 0) await this.#sendPack();
    await this.#pool.end();
  }

  /** Resolves when no upload is running, whether they succeeded or not. */
  settled(): Promise<void> {
    return this.#pool.settled();
  }

  async #sendPack(): Promise<void> {
    const pack = this.#pack;
    this.#pack = new Pack();
    await this.#start(async () => {
      const before = pack.bytes;
      pack.keepOnly(await this.#lacking(pack.contents));
      this.#options.onBytes(before - pack.bytes, 0);
      if (pack.bytes === 0) return;
      const source = inMemory(pack.data);
      await this.#upload({ method: 'sync.pack', params: { bytes: source.bytes } }, source);
    });
  }

  async #lacking(contents: string[]): Promise<Set<string>> {
    const { connection, cancellation } = this.#options;
    return new Set((await connection.ask('sync.lacks', { contents }, cancellation)).contents);
  }

  async #upload(request: UploadRequest, source: ByteSource): Promise<void> {
    const { connection, cancellation, onBytes } = this.#options;
    let sent = 0;
    const again = (from = 0): void => {
      onBytes(from - sent, from - sent);
      sent = from;
    };
    const count = (bytes: number): void => {
      sent += bytes;
      onBytes(bytes, bytes);
    };
    try {
      await connection.upload(request, counted(source, again, count), cancellation);
    } catch (error) {
      again();
      throw error;
    }
  }

  #start(send: () => Promise<void>): Promise<void> {
    return this.#pool.start(() => retryAfterDisconnect(send));
  }
}

/** Contents behind each other in one buffer, in the format of a pack. A buffer per file would be much garbage. */
class Pack {
  readonly #buffer = Buffer.allocUnsafe(fullBytes + packHeaderBytes + packLimits.content);
  #places: { readonly sha256: string; readonly from: number; readonly to: number }[] = [];
  /** Bytes of all contents with their headers. */
  bytes = 0;

  get isFull(): boolean {
    return this.#places.length >= fullContents || this.bytes >= fullBytes;
  }

  get contents(): string[] {
    return this.#places.map(({ sha256 }) => sha256);
  }

  get data(): Uint8Array {
    return this.#buffer.subarray(0, this.bytes);
  }

  add({ sha256, bytes }: PackedContent): void {
    this.#buffer.set(packHeader(sha256, bytes.length), this.bytes);
    this.#buffer.set(bytes, this.bytes + packHeaderBytes);
    this.#place(sha256, packHeaderBytes + bytes.length);
  }

  keepOnly(contents: ReadonlySet<string>): void {
    const places = this.#places.filter(({ sha256 }) => contents.has(sha256));
    this.#places = [];
    this.bytes = 0;
    for (const { sha256, from, to } of places) {
      this.#buffer.copyWithin(this.bytes, from, to);
      this.#place(sha256, to - from);
    }
  }

  #place(sha256: string, length: number): void {
    this.#places.push({ sha256, from: this.bytes, to: this.bytes + length });
    this.bytes += length;
  }
}

/** Repeats the work after a lost connection. Contents can be sent twice without harm. */
export async function retryAfterDisconnect<T>(work: () => Promise<T>): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (!hasCode(error, 'host/connection-lost') || left === 1) throw error;
    }
  }
}

/** @param again called when the bytes are read from an offset on */
function counted(
  { bytes, pieces, from }: ByteSource,
  again: (offset: number) => void,
  count: (bytes: number) => void,
): ByteSource {
  const countedFrom = (offset: number, rest: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => ({
    async *[Symbol.asyncIterator]() {
      again(offset);
      for await (const piece of rest) {
        yield piece;
        count(piece.length);
      }
    },
  });
  return {
    bytes,
    pieces: countedFrom(0, pieces),
    ...(from && { from: (offset: number) => countedFrom(offset, from(offset)) }),
  };
}
