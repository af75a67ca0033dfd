import type { NodePath } from '../node.ts';
import { toPlain, type MappingValue, type Origin, type ScalarPart, type Value } from '../value.ts';
import { originText } from './origins.ts';
import { literalBlock, yamlScalar, yamlText } from './yamlScalar.ts';

export interface RenderOptions {
  readonly format: 'yaml' | 'json';
  /** Adds where each value comes from: as comments in YAML, as a second tree in JSON. */
  readonly origins: boolean;
  readonly relativeTo?: string | undefined;
}

export interface RenderedLine {
  /** 0-based. */
  readonly line: number;
  readonly path: NodePath;
  readonly origin: Origin;
}

export interface Rendered {
  readonly text: string;
  /** The lines of the YAML with their values, in order, sections and lists included. Empty for JSON. */
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
  if (root.entries.size === 0) lines.add('{}', [], root.origin, true);
  else yamlMapping(root, [], '', '', lines);
  if (options.format === 'json') return { text: `${jsonText(root, lines, options)}\n`, origins: [] };
  const text = options.origins
    ? withComments(lines.all, options.relativeTo)
    : lines.all.map((line) => line.code);
  const cut = lines.full ? ['# The rest is left out: it is too long.'] : [];
  return { text: [...text, ...cut, ''].join('\n'), origins: places(lines.all) };
}

function jsonText(root: MappingValue, lines: Lines, { origins, relativeTo }: RenderOptions): string {
  // Truncated text is not valid JSON.
  if (lines.full) return JSON.stringify({ error: 'The config is too long to be shown.' });
  const config = toPlain(root);
  const origin = places(lines.all.filter((line) => line.hasOrigin)).map((line) => [
    line.path.join('.'),
    originText(line.origin, relativeTo),
  ]);
  const shown = origins ? { config, origins: Object.fromEntries(origin) as unknown } : config;
  return JSON.stringify(shown, (_, value: unknown) => finite(value), 2);
}

/** Returns infinity and NaN as YAML writes them, because JSON does not have them. */
function finite(value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  return yamlScalar({ type: 'float', value });
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
