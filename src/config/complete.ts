import { marksIn, readBlockLine, surroundingOf, type BlockMark, type Surrounding } from './blockLines.ts';
import { describeKey, shortText } from './describe.ts';
import { textScalar } from './edits.ts';
import { ajetKeys, type KeyNode, type KeyTable, type ValueInfo } from './keyTable.ts';
import { resolvePlain } from './scalar.ts';
import type { LinedText, Span, TextEdit } from './text.ts';

export interface Completion {
  readonly label: string;
  readonly kind: 'section' | 'key' | 'value';
  readonly detail: string;
  /** Markdown. */
  readonly documentation: string;
  readonly edit: TextEdit;
  /** Put at the end of the list and struck out. */
  readonly deprecated: boolean;
  readonly sortText: string;
  /** What the text in place of the edit is matched against. */
  readonly filterText: string;
  /** Once inserted, there is more to choose from at the caret. */
  readonly opensNext: boolean;
}

/**
 * What can stand at an offset: the keys that the section there does not have yet, or the values of a key. Works on lines
 * and indentation, so that nothing has to be parsed and text that is broken elsewhere does not matter; knows block style
 * only.
 */
export function complete(document: LinedText, offset: number, table: KeyTable = ajetKeys()): Completion[] {
  const { line, character } = document.lines.position(offset);
  const { start } = document.lines.line(line);
  const before = document.text.slice(start, offset);
  if (/(?:^|\s)#/.test(before)) return [];
  const { marks, rest } = readBlockLine(document, line);
  const key = marks.findLast((mark) => mark.key !== undefined);
  if (key !== undefined && offset > key.span.end) {
    return valuesOf(document, { offset, line, key, rest }, table);
  }
  const [, word] = /^(?:[ \t]*|[ \t]*(?:-[ \t]+)+)([\w.-]*)$/.exec(before) ?? [];
  if (word === undefined || (word === '' && /^[ \t]*-$/.test(before))) return [];
  const column = character - word.length;
  const [tail = ''] = /^[\w.-]*/.exec(document.text.slice(offset, document.lines.line(line).end)) ?? [];
  const span = { start: offset - word.length, end: offset + tail.length };
  const surrounding = surroundingOf(document, line, column);
  if (surrounding === undefined) return [];
  const section = table.find(surrounding.path);
  const isItem = surrounding.path.at(-1) === 0;
  if (isItem && section === undefined) return itemsOf(document, { line, span, surrounding }, table);
  return section === undefined ? [] : keysOf(document, { line, span, column, surrounding, key }, section);
}

interface KeyPlace {
  readonly line: number;
  readonly span: Span;
  readonly column: number;
  readonly surrounding: Surrounding;
  /** The key that stands there already. */
  readonly key: BlockMark | undefined;
}

function keysOf(document: LinedText, place: KeyPlace, section: KeyNode): Completion[] {
  const siblings = marksIn(document, place.surrounding, place.line);
  const [first] = siblings;
  if (first !== undefined && first.column !== place.column) return [];
  const present = new Set(siblings.map((mark) => mark.key));
  const missing = [...section.children.values()].filter((child) => !present.has(child.name));
  return missing.map((child, index) => keyCompletion(document, place, child, index));
}

function keyCompletion(document: LinedText, place: KeyPlace, key: KeyNode, index: number): Completion {
  const deprecated = key.info?.deprecated === true || key.info?.unused === true;
  const last = deprecated || key.info?.ofExample === true;
  const isSection = key.info === undefined || key.info.types.every((type) => type === 'object');
  return {
    label: key.name,
    kind: isSection ? 'section' : 'key',
    detail: shortText(key),
    documentation: describeKey(key),
    edit: {
      span: place.span,
      newText: place.key === undefined ? opening(document, place, key, isSection) : key.name,
    },
    deprecated,
    sortText: `${last ? 1 : 0}${String(index).padStart(3, '0')}`,
    filterText: key.name,
    opensNext: place.key === undefined && (isSection || valuesFor(key.info).length > 0),
  };
}

/** A key up to where its value begins. */
function opening(document: LinedText, { column }: KeyPlace, key: KeyNode, isSection: boolean): string {
  const newLine = `${document.text.includes('\r\n') ? '\r\n' : '\n'}${' '.repeat(column + 2)}`;
  if (isSection) return `${key.name}:${newLine}`;
  return key.info?.types.every((type) => type === 'array') === true
    ? `${key.name}:${newLine}- `
    : `${key.name}: `;
}

interface ValuePlace {
  readonly offset: number;
  readonly line: number;
  readonly key: BlockMark;
  readonly rest: Span;
}

function valuesOf(document: LinedText, place: ValuePlace, table: KeyTable): Completion[] {
  const { offset, line, key, rest } = place;
  if (rest.end > rest.start && (offset < rest.start || offset > rest.end)) return [];
  const surrounding = surroundingOf(document, line, key.column);
  if (surrounding === undefined || key.key === undefined) return [];
  const known = table.find([...surrounding.path, key.key]);
  if (known === undefined) return [];
  const span = rest.end > rest.start ? rest : { start: offset, end: offset };
  const lead = document.text.charAt(span.start - 1) === ':' ? ' ' : '';
  return valuesFor(known.info).map((value, index) =>
    valueCompletion(document, { value, index, span, lead }, known),
  );
}

function itemsOf(
  document: LinedText,
  { line, span, surrounding }: Pick<KeyPlace, 'line' | 'span' | 'surrounding'>,
  table: KeyTable,
): Completion[] {
  const list = table.find(surrounding.path.slice(0, -1));
  if (list?.item === undefined) return [];
  const around = surroundingOf(document, line, surrounding.column);
  const items = around === undefined ? [] : marksIn(document, around, line);
  const present = new Set(items.map((mark) => itemText(document, mark)));
  const usual = Array.isArray(list.info?.default) ? list.info.default.map(String) : [];
  const values = (list.item.value.allowed ?? usual).filter((value) => !present.has(value));
  return values.map((value, index) => valueCompletion(document, { value, index, span, lead: '' }, list));
}

function itemText(document: LinedText, mark: BlockMark): string {
  const { rest } = readBlockLine(document, document.lines.position(mark.span.start).line);
  return document.text.slice(rest.start, rest.end).replace(/^(['"])(.*)\1$/, '$2');
}

interface OfferedValue {
  readonly value: string;
  readonly index: number;
  readonly span: Span;
  /** What has to be put before the value. */
  readonly lead: string;
}

function valueCompletion(document: LinedText, offered: OfferedValue, key: KeyNode): Completion {
  const { value, index, span, lead } = offered;
  const quote = /^['"]/.exec(document.text.slice(span.start, span.end))?.[0];
  const isText =
    key.info?.types.some((type) => type === 'string' || type === 'array') === true && !isBare(key, value);
  const newText = isText ? textScalar(value, quote) : value;
  return {
    label: value,
    kind: 'value',
    detail: String(key.info?.default) === value ? 'default' : '',
    documentation: describeKey(key),
    edit: { span, newText: lead + newText },
    deprecated: false,
    sortText: String(index).padStart(3, '0'),
    filterText: quote === undefined ? value : newText,
    opensNext: false,
  };
}

/** A value that is no text although the key takes texts too. */
function isBare({ info }: KeyNode, value: string): boolean {
  const { type } = resolvePlain(value);
  return type !== 'string' && info?.types.some((taken) => taken === type) === true;
}

/** The values worth offering: all there are where there are few, else the default. */
function valuesFor(info: (ValueInfo & { readonly default: unknown }) | undefined): string[] {
  if (info === undefined) return [];
  const values = [...(info.allowed ?? [])];
  if (info.types.includes('boolean')) values.push('true', 'false');
  if (info.types.includes('null')) values.push('null');
  const { default: usual } = info;
  const scalar = typeof usual === 'string' || typeof usual === 'number' || typeof usual === 'boolean';
  if (scalar && usual !== '' && !values.includes(String(usual))) values.unshift(String(usual));
  return values;
}
