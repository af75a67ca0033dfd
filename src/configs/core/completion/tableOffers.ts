import { describeKey, isOutdated, paragraphs, shortText } from '../key-tables/describe.ts';
import { textScalar } from '../edits.ts';
import type { KeyInfo, KeyNode, KeyTable, ValueInfo } from '../key-tables/keyTable.ts';
import { resolvePlain } from '../scalar.ts';
import type { LinedText } from '../text.ts';
import type { Caret, KeyCaret, ValueCaret } from './caretTypes.ts';
import { completion, sortKey, type Completion } from './completion.ts';
import { sectionSnippet } from './sectionSnippet.ts';

export function offersOfTable(document: LinedText, carets: readonly Caret[], table: KeyTable): Completion[] {
  return carets.flatMap((caret) => {
    if (caret.kind === 'key') return keysAt(document, caret, table);
    return caret.kind === 'value' ? valuesAt(document, caret, table) : [];
  });
}

function keysAt(document: LinedText, caret: KeyCaret, table: KeyTable): Completion[] {
  const section = table.find(caret.path);
  if (section === undefined) return [];
  const missing = [...section.children.values()].filter(
    ({ name, info }) => !caret.present.has(name) && info?.absent === undefined,
  );
  return missing.map((child, index) => keyCompletion(document, caret, child, index));
}

function keyCompletion(document: LinedText, caret: KeyCaret, key: KeyNode, index: number): Completion {
  const isSection = isSectionKey(key);
  const snippet = isSection ? snippetAt(document, caret, key) : undefined;
  return {
    label: key.name,
    kind: isSection ? 'section' : 'key',
    detail: shortText(key),
    documentation: describeKey(key),
    edit: { span: caret.span, newText: snippet ?? opening(document, caret, key, isSection) },
    snippet: snippet !== undefined,
    deprecated: isOutdated(key.info),
    sortText: sortKey(rankOf(key.info), 9 - (key.info?.use ?? 0), index),
    filterText: key.name,
    opensNext: snippet === undefined && !caret.isComplete && (isSection || valuesFor(key.info).length > 0),
  };
}

function isSectionKey({ info }: KeyNode): boolean {
  return info === undefined || info.types.every((type) => type === 'object' || type === 'null');
}

/** Ranks required and common keys first, in the order of the table, and outdated keys last. */
function rankOf(info: KeyInfo | undefined): number {
  if (isOutdated(info)) return 3;
  if (info?.ofExample === true) return 2;
  return info?.required === true ? 0 : 1;
}

function snippetAt(document: LinedText, caret: KeyCaret, key: KeyNode): string | undefined {
  if (caret.isComplete || caret.column === undefined) return undefined;
  return sectionSnippet(key, newLineOf(document), caret.column);
}

function newLineOf({ text }: LinedText): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** A key up to where its value begins. */
function opening(document: LinedText, caret: KeyCaret, key: KeyNode, isSection: boolean): string {
  if (caret.isComplete) return key.name;
  if (caret.column === undefined) return `${key.name}: `;
  const newLine = `${newLineOf(document)}${' '.repeat(caret.column + 2)}`;
  if (isSection) return `${key.name}:${newLine}`;
  return key.info?.types.every((type) => type === 'array') === true
    ? `${key.name}:${newLine}- `
    : `${key.name}: `;
}

function valuesAt(document: LinedText, caret: ValueCaret, table: KeyTable): Completion[] {
  if (caret.path.at(-1) !== 0) {
    const key = table.find(caret.path);
    return key === undefined
      ? []
      : valuesFor(key.info).map((value, at) => offerValue(document, caret, key, value, at));
  }
  const list = table.find(caret.path.slice(0, -1));
  if (list?.item === undefined) return [];
  const defaults: unknown[] = Array.isArray(list.info?.default) ? list.info.default : [];
  const usual = defaults.filter((item) => typeof item !== 'object').map(String);
  const values = (list.item.value.allowed ?? usual).filter((value) => !caret.present.has(value));
  return values.map((value, index) => offerValue(document, caret, list, value, index));
}

function offerValue(
  document: LinedText,
  caret: ValueCaret,
  key: KeyNode,
  value: string,
  index: number,
): Completion {
  const isText =
    key.info?.types.some((type) => type === 'string' || type === 'array') === true && !isBare(key, value);
  return {
    ...valueCompletion(document, caret, value, isText),
    detail: String(key.info?.default) === value ? 'default' : '',
    documentation: paragraphs([noteOn(value, key), describeKey(key)]),
    sortText: sortKey(0, index),
  };
}

function noteOn(value: string, { info }: KeyNode): string {
  const note = info?.valueNotes?.[value];
  return note === undefined ? '' : `\`${value}\`: ${note}`;
}

/** A choice that takes the place of the whole value, in the quotes that are there. */
export function valueCompletion(
  document: LinedText,
  caret: ValueCaret,
  value: string,
  isText: boolean,
): Completion {
  const { span, lead, inFlow } = caret;
  const quote = /^['"]/.exec(document.text.slice(span.start, span.end))?.[0];
  const needsQuotes = inFlow && /[,[\]{}]/.test(value) ? '"' : undefined;
  const newText = isText ? textScalar(value, quote ?? needsQuotes) : value;
  const filterText = quote === undefined ? value : newText;
  return completion({ label: value, kind: 'value', edit: { span, newText: lead + newText }, filterText });
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
