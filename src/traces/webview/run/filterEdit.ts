import { choiceFields, numberFields } from '../../core/protocol/traceFilter.ts';
import type { Bar, Histogram, NamesView } from '../../core/protocol/traceLists.ts';
import { fieldNames, parseFilter } from '../../core/filterText.ts';

/** Whether a filter's text has a term among those that all must hold. */
export function hasTerm(filter: string, term: string): boolean {
  return ` ${filter} `.includes(` ${term} `);
}

/**
 * The text with the term, or without it when it has it.
 *
 * @param others terms that it takes the place of
 */
export function toggledTerm(filter: string, term: string, others: readonly string[]): string {
  const rest = [term, ...others].reduce(without, filter);
  if (hasTerm(filter, term)) return rest;
  return rest === '' ? term : `${inOne(rest)} ${term}`;
}

function without(filter: string, term: string): string {
  return ` ${filter} `.replace(` ${term} `, ' ').trim();
}

/** What stands beside `or` would belong to its last part only. */
function inOne(filter: string): string {
  const parsed = parseFilter(filter);
  return 'filter' in parsed && parsed.filter?.kind === 'any' ? `(${filter})` : filter;
}

/** The term that finds a bar's episodes. Equal would be only as exact as it is written. */
export function barTerm({ field, bars }: Histogram, bar: Bar): string {
  if (bar.from === bar.to && Number.isInteger(bar.from)) return `${field}=${bar.from}`;
  const included = bar.from === bar.to || bar === bars.at(-1);
  return `${field}>=${bar.from} ${field}${included ? '<=' : '<'}${bar.to}`;
}

export interface Completion {
  /** What takes the place of the text from `from` to the caret. */
  readonly text: string;
  readonly from: number;
}

export interface CompletionNames extends NamesView {
  /** Codes of the run's findings. */
  readonly findings: readonly string[];
}

/** Fields and values that the word before the caret may become. */
export function completions(text: string, caret: number, known: CompletionNames): readonly Completion[] {
  const before = text.slice(0, caret);
  const [, field, written] = /(?:^|[\s(-])([a-z]+)[:=]([^\s()"<>=:]*)$/i.exec(before) ?? [];
  if (field !== undefined && written !== undefined) {
    const values = valuesOf(field.toLowerCase(), known).map(quoted);
    return offered(values, written, caret - written.length);
  }
  const word = /(?:^|[\s(-])([a-z]*)$/i.exec(before)?.[1];
  if (word === undefined) return [];
  return offered([...fieldNames.map(started), 'error'], word, caret - word.length);
}

/** Numbers are compared, everything else is named. */
function started(field: string): string {
  return (numberFields as readonly string[]).includes(field) ? field : `${field}:`;
}

function valuesOf(field: string, { agents, tools, findings }: CompletionNames): readonly string[] {
  const values: Readonly<Record<string, readonly string[]>> = {
    ...choiceFields,
    agent: agents,
    tool: tools,
    finding: findings,
  };
  return Object.hasOwn(values, field) ? (values[field] ?? []) : [];
}

function quoted(value: string): string {
  return /[\s()]/.test(value) ? `"${value}"` : value;
}

function offered(texts: readonly string[], written: string, from: number): readonly Completion[] {
  const start = written.toLowerCase();
  return texts
    .filter((text) => text.toLowerCase().startsWith(start) && text !== written)
    .map((text) => ({ text, from }));
}
