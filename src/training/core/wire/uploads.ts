import { toReport, type ErrorReport } from '../../../base/core/errors.ts';
import { omit } from '../../../base/core/omit.ts';
import { wireLimits, type Chunk } from '../protocol/wire.ts';
import type { ByteSink } from '../contracts.ts';
import { wireErrors } from './failures.ts';

interface Upload {
  readonly sink: ByteSink;
  readonly bytes: number;
  /** The number of bytes received, written or not. */
  received: number;
  work: Promise<void>;
}

/** The transfers to the host of one connection. */
export class Uploads {
  readonly #open = new Map<number, Upload>();
  readonly #ended: (transfer: number, error?: ErrorReport) => void;
  readonly #setReading: (reads: boolean) => void;
  /** Bytes received and not written yet. */
  #waiting = 0;
  #reads = true;

  constructor(ended: (transfer: number, error?: ErrorReport) => void, setReading: (reads: boolean) => void) {
    this.#ended = ended;
    this.#setReading = setReading;
  }

  get size(): number {
    return this.#open.size;
  }

  add(transfer: number, sink: ByteSink, bytes: number): void {
    this.#open.set(transfer, { sink, bytes, received: sink.held ?? 0, work: Promise.resolve() });
  }

  /** Takes a piece. Pieces of an ended transfer are dropped, because they may have been in transit. */
  take({ transfer, offset, bytes }: Chunk): void {
    const upload = this.#open.get(transfer);
    if (upload === undefined) return;
    if (offset !== upload.received) this.#fail(transfer, upload, wireErrors.chunkOutOfPlace());
    else if (upload.received + bytes.length > upload.bytes) {
      this.#fail(transfer, upload, wireErrors.tooManyBytes());
    } else if (bytes.length === 0) this.#end(transfer, upload);
    else this.#write(transfer, upload, offset, bytes);
  }

  /** Aborts one transfer, or all. */
  async stop(transfer?: number): Promise<void> {
    const stopped = [...this.#open].filter(([id]) => transfer === undefined || id === transfer);
    for (const [id] of stopped) this.#open.delete(id);
    await Promise.all(stopped.map(([, upload]) => abort(upload)));
  }

  #write(transfer: number, upload: Upload, offset: number, bytes: Uint8Array): void {
    upload.received += bytes.length;
    this.#count(bytes.length);
    upload.work = upload.work
      .then(async () => {
        if (this.#open.get(transfer) === upload) await upload.sink.write(bytes, offset);
      })
      .catch((error: unknown) => this.#fail(transfer, upload, error))
      .finally(() => this.#count(-bytes.length));
  }

  #end(transfer: number, upload: Upload): void {
    upload.work = upload.work
      .then(async () => {
        if (this.#open.get(transfer) !== upload) return;
        await upload.sink.end();
        this.#open.delete(transfer);
        this.#ended(transfer);
      })
      .catch((error: unknown) => this.#fail(transfer, upload, error));
  }

  #fail(transfer: number, upload: Upload, error: unknown): void {
    if (!this.#open.delete(transfer)) return;
    void abort(upload);
    this.#ended(transfer, reportOf(error));
  }

  #count(bytes: number): void {
    this.#waiting += bytes;
    const reads = this.#reads ? this.#waiting <= wireLimits.message : this.#waiting <= wireLimits.message / 2;
    if (reads === this.#reads) return;
    this.#reads = reads;
    this.#setReading(reads);
  }
}

async function abort({ sink, work }: Upload): Promise<void> {
  await work;
  await sink.abort().catch(() => undefined);
}

/** Returns the report of an error, without the stack, which is internal to the host. */
export function reportOf(error: unknown): ErrorReport {
  return omit(toReport(error, 'host/internal'), 'stack');
}
