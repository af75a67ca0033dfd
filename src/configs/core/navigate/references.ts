import type { ConfigContext } from '../context.ts';
import { interpolationsIn, type InterpolationReference } from '../interpolation/references.ts';
import type { ConfigDocument } from '../parse.ts';
import type { Span, TextRange } from '../text.ts';
import { anchorMarks, groupOf, type AnchorMark } from './anchors.ts';
import { contains, nodeAtOffset, spanOfPath } from './nodeAtOffset.ts';

type KeyPath = readonly string[];

export interface PathUse {
  readonly path: KeyPath;
  readonly span: Span;
}

/** The keys that an interpolation names, each with its path from the top. */
export function pathUses({ path, keys }: InterpolationReference): PathUse[] {
  if (path === undefined) return [];
  const first = path.length - keys.length;
  return first < 0 ? [] : keys.map(({ span }, index) => ({ path: path.slice(0, first + index + 1), span }));
}

/** The innermost interpolation at an offset, and the path that is meant there: up to the key at the offset. */
export function interpolationAt(
  document: ConfigDocument,
  offset: number,
): { readonly reference: InterpolationReference; readonly use: PathUse | undefined } | undefined {
  const around = interpolationsIn(document).filter(({ span }) => contains(span, offset));
  const reference = around.toSorted((a, b) => a.span.end - a.span.start - (b.span.end - b.span.start))[0];
  if (reference === undefined) return undefined;
  const uses = pathUses(reference);
  const { path, span } = reference;
  const whole = path === undefined ? undefined : { path, span };
  return { reference, use: uses.find((use) => contains(use.span, offset)) ?? uses.at(-1) ?? whole };
}

/** Names of anchors are no longer than this. */
const longestMark = 200;

/** The anchor or alias at an offset, with all marks of the text. */
export function markAt(
  { text }: ConfigDocument,
  offset: number,
): { readonly mark: AnchorMark; readonly marks: readonly AnchorMark[] } | undefined {
  // Reading the whole text is for when there is a mark to be found.
  if (!/[&*][^\s,[\]{}]*[^]?$/.test(text.slice(Math.max(0, offset - longestMark), offset + 1)))
    return undefined;
  const marks = anchorMarks(text);
  const mark = marks.find(({ span }) => contains({ start: span.start - 1, end: span.end }, offset));
  return mark && { mark, marks };
}

/** The path of the key, or of the key that an interpolation names, at an offset. */
export function keyPathAt(document: ConfigDocument, offset: number): KeyPath | undefined {
  const place = nodeAtOffset(document, offset);
  if (place?.part === 'key') return place.path.map(String);
  return interpolationAt(document, offset)?.use?.path;
}

/**
 * Returns the references to a key: its own place first, then each `${…}` that names it or goes through it. For an
 * anchor, returns its aliases. Otherwise empty.
 */
export function referencesAt({ document }: Pick<ConfigContext, 'document'>, offset: number): TextRange[] {
  const marked = markAt(document, offset);
  const spans =
    marked === undefined
      ? referencesTo(document, keyPathAt(document, offset))
      : groupOf(marked.marks, marked.mark).map((mark) => mark.span);
  return spans.map((span) => document.lines.range(span));
}

function referencesTo(document: ConfigDocument, path: KeyPath | undefined): Span[] {
  if (path === undefined) return [];
  const own = spanOfPath(document, path);
  return [...(own === undefined ? [] : [own]), ...usesOf(document, path)];
}

function usesOf(document: ConfigDocument, path: KeyPath): Span[] {
  return interpolationsIn(document).flatMap((reference): Span[] => {
    const uses = pathUses(reference);
    if (uses.length > 0) return uses.filter((use) => isSame(use.path, path)).map((use) => use.span);
    return reference.path !== undefined && isSame(reference.path, path) ? [reference.span] : [];
  });
}

export function isSame(a: readonly (string | number)[], b: readonly (string | number)[]): boolean {
  return a.length === b.length && a.every((step, index) => String(step) === String(b[index]));
}
