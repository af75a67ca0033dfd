import { backoff } from '../../../../base/core/backoff.ts';
import { setTimeout as after } from 'node:timers/promises';
import type { RayJobs } from './rayJobs.ts';
import { isFull, type RayOutput } from './rayOutput.ts';

export interface RayLogOptions {
  readonly jobs: Pick<RayJobs, 'tail'>;
  readonly output: RayOutput;
  /** Aborted: do not wait for free disk space. */
  readonly stop: AbortSignal;
  readonly interval: number;
}

/** Output is flushed after this time in milliseconds or this size in bytes. Each flush writes to the disk twice. */
const pieceTime = 250;
const pieceSize = 256 * 1024;
/** The longest pause between two attempts, in milliseconds. */
const longestPause = 60_000;

/** Prints the log of a job while it runs. Each attempt reads from the start of the log. */
export class RayLog {
  readonly #id: string;
  readonly #options: RayLogOptions;
  readonly #closed = new AbortController();
  #reading: Promise<boolean> | undefined;
  #notBefore = -Infinity;
  #failures = 0;
  /** True if the last attempt reached the end of the log. */
  #isWhole = false;
  #failure: unknown;

  constructor(id: string, options: RayLogOptions) {
    this.#id = id;
    this.#options = options;
  }

  /** Continues to read if no attempt is running. Call it repeatedly while the job runs. */
  follow(): void {
    if (this.#reading !== undefined || performance.now() < this.#notBefore) return;
    this.#reading = this.#read().finally(() => (this.#reading = undefined));
  }

  /** Reads the rest, whose last lines give the reason, once there is disk space. Resolves to whether the log is complete. */
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

  /** Resolves to whether the log is complete. Never rejects. */
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

class Pieces {
  readonly #output: RayOutput;
  readonly #failed: (error: unknown) => void;
  #pieces: Buffer[] = [];
  #size = 0;
  /** The offset of the first piece in the log of the job. */
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

  /** Throws if the disk is full. */
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
