import { shallowJson } from '../shallowJson.ts';
import { JsonValues } from './jsonValues.ts';
import type { ImportSink, ImportSource } from './parts.ts';

/** The longest line in characters. Longer lines are reported and skipped. */
export const longestLine = 2 ** 28;

export interface SourceLine {
  /** The line number, counted from 1. */
  readonly line: number;
  /** The line without its end; null: it is longer than {@link longestLine}. */
  readonly text: string | null;
}

/** Yields the lines of a text that arrives in pieces. */
export async function* linesOf(
  pieces: AsyncIterable<string>,
  longest = longestLine,
): AsyncGenerator<SourceLine> {
  let line = 1;
  let open: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', start)) {
      length += end - start;
      if (length <= longest) open.push(piece.slice(start, end));
      yield { line, text: length <= longest ? textOf(open, line) : null };
      [open, length, start] = [[], 0, end + 1];
      line += 1;
    }
    length += piece.length - start;
    if (length <= longest) open.push(piece.slice(start));
    else open = [];
  }
  if (length > 0) yield { line, text: length <= longest ? textOf(open, line) : null };
}

function textOf(pieces: readonly string[], line: number): string {
  const text = pieces.join('');
  const begin = line === 1 && text.startsWith('\ufeff') ? 1 : 0;
  return text.slice(begin, text.endsWith('\r') ? -1 : undefined);
}

export interface SourceValue {
  /** e.g. `line 12`. */
  readonly where: string;
  readonly path: string;
  /** The parsed JSON; undefined: it is not valid, or nested too deeply. */
  readonly value: unknown;
}

/** Number of characters that decide the format of a file and how it is read. */
export const headLength = 2 ** 20;

/**
 * Yields the JSON values of a file. If each line is one value, an invalid line does not affect the others. Otherwise
 * {@link JsonValues} finds the values at the wanted paths, and a truncated file is reported. In lists, the whole list
 * is not yielded, even if `''` is wanted.
 */
export async function* eachValue(
  source: ImportSource,
  wanted: readonly string[],
  sink: Pick<ImportSink, 'skip'>,
): AsyncGenerator<SourceValue> {
  const head = await headOf(source);
  if (isByLine(head)) {
    for await (const { line, text } of linesOf(source.pieces())) {
      if (text === null) sink.skip(`line ${line}`, 'it is too long');
      else if (text.trim() !== '') yield { where: `line ${line}`, path: '', value: shallowJson(text) };
    }
    return;
  }
  const isList = head.startsWith('[');
  const paths = wanted.filter((path) => path !== '' || !isList);
  const values = new JsonValues(paths, longestLine);
  for await (const piece of source.pieces()) {
    for (const { path, line, text } of values.push(piece)) {
      if (text === null) sink.skip(`line ${line}`, 'it is too long');
      else yield { where: `line ${line}`, path, value: shallowJson(text) };
    }
  }
  const { whole, line } = values.end();
  if (!whole) sink.skip(`line ${line}`, 'the file ends in the middle of a value');
}

/** Returns the beginning of a text, without a byte order mark and blanks before the first character. */
export async function headOf(source: ImportSource): Promise<string> {
  let head = '';
  for await (const piece of source.pieces()) {
    head += piece;
    if (head.length >= headLength) break;
  }
  return head
    .slice(0, headLength)
    .replace(/^\ufeff/, '')
    .trimStart();
}

/** @param text the {@link headOf} the file */
export function isByLine(text: string): boolean {
  const end = text.indexOf('\n');
  if (end < 0 || text.startsWith('[') || text.slice(end).trim() === '') return false;
  // The first line may be invalid. Then the second decides.
  return text.split('\n', 3).some((line) => line.trim().startsWith('{') && shallowJson(line) !== undefined);
}
