import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../../base/ports.ts';

/** Bytes after which a new file is begun; the one before is kept. */
const mostBytes = 16 * 1024 * 1024;

/** Who did what, and who was turned away: lines of JSON in the host's data folder, without tokens and contents. */
export class AuditLog {
  readonly file: string;
  readonly #clock: Pick<Clock, 'now'>;
  #bytes: number;

  constructor(dataFolder: string, clock: Pick<Clock, 'now'>) {
    this.file = path.join(dataFolder, 'audit.ndjson');
    this.#clock = clock;
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    this.#bytes = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
  }

  add(what: string, details: Readonly<Record<string, unknown>>): void {
    const line = `${JSON.stringify({ at: new Date(this.#clock.now()).toISOString(), what, ...details })}\n`;
    try {
      if (this.#bytes > mostBytes) {
        renameSync(this.file, `${this.file}.1`);
        this.#bytes = 0;
      }
      appendFileSync(this.file, line, { mode: 0o600 });
      this.#bytes += line.length;
    } catch {
      // A full disk must not keep the host from serving, nor its owner from cancelling.
    }
  }
}
