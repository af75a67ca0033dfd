import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../../../base/core/ports.ts';

/** Milliseconds in which the same is told once, where strangers have it in their hand how often it happens. */
const often = 60_000;
/** Those that are told apart meanwhile, so that neither memory nor the log grows with the number of addresses. */
const mostApart = 100;

export interface AuditLogOptions {
  /** Bytes after which a new file is begun; the one before is kept. */
  readonly mostBytes?: number;
}

type Details = Readonly<Record<string, unknown>>;

interface RepeatedEntry {
  readonly what: string;
  readonly details: Details;
  /** When it was told last. */
  at: number;
  /** How often it has happened since. */
  times: number;
}

/** Who did what, and who was turned away: lines of JSON in the host's data folder, without tokens and contents. */
export class AuditLog {
  readonly file: string;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #mostBytes: number;
  #bytes: number;
  readonly #repeated = new Map<string, RepeatedEntry>();

  constructor(
    dataFolder: string,
    clock: Pick<Clock, 'now' | 'monotonic'>,
    { mostBytes = 16 * 1024 * 1024 }: AuditLogOptions = {},
  ) {
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
      // A full disk must not keep the host from serving, nor its owner from cancelling.
    }
  }

  /**
   * What would drive all else out of the log if each were told: the same of the same is told once a minute, with how many
   * `times` the line stands for. Where too many do it, `others` are told together, without who they are.
   *
   * @param details of few values
   */
  addOften(what: string, who: Details, details: Details): void {
    const one = this.#repeated.get(JSON.stringify([what, details, who]));
    const repeated = one ?? this.#newRepeated(what, who, details);
    repeated.times += 1;
    if (this.#clock.monotonic() - repeated.at >= often) this.#write(repeated);
  }

  /** Tells what was counted a minute ago and longer, or all of it; to be called now and then. */
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
