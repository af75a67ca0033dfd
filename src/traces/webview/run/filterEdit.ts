import * as l10n from '@vscode/l10n';
import { choiceFields, numberFields } from '../../core/protocol/traceFilter.ts';
import type { Bar, Histogram, NamesView } from '../../core/protocol/traceLists.ts';
import { fieldNames, parseFilter } from '../../core/filterText.ts';

/** Returns true if a filter has a term at the top level, where all terms must match. */
export function hasTerm(filter: string, term: string): boolean {
  return ` ${filter} `.includes(` ${term} `);
}

/** Adds a term to a filter in place of `others`, or removes it. */
export function toggledTerm(filter: string, term: string, others: readonly string[]): string {
  const rest = [term, ...others].reduce(without, filter);
  if (hasTerm(filter, term)) return rest;
  return rest === '' ? term : `${inOne(rest)} ${term}`;
}

function without(filter: string, term: string): string {
  return ` ${filter} `.replace(` ${term} `, ' ').trim();
}

/** Encloses a filter in parentheses if it contains `or`. */
function inOne(filter: string): string {
  const parsed = parseFilter(filter);
  return 'filter' in parsed && parsed.filter?.kind === 'any' ? `(${filter})` : filter;
}

/** Returns the term for a bar's episodes. Equality would depend on the number of digits. */
export function barTerm({ field, bars }: Histogram, bar: Bar): string {
  if (bar.from === bar.to && Number.isInteger(bar.from)) return `${field}=${bar.from}`;
  const included = bar.from === bar.to || bar === bars.at(-1);
  return `${field}>=${bar.from} ${field}${included ? '<=' : '<'}${bar.to}`;
}

export interface Completion {
  readonly text: string;
  readonly from: number;
}

export interface CompletionNames extends NamesView {
  readonly findings: readonly string[];
}

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

/** Numeric fields are compared, other fields take a value. */
function started(field: string): string {
  return (numberFields as readonly string[]).includes(field) ? field : `${field}:`;
}

function valuesOf(
  field: string,
  { agents, tools, tasks, sources, findings, tags }: CompletionNames,
): readonly string[] {
  const values: Readonly<Record<string, readonly string[]>> = {
    ...choiceFields,
    agent: agents,
    tool: tools,
    finding: findings,
    task: tasks,
    source: sources,
    tag: tags,
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

export function fieldText(field: string): string {
  const texts: Readonly<Record<string, string>> = {
    reward: l10n.t('the episode’s reward'),
    advantage: l10n.t('the advantage within its group'),
    tokens: l10n.t('in all timelines'),
    trainable: l10n.t('tokens that count in the loss'),
    mask: l10n.t('share of such tokens, e.g. mask<5%'),
    time: l10n.t('e.g. time>30s'),
    calls: l10n.t('LLM calls'),
    failures: l10n.t('LLM calls that failed'),
    timelines: l10n.t('number of timelines'),
    repeat: l10n.t('its number in its group'),
    episode: l10n.t('its number'),
    group: l10n.t('its group’s number'),
    mean: l10n.t('mean reward of its group'),
    spread: l10n.t('deviation of the rewards of its group'),
    best: l10n.t('best reward of its group'),
    worst: l10n.t('worst reward of its group'),
    solved: l10n.t('share of successes in its group'),
    'task:': l10n.t('part of the task’s id'),
    'text:': l10n.t('part of a message in its conversations'),
    'agent:': l10n.t('an agent that made calls'),
    'tool:': l10n.t('a tool that was called'),
    'source:': l10n.t('a line of code that made calls, e.g. source:agent.ts:12'),
    'finding:': l10n.t('a finding of the training report'),
    'error:': l10n.t('part of its error'),
    'tag:': l10n.t('a tag that you gave it'),
    'note:': l10n.t('part of your note on it'),
    'trains:': l10n.t('whether it would train'),
    'success:': l10n.t('whether it succeeded'),
    'state:': l10n.t('running, ended or lost'),
    error: l10n.t('it ended with an error'),
  };
  return Object.hasOwn(texts, field) ? (texts[field] ?? '') : '';
}
