import { closeSync, fsyncSync, fstatSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import * as z from 'zod/mini';
import { writeFileAtomicSync } from '../../../../base/node/atomicFile.ts';

/** Where the log of a job on Ray goes, and what there is to tell about the job. */
export interface RayOutput {
  /**
   * What has been printed is not printed again. Throws where there is no room.
   *
   * @param at of the first of these bytes in the job's log: they come in order, and from the start again at any time
   */
  print(at: number, bytes: Buffer): void;
  /** A line of our own; never throws. */
  tell(line: string): void;
}

const printedNote = z.object({
  /** Bytes of the job's log in the output. */
  log: z.int(),
  /** Bytes of the output, where more of the log was about to be written to its end. */
  writesAt: z.optional(z.int()),
});
type PrintedNote = z.infer<typeof printedNote>;

/**
 * Notes before and after each piece where it goes. Whoever prints to the same file later, after a kill -9 as well, goes on
 * with the byte after the last one: how much of a piece was written, the file itself tells.
 */
export class NotedOutput implements RayOutput {
  readonly #noteFile: string;
  readonly #descriptor: number;
  #note: PrintedNote;

  /**
   * @param file that is printed to; others may write to it between two pieces
   * @param noteFile of this output alone
   */
  constructor(file: string, noteFile: string) {
    this.#noteFile = noteFile;
    this.#descriptor = openSync(file, 'a+', 0o600);
    this.#note = readNote(noteFile);
  }

  print(at: number, bytes: Buffer): void {
    const rest = this.#unprinted(at, bytes);
    if (rest.length === 0) return;
    const { log } = this.#note;
    this.#keep({ log, writesAt: fstatSync(this.#descriptor).size });
    this.#write(rest);
    // A note that says more than the disk has would lose lines with the machine's power.
    fsyncSync(this.#descriptor);
    this.#keep({ log: log + rest.length });
  }

  tell(line: string): void {
    try {
      this.#write(Buffer.from(line));
    } catch {
      // The disk is full: how the job ends is told by the exit code as well.
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #unprinted(at: number, bytes: Buffer): Buffer {
    const rest = bytes.subarray(Math.min(bytes.length, Math.max(0, this.#note.log - at)));
    const { log, writesAt } = this.#note;
    if (writesAt === undefined || rest.length === 0) return rest;
    // The last piece may be there in part, and be followed by what is none of it.
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
  try {
    return printedNote.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { log: 0 }; // nothing was printed yet
  }
}

function commonLength(one: Buffer, other: Buffer): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at += 1) if (one[at] !== other[at]) return at;
  return most;
}

export function isFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
