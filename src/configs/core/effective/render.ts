import type { NodePath } from '../node.ts';
import type { MappingValue, Origin, ScalarPart, Value } from '../value.ts';
import { originText } from './origins.ts';
import { literalBlock, yamlScalar, yamlText } from './yamlScalar.ts';

export interface RenderOptions {
  readonly format: 'yaml' | 'json';
  /** Adds where each value comes from: as comments in YAML, as a second tree in JSON. */
  readonly origins: boolean;
  /** Folder that files are named from. */
  readonly relativeTo?: string | undefined;
}

/** A line of the rendered text with its value. */
export interface RenderedLine {
  /** 0-based. */
  readonly line: number;
  readonly path: NodePath;
  readonly origin: Origin;
}

export interface Rendered {
  readonly text: string;
  /** In the order of the lines; sections and lists as well as what is in them. */
  readonly origins: readonly RenderedLine[];
}

/** Aliases can make a value far larger than its text; beyond this many lines the rest is left out and said so. */
const mostLines = 200_000;
/** The column of comments, unless a line is longer: a side editor has half the width of the window. */
const widestCode = 40;

interface Line {
  readonly code: string;
  readonly path: NodePath;
  /** Absent on the further lines of a text. */
  readonly origin?: Origin;
  /** False on the line of a section that is not empty, where a comment adds nothing. */
  readonly hasOrigin: boolean;
}

/**
 * The effective config as a text. As YAML it reads back to the same values; `${…}` that could not be resolved stays.
 * As JSON it is the config itself, infinity and NaN as YAML writes them; with origins it is
 * `{config, origins: {"dotted.path": "exp.yaml:12"}}`.
 */
export function renderEffective(root: MappingValue, options: RenderOptions): Rendered {
  const lines = new Lines();
  if (options.format === 'yaml') yamlDocument(root, lines);
  else jsonDocument(root, options, lines);
  const code = lines.all.map((line) => line.code);
  const commented = options.format === 'yaml' && options.origins;
  const text = commented ? withComments(lines.all, options.relativeTo) : code;
  if (lines.full && options.format === 'json') {
    // Truncated text is not valid JSON.
    return { text: `${JSON.stringify({ error: 'The config is too long to be shown.' })}\n`, origins: [] };
  }
  const cut = lines.full ? ['# The rest is left out: it is too long.'] : [];
  return { text: [...text, ...cut, ''].join('\n'), origins: places(lines.all) };
}

class Lines {
  readonly all: Line[] = [];

  get full(): boolean {
    return this.all.length >= mostLines;
  }

  add(code: string, path: NodePath, origin?: Origin, hasOrigin = false): void {
    if (!this.full) this.all.push({ code, path, hasOrigin, ...(origin && { origin }) });
  }
}

function places(lines: readonly Line[]): RenderedLine[] {
  return lines.flatMap(({ path, origin }, line) => (origin === undefined ? [] : [{ line, path, origin }]));
}

function withComments(lines: readonly Line[], relativeTo: string | undefined): string[] {
  const widths = lines.filter((line) => line.hasOrigin).map(({ code }) => code.length);
  const column = widths.reduce(
    (widest, width) => (width <= widestCode ? Math.max(widest, width) : widest),
    0,
  );
  return lines.map(({ code, origin, hasOrigin }) =>
    hasOrigin && origin !== undefined
      ? `${code.padEnd(column)}  # ${oneLine(originText(origin, relativeTo))}`
      : code,
  );
}

/** For a comment: it ends where the line does. */
export function oneLine(text: string): string {
  return text.replace(/[^\P{C}]|[\u2028\u2029]/gu, '?');
}

function yamlDocument(root: MappingValue, lines: Lines): void {
  if (root.entries.size === 0) lines.add('{}', [], root.origin, true);
  else yamlMapping(root, [], '', '', lines);
}

/** Renders a mapping. `first` replaces the indentation of the first key, for example `- ` in a list. */
function yamlMapping(value: MappingValue, path: NodePath, indent: string, first: string, lines: Lines): void {
  let lead = first === '' ? indent : first;
  for (const [key, child] of value.entries) {
    if (lines.full) return;
    yamlValue(child, [...path, key], indent, `${lead}${yamlText(key)}:`, lines);
    lead = indent;
  }
}

