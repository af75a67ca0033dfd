/** Places in the text of a stack, which is the one thing that every Node gives for every kind of error. */
import { findSourceMap, type SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Location } from '../../../base/core/errors.ts';
import type { CallSource } from '../../../tracking/core/records/trace.ts';
import type { UserFiles } from './userFiles.ts';

/**
 * The topmost frame in the user's own code: not in a package, not in Node, not in this program. Where the file went
 * through a transformation, Node has already mapped the frame to the source. Undefined for what has no stack.
 */
export function topUserFrame(error: unknown, userFiles: UserFiles): Location | undefined {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return undefined;
  for (const line of error.stack.split('\n')) {
    const frame = frameOf(line);
    if (frame !== undefined && userFiles.includes(frame.file)) return frame;
  }
  return undefined;
}

/** What clients put between the user's code and the request is more than the usual ten frames. */
const frames = 60;

/** Where something is asked for. */
export function deepStack(): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = frames;
  try {
    return new Error('a request');
  } finally {
    Error.stackTraceLimit = limit;
  }
}

interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * The line of the user's code that called what is running, across awaits. It is asked of every LLM call, so frames are
 * looked at one by one: to write the stack as a text takes several times as long.
 */
export class CallSources {
  readonly #userFiles: UserFiles;
  /** The user's files by the names that frames have; null: not the user's. */
  readonly #files = new Map<string, SourceFile | null>();

  constructor(userFiles: UserFiles) {
    this.#userFiles = userFiles;
  }

  here(): CallSource | undefined {
    for (const frame of deepFrames()) {
      const name = frame.getFileName() ?? '';
      const known = this.#files.get(name);
      const file = known === undefined ? this.#add(name) : known;
      const line = frame.getLineNumber();
      if (file !== null && line !== null) return written(file, line, frame);
    }
    return undefined;
  }

  #add(name: string): SourceFile | null {
    const isFile = name.startsWith('file:') || path.isAbsolute(name);
    const file = isFile ? toPath(name) : undefined;
    const isUsers = file !== undefined && this.#userFiles.includes(file);
    const known = isUsers ? { path: file, map: findSourceMap(name) } : null;
    this.#files.set(name, known);
    return known;
  }
}

interface SourceFile {
  readonly path: string;
  /** Of a transformation; Node knows it by the time that the file's code runs. */
  readonly map: SourceMap | undefined;
}

/** As the source has it, where the file went through a transformation. */
function written({ path: file, map }: SourceFile, line: number, frame: NodeJS.CallSite): CallSource {
  const column = frame.getColumnNumber();
  const mapped = map?.findEntry(line - 1, (column ?? 1) - 1);
  const place =
    mapped !== undefined && 'originalLine' in mapped
      ? { line: mapped.originalLine + 1, column: mapped.originalColumn + 1 }
      : { line, column };
  return { file, ...place, function: nameOf(frame) };
}

/** Null for code at the top of a module, and for functions without a name. */
function nameOf(frame: NodeJS.CallSite): string | null {
  const name = frame.getFunctionName();
  if (name === null || name === '' || frame.isToplevel()) return name === '' ? null : name;
  const type = frame.getTypeName();
  return type === null || type === 'Object' || name.includes('.') ? name : `${type}.${name}`;
}

function deepFrames(): readonly NodeJS.CallSite[] {
  const own = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  Error.prepareStackTrace = (_, callSites) => callSites;
  try {
    const frames: unknown = deepStack().stack;
    return Array.isArray(frames) ? (frames as NodeJS.CallSite[]) : [];
  } finally {
    if (own === undefined) Reflect.deleteProperty(Error, 'prepareStackTrace');
    else Object.defineProperty(Error, 'prepareStackTrace', own);
  }
}

/** `    at name (place:line:column)` or `    at place:line:column`. */
function frameOf(line: string): Required<Place> | undefined {
  const match = /^\s+at (?:.*\()?((?:file:\/\/|\/|[A-Za-z]:[\\/]).*?):(\d+):(\d+)\)?$/.exec(line);
  if (match === null) return undefined;
  const [, place = '', lineNumber, column] = match;
  return { file: toPath(place), line: Number(lineNumber), column: Number(column) };
}

/**
 * Where a SyntaxError is, from the lines that Node puts before its name: the place, source lines and carets under the
 * last of them. Undefined where there are none: of a module's syntax error V8 does not tell where it is.
 */
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
