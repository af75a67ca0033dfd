import { countWhile } from '../../../base/core/countWhile.ts';
import { hasInterpolation, nodesIn, type Node, type ScalarNode } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';
import type { Span } from '../text.ts';
import { isFailure, parseText, type Interpolation, type Template } from './grammar.ts';
import { absolutePath } from './path.ts';
import { pathResolvers } from './resolverDocs.ts';

/** One `${…}` of a text; those nested in another come after it. */
export interface InterpolationReference {
  /** From the `$` to behind the `}`. */
  readonly span: Span;
  /** The path of the value that contains it, with list items by index. */
  readonly place: readonly string[];
  /** Absolute path that it asks for; undefined where that is not written out, as in `${a.${b}}` and `${oc.env:X}`. */
  readonly path: readonly string[] | undefined;
  /** Name of the resolver, such as `oc.env`. */
  readonly resolver?: string;
  /** The text between the braces. */
  readonly written: string;
  /** The keys of the path as they are written, the last of them ending it. */
  readonly keys: readonly { readonly name: string; readonly span: Span }[];
}

/** Every interpolation of a text, in its order; a value that aliases repeat counts where it is written. */
export function interpolationsIn(document: ConfigDocument): readonly InterpolationReference[] {
  const references: InterpolationReference[] = [];
  const seen = new Set<Node>();
  for (const { node, path } of nodesIn(document.root)) {
    if (node.kind !== 'scalar' || seen.has(node)) continue;
    seen.add(node);
    references.push(...interpolationsOf(document, node, path.map(String)));
  }
  return references.sort((a, b) => a.span.start - b.span.start);
}

/** Those of one value. None where it cannot be read. */
export function interpolationsOf(
  document: ConfigDocument,
  node: ScalarNode,
  place: readonly string[],
): InterpolationReference[] {
  if (!hasInterpolation(node) || typeof node.value !== 'string') return [];
  const template = parseText(node.value);
  if (isFailure(template)) return [];
  const { value } = node;
  const spanIn = sourceSpans(document, node);
  return inTemplate(template).map((found): InterpolationReference => {
    const span = spanIn(found);
    const written = value.slice(found.start + 2, found.end - 1).trim();
    const base = { span, place, written };
    if (found.kind === 'call') return { ...base, ...calledPath(found, place), keys: [] };
    const path = found.path.every((part) => typeof part === 'string') ? found.path.join('') : undefined;
    const keys = found.keys.map(({ name, start }) => {
      return { name, span: spanIn({ start, end: start + name.length }) };
    });
    return { ...base, path: path === undefined ? undefined : absolutePath(path, place), keys };
  });
}

/** Returns the spans in the document for spans in the value. Quoting and folding keep the order of `${` and `}`. */
export function sourceSpans(
  { text }: Pick<ConfigDocument, 'text'>,
  node: ScalarNode,
): (inside: Span) => Span {
  const value = String(node.value);
  const raw = text.slice(node.span.start, node.span.end);
  for (const shift of [0, 1]) {
    if (raw.startsWith(value, shift)) {
      const by = node.span.start + shift;
      return ({ start, end }) => ({ start: start + by, end: end + by });
    }
  }
  const marks = { value: marksOf(value), raw: marksOf(raw) };
  if (marks.value.length !== marks.raw.length) return () => node.span;
  return ({ start, end }) => {
    const before = Math.max(0, countWhile(marks.value, (mark) => mark <= start) - 1);
    const [inValue = 0, inRaw = 0] = [marks.value[before], marks.raw[before]];
    if (start >= inValue && raw.startsWith(value.slice(inValue, end), inRaw)) {
      const by = node.span.start + inRaw - inValue;
      return { start: start + by, end: end + by };
    }
    const lastMark = countWhile(marks.value, (mark) => mark < end) - 1;
    const last = marks.raw[Math.max(before, lastMark)] ?? raw.length - 1;
    return { start: node.span.start + inRaw, end: node.span.start + last + 1 };
  };
}

/** Offsets of every `${` and `}`. */
function marksOf(text: string): readonly number[] {
  return Array.from(text.matchAll(/\$\{|\}/g), ({ index }) => index);
}

function calledPath(
  call: Extract<Interpolation, { kind: 'call' }>,
  place: readonly string[],
): { resolver: string; path: readonly string[] | undefined } {
  const resolver = call.name.map((part) => (typeof part === 'string' ? part : '…')).join('');
  const [first] = call.arguments;
  const text = first?.kind === 'text' ? first.text : undefined;
  const written = text?.every((part) => typeof part === 'string') === true ? text.join('') : undefined;
  const names = pathResolvers.has(resolver) && written !== undefined;
  return { resolver, path: names ? absolutePath(written, place) : undefined };
}

function inTemplate(template: Template): Interpolation[] {
  return template.flatMap((part) => (typeof part === 'string' ? [] : [part, ...nestedIn(part)]));
}

function nestedIn(interpolation: Interpolation): Interpolation[] {
  if (interpolation.kind === 'path') return inTemplate(interpolation.path);
  return [
    ...inTemplate(interpolation.name),
    ...interpolation.arguments.flatMap((one) => (one.kind === 'text' ? inTemplate(one.text) : [])),
  ];
}
