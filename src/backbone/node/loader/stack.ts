/** Finds locations in the text of a stack, which every version of Node.js has for every kind of error. */
import { findSourceMap, type SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Location } from '../../../base/core/errors.ts';
import type { CallSource } from '../../../tracking/core/records/trace.ts';
import type { UserFiles } from './userFiles.ts';

/**
 * Returns the topmost frame in the user's code: not in a package, Node.js or this program. Node.js has already mapped
 * frames of transformed files to their sources. Returns undefined for a value without a stack.
 */
export function topUserFrame(error: unknown, userFiles: UserFiles): Location | undefined {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return undefined;
  for (const line of error.stack.split('\n')) {
    const frame = frameOf(line);
    if (frame !== undefined && userFiles.includes(frame.file)) return frame;
  }
  return undefined;
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

interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Finds the line of the user's code that called the running code, across awaits. It is used for every LLM call, so it
 * reads frames one by one: formatting the stack takes several times as long.
 */
export class CallSources {
  readonly #userFiles: UserFiles;
  /** User files by the names in frames; null for other files. */
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
  /** The source map of a transformed file. Node.js knows it before the code of the file runs. */
  readonly map: SourceMap | undefined;
}

/** Returns the location of a frame in the source, mapped if the file was transformed. */
function written({ path: file, map }: SourceFile, line: number, frame: NodeJS.CallSite): CallSource {
  const column = frame.getColumnNumber();
  const mapped = map?.findEntry(line - 1, (column ?? 1) - 1);
  const place =
    mapped !== undefined && 'originalLine' in mapped
      ? { line: mapped.originalLine + 1, column: mapped.originalColumn + 1 }
      : { line, column };
  return { file, ...place, function: nameOf(frame) };
}

/** Returns the function of a frame, or null at the top of a module and in functions without a name. */
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
 * Returns the location of a SyntaxError from the lines before its name: the file, source lines and carets. Returns
 * undefined without them: V8 does not locate syntax errors of modules.
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
