/** Places in the text of a stack, which is the one thing that every Node gives for every kind of error. */
import { fileURLToPath } from 'node:url';
import type { Location } from '../../base/errors.ts';
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

/** `    at name (place:line:column)` or `    at place:line:column`. */
function frameOf(line: string): (Location & { file: string }) | undefined {
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