/** Renders a value. `head` is the text before the value on its line. */
function yamlValue(value: Value, path: NodePath, indent: string, head: string, lines: Lines): void {
  const below = `${indent}  `;
  switch (value.kind) {
    case 'scalar':
      yamlLeaf(value, path, below, head, lines);
      return;
    case 'mapping':
      if (value.entries.size === 0) lines.add(`${head} {}`, path, value.origin, true);
      else {
        lines.add(head, path, value.origin);
        yamlMapping(value, path, below, '', lines);
      }
      return;
    case 'sequence':
      if (value.items.length === 0) lines.add(`${head} []`, path, value.origin, true);
      else {
        lines.add(head, path, value.origin);
        for (const [index, item] of value.items.entries()) yamlItem(item, [...path, index], below, lines);
      }
  }
}

function yamlItem(item: Value, path: NodePath, indent: string, lines: Lines): void {
  if (lines.full) return;
  if (item.kind === 'mapping' && item.entries.size > 0) {
    yamlMapping(item, path, `${indent}  `, `${indent}- `, lines);
  } else yamlValue(item, path, indent, `${indent}-`, lines);
}

function yamlLeaf(value: ScalarPart, path: NodePath, indent: string, head: string, lines: Lines): void {
  const block = typeof value.value === 'string' ? literalBlock(value.value) : undefined;
  if (block === undefined) {
    lines.add(`${head} ${yamlScalar(value)}`, path, value.origin, true);
    return;
  }
  lines.add(`${head} ${block.header}`, path, value.origin, true);
  for (const line of block.lines) lines.add(line === '' ? '' : indent + line, path);
}

function jsonDocument(root: MappingValue, options: RenderOptions, lines: Lines): void {
  if (!options.origins) {
    jsonValue(root, [], { indent: '', head: '', tail: '' }, lines);
    return;
  }
  lines.add('{', []);
  jsonValue(root, [], { indent: '  ', head: '  "config": ', tail: ',' }, lines);
  const withOrigin = lines.all.filter((line) => line.hasOrigin);
  lines.add('  "origins": {', []);
  for (const [index, { path, origin }] of withOrigin.entries()) {
    const tail = index === withOrigin.length - 1 ? '' : ',';
    const text = origin === undefined ? '' : originText(origin, options.relativeTo);
    lines.add(`    ${JSON.stringify(path.join('.'))}: ${JSON.stringify(text)}${tail}`, path);
  }
  lines.add('  }', []);
  lines.add('}', []);
}

interface JsonLine {
  readonly indent: string;
  readonly head: string;
  /** The comma behind it, where more follows. */
  readonly tail: string;
}

function jsonValue(value: Value, path: NodePath, { indent, head, tail }: JsonLine, lines: Lines): void {
  if (value.kind === 'scalar') {
    lines.add(`${head}${jsonScalar(value)}${tail}`, path, value.origin, true);
    return;
  }
  const [open, close] = value.kind === 'mapping' ? '{}' : '[]';
  const children = value.kind === 'mapping' ? [...value.entries] : [...value.items.entries()];
  if (children.length === 0) {
    lines.add(`${head}${open ?? ''}${close ?? ''}${tail}`, path, value.origin, true);
    return;
  }
  lines.add(`${head}${open ?? ''}`, path, value.origin);
  const below = `${indent}  `;
  for (const [index, [key, child]] of children.entries()) {
    const name = typeof key === 'string' ? `${JSON.stringify(key)}: ` : '';
    const comma = index === children.length - 1 ? '' : ',';
    jsonValue(child, [...path, key], { indent: below, head: below + name, tail: comma }, lines);
  }
  lines.add(`${indent}${close ?? ''}${tail}`, path);
}

function jsonScalar(value: ScalarPart): string {
  const { value: plain } = value;
  if (typeof plain === 'number' && !Number.isFinite(plain)) return JSON.stringify(yamlScalar(value));
  return JSON.stringify(plain);
}
