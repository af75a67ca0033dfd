import { nodesIn, type Node } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';
import type { Span, TextRange } from '../text.ts';
import { contains } from './nodeAtOffset.ts';

export interface ConfigSymbol {
  readonly name: string;
  readonly kind: 'section' | 'list' | 'text' | 'number' | 'boolean' | 'null';
  /** The value, shortened; of sections and lists nothing. */
  readonly detail: string;
  /** Key and value. */
  readonly range: TextRange;
  /** The key. */
  readonly selection: TextRange;
  readonly children: readonly ConfigSymbol[];
}

const longestDetail = 80;

/** Returns the nested keys of a text, without values from aliases. Of list items only sections are included. */
export function symbolsOf(document: ConfigDocument): ConfigSymbol[] {
  return document.root === undefined ? [] : symbolsIn(document, document.root);
}

function symbolsIn(document: ConfigDocument, node: Node): ConfigSymbol[] {
  if (node.kind === 'mapping') {
    const written = node.entries.filter(({ keySpan }) => isWithin(keySpan, node.span));
    return written.map(({ key, keySpan, value }) => {
      // An alias leads to a value that is written elsewhere.
      const own = value.span.start >= keySpan.end && isWithin(value.span, node.span);
      const span = own ? { start: keySpan.start, end: value.span.end } : keySpan;
      return symbolOf(document, key === '' ? '""' : key, value, { span, selection: keySpan, isOwn: own });
    });
  }
  if (node.kind !== 'sequence') return [];
  return node.items.flatMap((item, index) => {
    if (item.kind !== 'mapping' || !isWithin(item.span, node.span)) return [];
    const { start, end } = item.span;
    const lineEnd = document.lines.line(document.lines.position(start).line).end;
    const selection = { start, end: Math.min(end, lineEnd) };
    return symbolOf(document, `[${index}]`, item, { span: item.span, selection, isOwn: true });
  });
}

function symbolOf(
  document: ConfigDocument,
  name: string,
  node: Node,
  { span, selection, isOwn }: { readonly span: Span; readonly selection: Span; readonly isOwn: boolean },
): ConfigSymbol {
  const children = isOwn ? symbolsIn(document, node) : [];
  // In broken text a child may be longer than what is left of its parent.
  const inside = children.map(({ range }) => range.end.offset);
  const end = Math.max(endOf(document, span), selection.end, inside.at(-1) ?? 0);
  const range = document.lines.range({ start: span.start, end });
  return { name, ...shown(node), range, selection: document.lines.range(selection), children };
}

function isWithin(inner: Span, outer: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

function shown(node: Node): Pick<ConfigSymbol, 'kind' | 'detail'> {
  if (node.kind === 'mapping') return { kind: 'section', detail: '' };
  if (node.kind === 'sequence') return { kind: 'list', detail: '' };
  if (node.kind === 'opaque') return { kind: 'null', detail: '' };
  const { value } = node;
  if (value === null) return { kind: 'null', detail: '' };
  const [line = ''] = String(value).split(/\r\n|\n|\r/);
  const detail = line.length < longestDetail ? line : `${line.slice(0, longestDetail - 1)}…`;
  if (typeof value === 'string') return { kind: 'text', detail };
  return { kind: typeof value === 'number' ? 'number' : 'boolean', detail };
}

/** Blank lines and comments behind a section are not its. */
function endOf({ text }: ConfigDocument, { start, end }: Span): number {
  return start + text.slice(start, end).trimEnd().length;
}

/** Both lines are 0-based; `endLine` is the last that disappears. */
export interface Fold {
  readonly startLine: number;
  readonly endLine: number;
  readonly kind?: 'comment' | 'region';
}

/** Returns the folds of sections, lists, texts and comments of several lines, and `# region` … `# endregion`. */
export function foldingOf(document: ConfigDocument): Fold[] {
  const folds: Fold[] = [];
  const texts: Span[] = [];
  if (document.root !== undefined) foldNodes(document, document.root, folds, texts);
  return [...folds, ...commentFolds(document, texts)].sort(
    (a, b) => a.startLine - b.startLine || b.endLine - a.endLine,
  );
}

function foldNodes(document: ConfigDocument, node: Node, folds: Fold[], texts: Span[]): void {
  const { lines } = document;
  const foldFrom = (start: number, span: Span): void => {
    const startLine = lines.position(start).line;
    const endLine = lines.position(endOf(document, span)).line;
    if (endLine > startLine) folds.push({ startLine, endLine });
  };
  if (node.kind === 'mapping') {
    for (const { keySpan, value } of node.entries) {
      if (!isWithin(keySpan, node.span) || value.span.start < keySpan.end || !isWithin(value.span, node.span))
        continue;
      foldFrom(keySpan.start, value.span);
      foldNodes(document, value, folds, texts);
    }
  } else if (node.kind === 'sequence') {
    for (const item of node.items) {
      if (!isWithin(item.span, node.span)) continue;
      if (item.kind === 'mapping' || item.kind === 'sequence') foldFrom(item.span.start, item.span);
      foldNodes(document, item, folds, texts);
    }
  } else if (node.kind === 'scalar' && node.style !== 'plain') texts.push(node.span);
}

function commentFolds(document: ConfigDocument, texts: readonly Span[]): Fold[] {
  const folds: Fold[] = [];
  const regions: number[] = [];
  let start: number | undefined;
  let nextText = 0;
  for (let line = 0; line <= document.lines.count; line += 1) {
    const span = document.lines.line(line);
    while ((texts[nextText]?.end ?? Infinity) <= span.start) nextText += 1;
    const inText = (texts[nextText]?.start ?? Infinity) < span.start;
    const written = line < document.lines.count ? document.text.slice(span.start, span.end).trimStart() : '';
    const comment = !inText && written.startsWith('#') ? written : undefined;
    const [, mark] = /^#\s*(region|endregion)\b/.exec(comment ?? '') ?? [];
    if (mark === 'region') regions.push(line);
    const from = mark === 'endregion' ? regions.pop() : undefined;
    if (from !== undefined) folds.push({ startLine: from, endLine: line, kind: 'region' });
    if (comment !== undefined && mark === undefined) start ??= line;
    else {
      if (start !== undefined && line - start > 1)
        folds.push({ startLine: start, endLine: line - 1, kind: 'comment' });
      start = undefined;
    }
  }
  return folds;
}

/** Returns the ranges for "Expand Selection" at an offset, the smallest first. */
export function selectionRangesAt(document: ConfigDocument, offset: number): TextRange[] {
  const spans: Span[] = [{ start: 0, end: document.text.length }];
  const add = (span: Span): void => {
    const last = spans.at(-1);
    // Blank ends are cut off, so that what is inside may stick out.
    if (last === undefined || !isWithin(span, last) || !contains(span, offset)) return;
    if (span.start > last.start || span.end < last.end) spans.push(span);
  };
  const addTrimmed = (span: Span): void => add({ start: span.start, end: endOf(document, span) });
  for (const { node, entry } of nodesIn(document.root)) {
    if (entry !== undefined) {
      const { keySpan } = entry;
      addTrimmed({ start: keySpan.start, end: Math.max(keySpan.end, node.span.end) });
      add(keySpan);
    }
    addTrimmed(node.span);
  }
  return spans.toReversed().map((span) => document.lines.range(span));
}
