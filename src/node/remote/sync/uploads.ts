import { CodedError } from '../../../base/errors.ts';
import type { CancellationToken } from '../../../base/cancellation.ts';
import { packHeaderBytes } from '../../../protocol/host/sync.ts';
import { wireLimits } from '../../../protocol/host/wire.ts';
import type { ByteSource, HostConnection } from '../../../remote/contracts.ts';
import { changedWhileSent } from '../../../remote/sync/failures.ts';
import { packHeader } from '../../../remote/sync/pack.ts';

/** What a pack is filled up to, and how many contents are in one at most. */
const packBytes = 4 * 1024 * 1024;
const packContents = 1_000;
/** Packs and large contents that are on their way at a time. */
const atATime = 4;
/** How often something is sent again because the connection was cut. */
const tries = 5;

interface Content {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

export interface UploadsOptions {
  readonly connection: Pick<HostConnection, 'ask' | 'upload'>;
  readonly cancellation: CancellationToken;
  /** Bytes that the host has more than before; `sent` of them over the wire. */
  readonly onBytes: (bytes: number, sent: number) => void;
}

/** Sends contents that a host may lack, several at a time; it is asked once more before each is sent. */
export class Uploads {
  readonly #options: UploadsOptions;
  readonly #underway = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;
  #pack: Content[] = [];
  #packBytes = 0;

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /** Resolves as soon as there is room for the next. Rejects where an earlier one has failed. */
  async small(sha256: string, bytes: Uint8Array): Promise<void> {
    this.#pack.push({ sha256, bytes });
    this.#packBytes += packHeaderBytes + bytes.length;
    if (this.#packBytes >= packBytes || this.#pack.length >= packContents) await this.#sendPack();
  }

  /**
   * @param open tells the bytes anew for each try
   * @param file that they are of
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

  /** Until all is there. */
  async end(): Promise<void> {
    if (this.#pack.length > 0) await this.#sendPack();
    await Promise.all(this.#underway);
    this.#throwFailure();
  }

  /** Until nothing is underway any more, whatever became of it. */
  async settled(): Promise<void> {
    await Promise.all(this.#underway);
  }

  async #sendPack(): Promise<void> {
    const pack = this.#pack;
    this.#pack = [];
    this.#packBytes = 0;
    await this.#start(async () => {
      const lacking = await this.#lacking(pack.map(({ sha256 }) => sha256));
      const contents: Content[] = [];
      for (const content of pack) {
        if (lacking.delete(content.sha256)) contents.push(content);
        else this.#options.onBytes(content.bytes.length, 0);
      }
      if (contents.length === 0) return;
      const source = packSource(contents);
      await this.#upload({ method: 'sync.pack', params: { bytes: source.bytes } }, source);
    });
  }

  async #lacking(contents: string[]): Promise<Set<string>> {
    const { connection, cancellation } = this.#options;
    return new Set((await connection.ask('sync.lacks', { contents }, cancellation)).contents);
  }

  async #upload(request: Parameters<HostConnection['upload']>[0], source: ByteSource): Promise<void> {
    const { connection, cancellation, onBytes } = this.#options;
    let told = 0;
    const again = (): void => {
      onBytes(-told, -told);
      told = 0;
    };
    const count = (bytes: number): void => {
      told += bytes;
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
    const sending = againAfterCut(send)
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

/** What is sent twice is there once, so that all of it can be tried again. */
export async function againAfterCut<T>(work: () => Promise<T>): Promise<T> {
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

/** @param again is called where the bytes are taken from the beginning */
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

function packSource(contents: readonly Content[]): ByteSource {
  const parts = contents.flatMap(({ sha256, bytes }) => [packHeader(sha256, bytes.length), bytes]);
  return {
    bytes: parts.reduce((sum, { length }) => sum + length, 0),
    pieces: {
      [Symbol.asyncIterator]: () => {
        const pieces = joinedPieces(parts);
        return { next: () => Promise.resolve(pieces.next()) };
      },
    },
  };
}

/** Each as large as a chunk may be, but for the last. */
function* joinedPieces(parts: readonly Uint8Array[]): Generator<Uint8Array, undefined> {
  let joined: Uint8Array[] = [];
  let size = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length;) {
      const piece = part.subarray(at, at + wireLimits.chunk - size);
      joined.push(piece);
      size += piece.length;
      at += piece.length;
      if (size < wireLimits.chunk) continue;
      yield Buffer.concat(joined);
      joined = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(joined);
  return undefined;
}
