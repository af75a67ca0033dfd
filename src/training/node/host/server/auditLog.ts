import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../../../base/core/ports.ts';

/** Milliseconds between two lines about the same event, where clients control how often it happens. */
const often = 60_000;
/** The largest number of separate clients, so that memory and log do not grow with the number of addresses. */
const mostApart = 100;
/** Bytes after which the log is rotated. One old file is kept. */
const usualBytes = 16 * 1024 * 1024;
type Details = Readonly<Record<string, unknown>>;

interface RepeatedEntry {
  readonly what: string;
  readonly details: Details;
  at: number;
  times: number;
}

/** Logs actions and refused connections as lines of JSON in the data folder, without tokens and contents. */
export class AuditLog {
  readonly file: string;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #mostBytes: number;
  #bytes: number;
  readonly #repeated = new Map<string, RepeatedEntry>();

  constructor(dataFolder: string, clock: Pick<Clock, 'now' | 'monotonic'>, mostBytes = usualBytes) {
    this.file = path.join(dataFolder, 'audit.ndjson');
    this.#clock = clock;
    this.#mostBytes = mostBytes;
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    this.#bytes = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
  }

  add(what: string, details: Details): void {
    const line = `${JSON.stringify({ at: new Date(this.#clock.now()).toISOString(), what, ...details })}\n`;
    try {
      if (this.#bytes > this.#mostBytes) {
        renameSync(this.file, `${this.file}.1`);
        this.#bytes = 0;
      }
      appendFileSync(this.file, line, { mode: 0o600 });
      this.#bytes += Buffer.byteLength(line);
    } catch {
      // A full disk must not keep the host from serving or the owner from canceling runs.
    }
  }

  /**
   * Logs a frequent event at most once a minute, with the number of events in `times`. Beyond a limit, clients share a line
   * with `others`. `details` has few distinct values.
   */
  addOften(what: string, who: Details, details: Details): void {
    const one = this.#repeated.get(JSON.stringify([what, details, who]));
    const repeated = one ?? this.#newRepeated(what, who, details);
    repeated.times += 1;
    if (this.#clock.monotonic() - repeated.at >= often) this.#write(repeated);
  }

  /** Writes the counts that are due, or all of them. Call it at intervals. */
  flushCounts(which: 'due' | 'all' = 'due'): void {
    const now = this.#clock.monotonic();
    for (const [key, repeated] of this.#repeated) {
      if (which === 'due' && now - repeated.at < often) continue;
      if (repeated.times === 0) this.#repeated.delete(key);
      else this.#write(repeated);
    }
  }

  #newRepeated(what: string, who: Details, details: Details): RepeatedEntry {
    const isApart = this.#repeated.size < mostApart;
    const key = JSON.stringify([what, details, ...(isApart ? [who] : [])]);
    const known = this.#repeated.get(key);
    if (known !== undefined) return known;
    const shown = isApart ? { ...who, ...details } : { ...details, others: true };
    const made = { what, details: shown, at: -Infinity, times: 0 };
    this.#repeated.set(key, made);
    return made;
  }

  #write(repeated: RepeatedEntry): void {
    const { what, details, times } = repeated;
    repeated.at = this.#clock.monotonic();
    repeated.times = 0;
    this.add(what, times === 1 ? details : { ...details, times });
  }
}
