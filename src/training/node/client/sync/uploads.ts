import { CodedError } from '../../../../base/core/errors.ts';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { ByteSource } from '../../../core/contracts.ts';
import type { ClientConnection } from '../../../core/wire/clientConnection.ts';
import type { UploadRequest } from '../../../core/wire/transfers.ts';
import { changedWhileSent } from '../../../core/sync/failures.ts';
import { packHeaderBytes, packLimits } from '../../../core/protocol/hostRpc.ts';
import { packHeader } from '../../../core/sync/manifest.ts';
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
class OutgoingPack {
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
  readonly #underway = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;
  #pack = new OutgoingPack();
  readonly #spare: OutgoingPack[] = [];

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /** Returns the space for the next small content. Rejects if an earlier upload failed. */
  async room(): Promise<Uint8Array> {
    if (this.#pack.isFull) await this.#sendPack();
    return this.#pack.room;
  }

  /** Adds the first bytes of the last {@link room}. */
  small(sha256: string, bytes: number): void {
    this.#pack.add(sha256, bytes);
  }

  /**
   * @param open returns the bytes for each attempt
   *
   * @param file the file of the content
   */
  async large(sha256: string, open: () => ByteSource, file: string): Promise<void> {
    await this.#start(async () => {
      const source = open();
      if ((await this.#lacking([sha256])).size === 0) {
        this.#options.onBytes(source.bytes, 0);
        return;
      }
      const request = { method: 'sync.put', params: { sha256, bytes: source.bytes } } as const;
      await this.#upload(request, source).catch((error: unknown) => {
        throw isCode(error, 'sync/content-differs') ? changedWhileSent(file) : error;
      });
    });
  }

  /** Resolves when all contents are uploaded. */
  async end(): Promise<void> {
    if (!this.#pack.isEmpty) await this.#sendPack();
    await Promise.all(this.#underway);
    this.#throwFailure();
  }

  /** Resolves when no upload is running, whether they succeeded or not. */
  async settled(): Promise<void> {
    await Promise.all(this.#underway);
  }

  async #sendPack(): Promise<void> {
    const pack = this.#pack;
    await this.#start(async () => {
      this.#options.onBytes(pack.keepOnly(await this.#lacking(pack.contents)), 0);
      const { source } = pack;
      if (source.bytes > 0)
        await this.#upload({ method: 'sync.pack', params: { bytes: source.bytes } }, source);
      pack.clear();
      this.#spare.push(pack);
    });
    this.#pack = this.#spare.pop() ?? new OutgoingPack();
  }

  async #lacking(contents: string[]): Promise<Set<string>> {
    const { connection, cancellation } = this.#options;
    return new Set((await connection.ask('sync.lacks', { contents }, cancellation)).contents);
  }

  async #upload(request: UploadRequest, source: ByteSource): Promise<void> {
    const { connection, cancellation, onBytes } = this.#options;
    let sent = 0;
    const again = (): void => {
      onBytes(-sent, -sent);
      sent = 0;
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

  async #start(send: () => Promise<void>): Promise<void> {
    while (this.#underway.size >= atATime) await Promise.race(this.#underway);
    this.#throwFailure();
    const sending = retryAfterDisconnect(send)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#underway.delete(sending));
    this.#underway.add(sending);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Repeats the work after a lost connection. Contents can be sent twice without harm. */
export async function retryAfterDisconnect<T>(work: () => Promise<T>): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (!isCode(error, 'host/connection-lost') || left === 1) throw error;
    }
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof CodedError && error.code === code;
}

/** @param again called when the bytes are read from the start */
function counted(source: ByteSource, again: () => void, count: (bytes: number) => void): ByteSource {
  return {
    bytes: source.bytes,
    pieces: {
      async *[Symbol.asyncIterator]() {
        again();
        for await (const piece of source.pieces) {
          yield piece;
          count(piece.length);
        }
      },
    },
  };
}
