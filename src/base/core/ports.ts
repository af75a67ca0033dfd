import type { Disposable } from './disposable.ts';

/** The clock. Tests pass their own, so that they need not wait. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Monotonic milliseconds. */
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

/** A reader of files. Paths are absolute and in the form of the platform. */
export interface FileReader {
  /** Resolves to undefined if the file does not exist; rejects on other failures. */
  readText(file: string): Promise<string | undefined>;
  exists(file: string): Promise<boolean>;
  /** Streams the lines of a UTF-8 file without their line ends. Rejects if the file cannot be read. */
  lines(file: string): AsyncIterable<string>;
  /** Lists the names of the files in a folder, without subfolders. Empty if the folder does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Lists the names of the subfolders of a folder. Absent if the reader cannot list them. */
  folders?(folder: string): Promise<readonly string[]>;
}

/** A reader of parts of files that may not fit into memory. Methods reject if the file cannot be read. */
export interface PartReader {
  /** The size in bytes. */
  size(file: string): Promise<number>;
  /** Reads the bytes in [start, end), or fewer at the end of the file. */
  readPart(file: string, start: number, end: number): Promise<Uint8Array>;
  /** Streams the text of a UTF-8 file in chunks. */
  pieces(file: string): AsyncIterable<string>;
  /** Decodes UTF-8 and keeps a byte order mark at the start. */
  decode(bytes: Uint8Array): string;
}

/** The path functions of one platform, so that tests can use the rules of another one. */
export interface PathRules {
  resolve(...parts: string[]): string;
  dirname(path: string): string;
  basename(path: string): string;
  isAbsolute(path: string): boolean;
  relative(from: string, to: string): string;
}
