import { closeSync, fsyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import * as z from 'zod/mini';
import { textOf } from '../fileLock.ts';
import { attempt } from '../../../../base/core/attempt.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';
import { hasCode } from '../../../../base/core/errors.ts';
import { writeFileAtomicSync } from '../../../../base/node/atomicFile.ts';

/** Receives the log of a Ray job and messages about the job. */
export type RayOutput = Pick<ResumableOutput, 'print' | 'writeLine'>;

const printedNote = z.object({
  /** Bytes of the log that the output has. */
  log: z.int(),
  /** The size of the output before an append that may be incomplete. */
  writesAt: z.optional(z.int()),
});
type PrintedNote = z.infer<typeof printedNote>;

/**
 * Appends the log to a file and notes each append. A later process, even after `kill -9`, continues with the next
 * byte. It finds the written part of the last append in the file.
 */
export class ResumableOutput {
  readonly #noteFile: string;
  readonly #descriptor: number;
  #note: PrintedNote;

  /**
   * @param file the output, to which others may write between two appends
   * @param noteFile for this output only
   */
  constructor(file: string, noteFile: string) {
    this.#noteFile = noteFile;
    this.#descriptor = openSync(file, 'a+', 0o600);
    this.#note = readNote(noteFile);
  }

  /** Throws if the disk is full. `at` is the offset of the bytes in the log of the job, which may start again at any time. */
  print(at: number, bytes: Buffer): void {
    const rest = this.#unprinted(at, bytes);
    if (rest.length === 0) return;
    const { log } = this.#note;
    this.#keep({ log, writesAt: fstatSync(this.#descriptor).size });
    this.#write(rest);
    // A note of bytes that the disk does not have would lose lines after a power failure.
    fsyncSync(this.#descriptor);
    this.#keep({ log: log + rest.length });
  }

  /** Writes a line of AgentJet. Never throws. */
  writeLine(line: string): void {
    // It fails on a full disk. The exit code also shows how the job ended.
    attempt(() => this.#write(Buffer.from(line)));
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #unprinted(at: number, bytes: Buffer): Buffer {
    const rest = bytes.subarray(Math.min(bytes.length, Math.max(0, this.#note.log - at)));
    const { log, writesAt } = this.#note;
    if (writesAt === undefined || rest.length === 0) return rest;
    // The last append may be incomplete, with other output behind it.
    const there = commonLength(rest, this.#read(writesAt, rest.length));
    this.#keep({
      log: log + there,
      ...(there === rest.length && { writesAt: writesAt + there }),
    });
    return rest.subarray(there);
  }

  #read(from: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(this.#descriptor, bytes, 0, length, from));
  }

  #write(piece: Buffer): void {
    for (let done = 0; done < piece.length;) done += writeSync(this.#descriptor, piece, done);
  }

  #keep(note: PrintedNote): void {
    writeFileAtomicSync(this.#noteFile, JSON.stringify(note));
    this.#note = note;
  }
}

function readNote(file: string): PrintedNote {
  // Without a note, nothing was written yet.
  return printedNote.safeParse(parseJson(textOf(file) ?? '')).data ?? { log: 0 };
}

function commonLength(one: Buffer, other: Buffer): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at += 1) if (one[at] !== other[at]) return at;
  return most;
}

export function isFull(error: unknown): boolean {
  return hasCode(error, 'ENOSPC', 'EDQUOT');
}
