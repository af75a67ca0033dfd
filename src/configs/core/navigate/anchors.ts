import { Lexer } from 'yaml';
import type { Span } from '../text.ts';

/** `&name` or `*name` in a text. */
export interface AnchorMark {
  readonly kind: 'anchor' | 'alias';
  readonly name: string;
  /** The span of the name, without the mark. */
  readonly span: Span;
}

/** The marker that the lexer adds before scalars and between documents; it is not part of the text. */
const beforeScalar = '\u001f';
const controls: ReadonlySet<string> = new Set(['\u0002', '\u0018', beforeScalar]);

/** Returns all anchors and aliases in text order. It reads the whole text, so call it only on request. */
export function anchorMarks(text: string): AnchorMark[] {
  if (!/[&*]/.test(text)) return [];
  const marks: AnchorMark[] = [];
  let offset = text.startsWith('\uFEFF') ? 1 : 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (controls.has(token) && !text.startsWith(token, offset)) {
      isScalar = token === beforeScalar;
      continue;
    }
    const kind = markKinds[token.charAt(0)];
    if (!isScalar && kind !== undefined && token.length > 1) {
      marks.push({ kind, name: token.slice(1), span: { start: offset + 1, end: offset + token.length } });
    }
    isScalar = false;
    offset += token.length;
  }
  return marks;
}

const markKinds: Readonly<Record<string, AnchorMark['kind']>> = { '&': 'anchor', '*': 'alias' };

/** The anchor that a mark goes with: the last of its name before an alias, or itself. */
export function anchorOf(marks: readonly AnchorMark[], mark: AnchorMark): AnchorMark | undefined {
  if (mark.kind === 'anchor') return mark;
  return marks.findLast(
    ({ kind, name, span }) => kind === 'anchor' && name === mark.name && span.start < mark.span.start,
  );
}

/** An anchor and its aliases, in the order of the text. */
export function groupOf(marks: readonly AnchorMark[], mark: AnchorMark): AnchorMark[] {
  const anchor = anchorOf(marks, mark);
  return marks.filter((one) => one.name === mark.name && anchorOf(marks, one) === anchor);
}
