import { backoff } from '../../../../base/core/backoff.ts';
import { setTimeout as after } from 'node:timers/promises';
import type { RayJobs } from './rayJobs.ts';
import { isFull, type RayOutput } from './rayOutput.ts';

export interface RayLogOptions {
  readonly jobs: Pick<RayJobs, 'tail'>;
  readonly output: RayOutput;
  /** Aborted: nobody waits for what cannot be written. */
  readonly stop: AbortSignal;
  /** Milliseconds before another attempt. */
  readonly interval: number;
}

/** Milliseconds and bytes after which what has come is printed: each piece is noted twice on the disk. */
const pieceTime = 250;
const pieceSize = 256 * 1024;

/** How long a log is let alone at most that could not be read, in milliseconds. */
const longestPause = 60_000;

/** The log of a job, printed while it is written. Each attempt to read it begins at its start. */
export class RayLog {
  readonly #id: string;
  readonly #options: RayLogOptions;
  readonly #closed = new AbortController();
  #reading: Promise<boolean> | undefined;
  #notBefore = -Infinity;
  #failures = 0;
  /** Whether Ray has said of the last attempt that this was all. */
  #isWhole = false;
  #failure: unknown;

  constructor(id: string, options: RayLogOptions) {
    this.#id = id;
    this.#options = options;
  }

  /** Reads on, unless somebody does; for as long as the job runs it is to be called again. */
  follow(): void {
    if (this.#reading !== undefined || performance.now() < this.#notBefore) return;
    this.#reading = this.#read().finally(() => (this.#reading = undefined));
  }

  /**
   * After the end, some more attempts: the last lines are what tells why. A disk that is full is waited for. Resolves to
   * whether all of it was printed.
   */
  async whole(): Promise<boolean> {
    const { stop, interval, output } = this.#options;
    await this.#reading;
    let attempts = 0;
    while (!this.#isWhole && !(await this.#read())) {
      if (!isFull(this.#failure) || stop.aborted) attempts += 1;
      if (attempts === 5) {
        output.writeLine(`agentjet: the end of the log cannot be read: ${String(this.#failure)}\n`);
        return false;
      }
      await after(interval);
    }
    return true;
  }

  close(): void {
    this.#closed.abort();
  }

  /** Resolves to whether this was all. Never rejects. */
  async #read(): Promise<boolean> {
    const { jobs, output, interval } = this.#options;
    this.#isWhole = false;
    const ended = new AbortController();
    const pieces = new Pieces(output, (failure) => ended.abort(failure));
    try {
      const signal = AbortSignal.any([ended.signal, this.#closed.signal]);
      await jobs.tail(this.#id, (text) => pieces.add(text), signal);
      pieces.flush();
      this.#isWhole = true;
      this.#failures = 0;
    } catch (error) {
      this.#failure = error;
      this.#failures += 1;
    } finally {
      pieces.dispose();
    }
    this.#notBefore =
      performance.now() + backoff(this.#failures + 1, { first: interval, most: longestPause });
    return this.#isWhole;
  }
}

/** What has come and is not printed yet. */
class Pieces {
  readonly #output: RayOutput;
  readonly #failed: (error: unknown) => void;
  #pieces: Buffer[] = [];
  #size = 0;
  /** Of the first of them in the job's log. */
  #at = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(output: RayOutput, failed: (error: unknown) => void) {
    this.#output = output;
    this.#failed = failed;
  }

  add(text: string): void {
    const piece = Buffer.from(text);
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size >= pieceSize) this.#tryFlush();
    else this.#timer ??= setTimeout(() => this.#tryFlush(), pieceTime);
  }

  /** Throws where there is no room. */
  flush(): void {
    this.dispose();
    const bytes = Buffer.concat(this.#pieces);
    this.#output.print(this.#at, bytes);
    this.#at += bytes.length;
    this.#pieces = [];
    this.#size = 0;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #tryFlush(): void {
    try {
      this.flush();
    } catch (error) {
      this.#failed(error);
    }
  }
}
