import { Buffer } from 'node:buffer';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';
import {
  exportPieces,
  findSecrets,
  type ExportChoice,
  type ExportNote,
  type FoundSecrets,
} from '../../core/export/exportTrace.ts';
import type { Filter } from '../../core/protocol/traceFilter.ts';
import { openTraceReader } from '../store/openReader.ts';
import { exportErrors } from './errors.ts';
import { parseFilter, type FilterProblem } from '../../core/filterText.ts';

export interface JobOptions {
  readonly cancellation: CancellationToken;
  /** From 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

export type ExportOptions = ExportChoice & JobOptions;

/** Characters that are written at a time, at least. */
const chunk = 2 ** 18;

/**
 * Writes a trace in another format. The file is there when it is whole, or as it was before: it is written beside and
 * then takes the name. Lets others have a turn between pieces, so that it can be cancelled. What of a damaged trace can
 * be read is written. Resolves to what was written; rejects with a CodedError.
 *
 * @param trace an .ajtrace
 */
export async function exportTrace(
  trace: string,
  target: string,
  options: ExportOptions,
): Promise<ExportNote> {
  const { cancellation, onProgress } = options;
  const file = path.resolve(target);
  if (file === path.resolve(trace)) throw exportErrors.overItself(file);
  const reader = openTraceReader(trace);
  const part = `${file}.${process.pid}.part`;
  try {
    const sink = new Sink(part);
    let note: ExportNote;
    try {
      note = await turns(exportPieces(reader, options, onProgress), (piece) => {
        if (cancellation.isCancelled) throw exportErrors.cancelled(file);
        return sink.add(piece);
      });
      sink.finish();
    } finally {
      sink.close();
    }
    renameSync(part, file);
    return note;
  } catch (error) {
    throw error instanceof CodedError ? error : exportErrors.cannotWrite(file, error);
  } finally {
    if (existsSync(part)) rmSync(part, { force: true });
    reader.close();
  }
}

/** Looks for what an export would take out, and writes nothing. Rejects with a CodedError. */
export async function secretsOf(
  trace: string,
  filter: Filter | undefined,
  { cancellation, onProgress }: JobOptions,
): Promise<readonly FoundSecrets[]> {
  const reader = openTraceReader(trace);
  try {
    return await turns(findSecrets(reader, filter, onProgress), () => {
      if (cancellation.isCancelled) throw exportErrors.cancelled(trace);
      return true;
    });
  } finally {
    reader.close();
  }
}

/** @param take whether others are to have a turn */
async function turns<T, R>(pieces: Generator<T, R>, take: (piece: T) => boolean): Promise<R> {
  for (;;) {
    const { value, done } = pieces.next();
    if (done === true) return value;
    if (take(value)) await new Promise(setImmediate);
  }
}

class Sink {
  readonly #descriptor: number;
  #waiting: string[] = [];
  #length = 0;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'wx');
  }

  /** Whether it was written out. */
  add(text: string): boolean {
    this.#waiting.push(text);
    this.#length += text.length;
    if (this.#length < chunk) return false;
    this.#flush();
    return true;
  }

  finish(): void {
    this.#flush();
    fsyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #flush(): void {
    for (const text of this.#waiting) {
      const bytes = Buffer.from(text, 'utf8');
      for (let at = 0; at < bytes.length;) at += writeSync(this.#descriptor, bytes, at);
    }
    this.#waiting = [];
    this.#length = 0;
  }
}

/** Which episodes a text chooses, in the language of the viewer's filter; undefined: all. Throws `export/bad-filter`. */
export function filterOf(text: string | undefined): Filter | undefined {
  const parsed = parseFilter(text ?? '');
  if ('problem' in parsed) throw exportErrors.badFilter(text ?? '', wordingOf(parsed.problem));
  return parsed.filter ?? undefined;
}

function wordingOf({ kind, text, known, from }: FilterProblem): string {
  const where = `at character ${from + 1}`;
  switch (kind) {
    case 'unknown-field':
      return `there is no field "${text}" (${where})`;
    case 'no-number':
      return `"${text}" is no number (${where})`;
    case 'unknown-value':
      return `"${text}" is none of ${known.join(', ')} (${where})`;
    case 'not-a-number-field':
      return `${text} has no numbers to compare (${where})`;
    case 'no-value':
      return `something is missing ${where}`;
    case 'open-quote':
      return `the quotation mark ${where} is not closed`;
    case 'open-parenthesis':
      return `the parenthesis ${where} is not closed`;
    case 'unopened-parenthesis':
      return `the parenthesis ${where} closes none`;
  }
}
