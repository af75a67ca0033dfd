/** Finds locations in the text of a stack, which every version of Node.js has for every kind of error. */
import { fileURLToPath } from 'node:url';
import type { Location } from '../../../base/core/errors.ts';
import type { CallSource } from '../../../tracking/core/records/trace.ts';
import type { UserFiles } from './userFiles.ts';

/** Returns the topmost frame in the user's code. Node.js has already mapped transformed files to their sources. */
export function topUserFrame(error: unknown, userFiles: UserFiles): CallSource | undefined {
  const line = linesOf(error).find((one) => isUsers(one, userFiles));
  return line === undefined ? undefined : frameOf(line);
}

/** Returns the lines of an error's stack in the user's code. */
export function userLines(error: unknown, userFiles: UserFiles): string[] {
  return linesOf(error).filter((line) => isUsers(line, userFiles));
}

function linesOf(error: unknown): string[] {
  return error instanceof Error && typeof error.stack === 'string' ? error.stack.split('\n') : [];
}

function isUsers(line: string, userFiles: UserFiles): boolean {
  const frame = frameOf(line);
  return frame !== undefined && userFiles.includes(frame.file);
}

/** `    at name (place:line:column)` or `    at place:line:column`. */
function frameOf(line: string): CallSource | undefined {
  const match = /^\s+at (?:(.*) \()?((?:file:\/\/|\/|[A-Za-z]:[\\/]).*?):(\d+):(\d+)\)?$/.exec(line);
  if (match === null) return undefined;
  const [, name, place = '', lineNumber, column] = match;
  const location = { file: toPath(place), line: Number(lineNumber), column: Number(column) };
  return { ...location, function: name === undefined ? null : functionOf(name) };
}

/** Returns the function of a frame, or null in functions without a name. */
function functionOf(written: string): string | null {
  const name = written.replace(/^(?:async |new )/, '').replace(/ \[as .*\]$/, '');
  return name.endsWith('<anonymous>') ? null : name.replace(/^Object\./, '');
}

/** The stack depth. The frames of clients between the user's code and the request exceed the default of ten. */
const frames = 60;

/** Returns an error with a deep stack of the current call. */
export function deepStack(): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = frames;
  try {
    return new Error('a request');
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Reads the lines before the error's name. Undefined without them: V8 does not locate syntax errors of modules. */
export function headLocation(error: Error): Location | undefined {
  const [first = '', ...others] = (error.stack ?? '').split('\n');
  const place = /^(.*):(\d+)$/.exec(first);
  const carets = others.find((line) => /^\s*\^+\s*$/.test(line));
  if (place === null || carets === undefined) return undefined;
  const [, file = '', line] = place;
  return { file: toPath(file), line: Number(line), column: carets.indexOf('^') + 1 };
}

function toPath(place: string): string {
  return place.startsWith('file:') ? fileURLToPath(place) : place;
}
