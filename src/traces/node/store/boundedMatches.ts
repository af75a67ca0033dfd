import { createContext, Script } from 'node:vm';
import type { Range } from '../../core/align.ts';
import { storeErrors } from './errors.ts';

/** Milliseconds that a pattern may take on one text. */
const longest = 1_000;

/** Matches that are not empty, as a list of starts and ends. */
const search = new Script(`{
  const found = [];
  for (const match of text.matchAll(pattern)) {
    if (match[0] === '') continue;
    found.push(match.index, match.index + match[0].length);
    if (found.length >= 2 * most) break;
  }
  found.join();
}`);

/**
 * Matches of a pattern that somebody typed: one that goes back and forth for ever is stopped, for a server that
 * searches answers nobody else meanwhile.
 *
 * @throws CodedError `trace/slow-pattern`
 */
export function boundedMatches(pattern: RegExp, text: string, most: number): readonly Range[] {
  const context = createContext({ pattern, text, most });
  let found: string;
  try {
    found = String(search.runInContext(context, { timeout: longest }));
  } catch (error) {
    throw isTimeout(error) ? storeErrors.slowPattern(pattern.source) : error;
  }
  const ends = found === '' ? [] : found.split(',').map(Number);
  return Array.from({ length: ends.length / 2 }, (_, index) => ({
    from: ends[2 * index] ?? 0,
    end: ends[2 * index + 1] ?? 0,
  }));
}

/** It is no `Error` of this side: it comes from where the pattern was run. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
