import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  parseTree,
  stripComments,
  type Node,
  type ParseError,
} from 'jsonc-parser';

/**
 * Returns a tsconfig.json in which `compilerOptions.paths` maps `name` to `places`. It keeps the text and the comments of
 * the user. A text with the mapping is returned unchanged. Returns undefined for a text that is not a tsconfig.json.
 */
export function withPathMapping(text: string, name: string, places: readonly string[]): string | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root === undefined || errors.length > 0) return undefined;
  const path = ['compilerOptions', 'paths', name];
  const present = findNodeAtLocation(root, path);
  if (present !== undefined && isSame(getNodeValue(present), places)) return text;
  const depth =
    [3, 2, 1, 0].find((steps) => findNodeAtLocation(root, path.slice(0, steps)) !== undefined) ?? 0;
  if (depth === path.length) return applyEdits(text, modify(text, path, places, {}));
  const parent = findNodeAtLocation(root, path.slice(0, depth));
  if (parent?.type !== 'object') return undefined;
  const value = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), places);
  return withProperty(text, parent, `"${path[depth] ?? ''}": ${onOneLine(value)}`);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function onOneLine(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replaceAll(/\n */g, ' ');
}

/** Adds behind everything the object has, so that a comment at the end of a line stays with that line's property. */
function withProperty(text: string, { offset, length, children = [] }: Node, property: string): string {
  const closing = offset + length - 1;
  const last = children.at(-1);
  const lastEnd = last === undefined ? offset + 1 : last.offset + last.length;
  const behind = text.slice(lastEnd, closing);
  const needsComma = last !== undefined && !stripComments(behind).includes(',');
  const isOneLine = !text.slice(offset, closing).includes('\n');
  const place = lastEnd + behind.trimEnd().length;
  return [
    text.slice(0, lastEnd),
    needsComma ? ',' : '',
    text.slice(lastEnd, place),
    isOneLine ? ' ' : newLine(text, last?.offset ?? offset, last === undefined ? '  ' : ''),
    property,
    isOneLine && place === closing ? ' ' : '',
    text.slice(place),
  ].join('');
}

/** The end of a line, and the indentation of the line that `offset` is in, plus `deeper`. */
function newLine(text: string, offset: number, deeper: string): string {
  const start = text.lastIndexOf('\n', offset) + 1;
  const indentation = /^[ \t]*/.exec(text.slice(start))?.[0] ?? '';
  return `${text.includes('\r\n') ? '\r\n' : '\n'}${indentation}${deeper}`;
}
