import { isRecord } from '../../../../base/core/isRecord.ts';
import { commonPrefixLength, excerpt, excerptStart } from '../../../../base/core/commonPrefix.ts';
import { canonicalJson } from '../../../../base/core/canonicalJson.ts';
import type { NormalizedRequest } from './normalizeRequest.ts';

/** The first difference between a request and the recorded one. */
export interface Divergence {
  /** Index of the message; undefined if the messages are equal. */
  readonly message: number | undefined;
  /** e.g. `messages[3].content`, `tools[0].function.name`, `response_format`. */
  readonly field: string;
  /** Shortened; strings are quoted. */
  readonly expected: string;
  readonly got: string;
}

/** The first difference of two requests with unequal keys: messages first, then tools, then the rest. */
export function findDivergence(expected: NormalizedRequest, got: NormalizedRequest): Divergence | undefined {
  return (
    difference('messages', expected.messages, got.messages) ??
    difference('tools', expected.tools, got.tools) ??
    difference('', expected.options, got.options)
  );
}

/** Returns the number of equal characters at the start of the two requests' messages. */
export function sharedMessageLength(one: NormalizedRequest, other: NormalizedRequest): number {
  const a = canonicalJson(one.messages);
  const b = canonicalJson(other.messages);
  return commonPrefixLength(a, b);
}

function difference(path: string, expected: unknown, got: unknown): Divergence | undefined {
  if (Array.isArray(expected) && Array.isArray(got)) {
    return first(Math.max(expected.length, got.length), (at) =>
      difference(`${path}[${at}]`, expected[at] as unknown, got[at] as unknown),
    );
  }
  if (isRecord(expected) && isRecord(got)) {
    const names = fieldsInOrder(expected, got);
    return first(names.length, (at) => {
      const name = names[at] ?? '';
      return difference(path === '' ? name : `${path}.${name}`, expected[name], got[name]);
    });
  }
  return canonicalJson(expected) === canonicalJson(got) ? undefined : divergence(path, expected, got);
}

function divergence(field: string, expected: unknown, got: unknown): Divergence {
  const message = /^messages\[(\d+)\]/.exec(field)?.[1];
  const texts = typeof expected === 'string' && typeof got === 'string';
  const start = texts ? excerptStart(expected, got) : 0;
  return {
    message: message === undefined ? undefined : Number(message),
    field,
    expected: show(expected, start),
    got: show(got, start),
  };
}

function first<T>(count: number, find: (at: number) => T | undefined): T | undefined {
  for (let at = 0; at < count; at++) {
    const found = find(at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The most important differences come first. */
const leading = ['role', 'content'];

function fieldsInOrder(one: object, other: object): readonly string[] {
  const names = [...new Set([...leading, ...Object.keys(one), ...Object.keys(other)])];
  return names.filter((name) => name in one || name in other);
}

function show(value: unknown, start: number): string {
  if (value === undefined) return 'nothing';
  const whole = typeof value === 'string' ? value : canonicalJson(value);
  const text = excerpt(whole, start);
  return typeof value === 'string' ? JSON.stringify(text) : text;
}
