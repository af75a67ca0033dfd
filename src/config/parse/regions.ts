import type { Entry, MappingNode, Node } from '../node.ts';
import type { Span } from '../text.ts';

/** Some entries of a block mapping that have their lines to themselves. */
export interface Region {
  /** Those lines. */
  readonly span: Span;
  readonly mapping: MappingNode;
  /** The entries: from `first` up to `end`. */
  readonly first: number;
  readonly end: number;
  /** Column of the mapping's keys. */
  readonly column: number;
  /** Where the mapping is: indices of entries and items, from the root. */
  readonly path: readonly number[];
}

/** The regions that a change of `changed` leaves the surroundings of alone; smaller ones first. */
export function regionsAround(root: Node | undefined, text: string, changed: Span): Region[] {
  const regions: Region[] = [];
  const path: number[] = [];
  let node = root;
  let limit = text.length;
  while (node !== undefined) {
    const starts = startsOf(node)?.map((start) => lineStart(text, start));
    if (starts === undefined) break;
    const first = starts.findLastIndex((start) => start <= changed.start);
    const found = starts.findIndex((start) => start > changed.end);
    const end = found === -1 ? starts.length : found;
    if (first === -1) break;
    if (node.kind === 'mapping') {
      const shared = { mapping: node, text, starts, limit, path: [...path] };
      regions.unshift(...regionOf(shared, first, end), ...regionOf(shared, first - 1, end + 1));
    }
    if (end !== first + 1) break;
    limit = starts[end] ?? limit;
    path.push(first);
    node = node.kind === 'mapping' ? valueBefore(node.entries[first], changed) : childOf(node, first);
  }
  return regions;
}

/** Where the parts of a block stand; undefined for what has none. */
function startsOf(node: Node): number[] | undefined {
  if (node.kind === 'mapping' && !node.flow) return node.entries.map(({ keySpan }) => keySpan.start);
  return node.kind === 'sequence' ? node.items.map(({ span }) => span.start) : undefined;
}

/** A change before or in a key is none of its value alone. */
function valueBefore(entry: Entry | undefined, changed: Span): Node | undefined {
  return entry !== undefined && entry.keySpan.end < changed.start ? entry.value : undefined;
}

function childOf(node: Node, index: number): Node | undefined {
  return node.kind === 'sequence' ? node.items[index] : undefined;
}

interface Level {
  readonly mapping: MappingNode;
  readonly text: string;
  /** Where the lines of the entries start. */
  readonly starts: readonly number[];
  /** Where the last entry's lines end. */
  readonly limit: number;
  readonly path: readonly number[];
}

/** None where the first entry shares its line with something else, such as a `-`. */
function regionOf({ mapping, text, starts, limit, path }: Level, from: number, to: number): Region[] {
  const first = Math.max(0, from);
  const end = Math.min(to, starts.length);
  const start = starts[first];
  const key = mapping.entries[first]?.keySpan.start;
  if (start === undefined || key === undefined || text.slice(start, key).trim() !== '') return [];
  const span = { start, end: starts[end] ?? limit };
  return [{ span, mapping, first, end, column: key - start, path }];
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}
