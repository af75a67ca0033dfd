import type { Disposable } from './disposable.ts';

/** Time, handed in so that tests need not wait. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds that never go back. */
  monotonic(): number;
  /** Calls `run` once after `milliseconds`. */
  after(milliseconds: number, run: () => void): Disposable;
  /** Calls `run` every `milliseconds` until disposed; does not keep a process alive. */
  every(milliseconds: number, run: () => void): Disposable;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Logger {
  log(level: LogLevel, message: string): void;
}

/** Reading files, handed in. Paths are absolute and in the platform's own form. */
export interface FileReader {
  /** Undefined when there is no such file; any other failure rejects. */
  readText(file: string): Promise<string | undefined>;
  exists(file: string): Promise<boolean>;
  /** The lines of a UTF-8 file without their ends, one at a time: a large file is never held whole. Rejects when the file cannot be read. */
  lines(file: string): AsyncIterable<string>;
  /** File names (not folders) directly in a folder; empty when there is none. */
  list(folder: string): Promise<readonly string[]>;
  /** Names of the folders directly in a folder; left out where they cannot be told. */
  folders?(folder: string): Promise<readonly string[]>;
}

/** Reading parts of files that need not fit into memory, handed in. Each rejects when the file cannot be read. */
export interface PartReader {
  /** Bytes. */
  size(file: string): Promise<number>;
  /** The bytes from `start` up to, not including, `end`; fewer where the file ends. */
  readPart(file: string, start: number, end: number): Promise<Uint8Array>;
  /** The text of a UTF-8 file piece by piece; a large file is never held whole. */
  pieces(file: string): AsyncIterable<string>;
  /** The text of UTF-8 bytes, a byte order mark at its start included. */
  decode(bytes: Uint8Array): string;
}

/** Joining and splitting paths by the rules of one platform, so that each can be tested on any. */
export interface PathRules {
  resolve(...parts: string[]): string;
  dirname(path: string): string;
  basename(path: string): string;
  isAbsolute(path: string): boolean;
  relative(from: string, to: string): string;
}
