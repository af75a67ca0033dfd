import { readBlockLine, enclosingBlock } from './blockLines.ts';
import type { LinedText } from '../text.ts';
import type { CaretPath, KeyCaret, ValueCaret } from './caretTypes.ts';

/** Lines in which the outermost bracket above the caret is searched. */
const mostLines = 200;
const mostCharacters = 5000;
/** No config nests deeper; the parser gives up there too. */
const deepestNesting = 200;

interface Frame {
  readonly open: '{' | '[';
  readonly done: string[];
  /** The key whose value is being read. */
  key: string | undefined;
  /** The start of the current part. */
  from: number;
}

/** The same as `caretAt`, for an offset within `{…}` or `[…]`. Undefined elsewhere, and in texts of several lines. */
export function flowCaret(document: LinedText, offset: number): KeyCaret | ValueCaret | undefined {
  const begin = beginOfFlow(document, offset);
  if (begin === undefined) return undefined;
  const { text } = document;
  const frames = readFrames(text, begin.offset, offset);
  const frame = frames?.at(-1);
  if (frames === undefined || frame === undefined) return undefined;
  const path = frames.reduce<CaretPath>((above, one, index) => {
    if (one.open === '[') return [...above, 0];
    if (one.key !== undefined) return [...above, one.key];
    return index === frames.length - 1 ? above : [...above, ''];
  }, begin.path);
  const start = frame.from + leadingBlanks(text.slice(frame.from, offset));
  const tail = /^[^,{}[\]\r\n#]*/.exec(text.slice(offset, offset + mostCharacters))?.[0] ?? '';
  if (frame.open === '{' && frame.key === undefined) {
    const written = text.slice(start, offset);
    if (!/^[\w.-]*$/.test(written)) return undefined;
    const word = /^[\w.-]*/.exec(tail)?.[0] ?? '';
    const isComplete = /^[ \t]*:/.test(tail.slice(word.length));
    const present = new Set([...frame.done, ...keysBehind(text, offset + word.length)]);
    return {
      kind: 'key',
      path,
      span: { start, end: offset + word.length },
      present,
      column: undefined,
      isComplete,
    };
  }
  // A text of several lines is more likely one that a bracket without its end runs into.
  if (/[\r\n]/.test(text.slice(start, offset))) return undefined;
  const end = offset + tail.trimEnd().length;
  const lead = text.charAt(start - 1) === ':' ? ' ' : '';
  const present = new Set(frame.open === '[' ? frame.done : []);
  return { kind: 'value', path, span: { start, end }, lead, present, inFlow: true };
}

function leadingBlanks(text: string): number {
  return text.length - text.trimStart().length;
}

/** The value in brackets that the offset may be within: on its own line, or on one above that it is indented below. */
function beginOfFlow(document: LinedText, offset: number): { path: CaretPath; offset: number } | undefined {
  const { line: last } = document.lines.position(offset);
  let least = Infinity;
  for (let line = last; line >= Math.max(0, last - mostLines); line--) {
    const { marks, rest } = readBlockLine(document, line);
    const span = document.lines.line(line);
    const column = marks[0]?.column ?? document.text.slice(span.start, span.end).search(/\S|$/);
    const mark = marks.at(-1);
    const opens = /[{[]/.test(document.text.charAt(rest.start)) && rest.start < offset;
    if (opens && mark !== undefined && column < least) {
      const surrounding = enclosingBlock(
        document,
        line,
        mark.key === undefined ? mark.column + 1 : mark.column,
      );
      if (surrounding === undefined) return undefined;
      const path = mark.key === undefined ? surrounding.path : [...surrounding.path, mark.key];
      if (readFrames(document.text, rest.start, offset) !== undefined) return { path, offset: rest.start };
    }
    if (opens && mark === undefined && column === 0 && line === 0) return { path: [], offset: rest.start };
    if (span.end > span.start) least = Math.min(least, column);
    if (least === 0) return undefined;
  }
  return undefined;
}

/** The brackets that are open at `to`; undefined when they are closed before. */
function readFrames(text: string, begin: number, to: number): Frame[] | undefined {
  const frames: Frame[] = [];
  /** True if only blanks follow the last bracket, comma or colon. */
  let isStart = true;
  for (let at = begin; at < to; at++) {
    const character = text.charAt(at);
    const frame = frames.at(-1);
    const wasStart = isStart;
    isStart &&= /\s/.test(character);
    if (character === '{' && text.charAt(at - 1) === '$') {
      // An interpolation, which may be unfinished.
      at = Math.min(endOf(text, at, '}'), to);
    } else if ((character === '{' || character === '[') && wasStart) {
      if (frames.length === deepestNesting) return undefined;
      frames.push({ open: character, done: [], key: undefined, from: at + 1 });
      isStart = true;
    } else if (character === '}' || character === ']') {
      if (frames.pop() === undefined || frames.length === 0) return undefined;
    } else if ((character === '"' || character === "'") && wasStart) {
      at = endOf(text, at, character);
    } else if (character === '#' && /\s/.test(text.charAt(at - 1))) {
      at = endOf(text, at, '\n');
    } else if (frame !== undefined && endsPart(text, at, frame)) {
      isStart = true;
    }
  }
  return frames.length > 0 ? frames : undefined;
}

/** Takes note of a `,`, or of the `:` behind a key. */
function endsPart(text: string, at: number, frame: Frame): boolean {
  const character = text.charAt(at);
  if (character === ',') {
    frame.done.push(frame.key ?? bare(text.slice(frame.from, at)));
    frame.key = undefined;
  } else if (character === ':' && frame.open === '{' && /^[\s,[\]{}]?$/.test(text.charAt(at + 1))) {
    frame.key ??= bare(text.slice(frame.from, at));
  } else return false;
  frame.from = at + 1;
  return true;
}

function endOf(text: string, at: number, end: string): number {
  const found = text.indexOf(end, at + 1);
  return found === -1 ? text.length : found;
}

function bare(text: string): string {
  return text.trim().replace(/^(['"])(.*)\1$/s, '$2');
}

/** Keys between an offset and the end of the braces around it. */
function keysBehind(text: string, offset: number): string[] {
  const keys: string[] = [];
  let depth = 0;
  let from = -1;
  const behind = text.slice(offset, offset + mostCharacters);
  for (const { index, 0: found } of behind.matchAll(/[{}[\],]|:(?=[\s,[\]{}]|$)/g)) {
    if (found === '}' || found === ']') depth -= 1;
    if (depth < 0) break;
    if (found === '{' || found === '[') depth += 1;
    if (depth > 0) continue;
    if (found === ':' && from !== -1) keys.push(bare(behind.slice(from, index)));
    from = found === ',' ? index + 1 : -1;
  }
  return keys;
}
