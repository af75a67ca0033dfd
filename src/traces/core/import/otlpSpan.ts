/** Parses spans of OTLP/JSON, as far as importers need them. */
import { isRecord } from '../../../base/core/isRecord.ts';
import { numberOf, textOf } from './chat.ts';

export type Attributes = Readonly<Record<string, unknown>>;

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  /** Milliseconds since the Unix epoch; null: unknown. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The attributes of the span and of its resource. */
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
  /** Set if the status is an error. The text may be empty. */
  readonly error: string | null;
}

/** Fields are in lowerCamelCase, as the protocol requires, or in snake_case, which some tools write. */
export function otlpSpan(value: unknown, resource: Attributes): OtlpSpan | undefined {
  if (!isRecord(value)) return undefined;
  const field = (camel: string, snake: string): unknown => value[camel] ?? value[snake];
  const traceId = textOf(field('traceId', 'trace_id'));
  const spanId = textOf(field('spanId', 'span_id'));
  if (traceId === undefined || spanId === undefined) return undefined;
  const status = isRecord(value['status']) ? value['status'] : {};
  const events = Array.isArray(value['events']) ? value['events'].filter(isRecord) : [];
  return {
    traceId,
    spanId,
    parentId: textOf(field('parentSpanId', 'parent_span_id')) ?? null,
    startedAt: milliseconds(field('startTimeUnixNano', 'start_time_unix_nano')),
    endedAt: milliseconds(field('endTimeUnixNano', 'end_time_unix_nano')),
    attributes: { ...resource, ...attributesOf(value['attributes']) },
    events: events.map((event) => ({
      name: textOf(event['name']) ?? '',
      attributes: attributesOf(event['attributes']),
    })),
    error: isFailure(status['code']) ? (textOf(status['message']) ?? '') : null,
  };
}

export function attributesOf(list: unknown): Attributes {
  if (!Array.isArray(list)) return isRecord(list) ? list : {};
  const pairs = list.filter(isRecord).map(({ key, value }) => [String(key), anyValue(value)] as const);
  return Object.fromEntries(pairs);
}

/** Returns an `AnyValue` as plain JSON. 64-bit numbers are strings in it. */
function anyValue(value: unknown): unknown {
  if (!isRecord(value)) return value ?? null;
  if ('stringValue' in value) return value['stringValue'];
  if ('boolValue' in value) return value['boolValue'];
  if ('intValue' in value) return Number(value['intValue']);
  if ('doubleValue' in value) return Number(value['doubleValue']);
  const { arrayValue: list, kvlistValue: fields } = value;
  if (isRecord(list)) return Array.isArray(list['values']) ? list['values'].map(anyValue) : [];
  if (isRecord(fields)) return attributesOf(fields['values'] ?? []);
  return null;
}

function milliseconds(nanoseconds: unknown): number | null {
  const number = typeof nanoseconds === 'string' ? Number(nanoseconds) : numberOf(nanoseconds);
  return number === undefined || Number.isNaN(number) || number === 0 ? null : number / 1e6;
}

function isFailure(code: unknown): boolean {
  return code === 2 || code === 'STATUS_CODE_ERROR';
}

/** Returns attributes such as `gen_ai.prompt.0.role` as a list, for the prefix `gen_ai.prompt`. */
export function numbered(attributes: Attributes, prefix: string): readonly unknown[] | undefined {
  const root: Tree = new Map();
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith(`${prefix}.`)) continue;
    const steps = name.slice(prefix.length + 1).split('.');
    let tree = root;
    for (const step of steps.slice(0, -1)) {
      const next = tree.get(step);
      const child: Tree = next instanceof Map ? (next as Tree) : new Map<string, unknown>();
      tree.set(step, child);
      tree = child;
    }
    tree.set(steps.at(-1) ?? '', value);
  }
  const list = plainOf(root);
  return root.size > 0 && Array.isArray(list) ? list : undefined;
}

type Tree = Map<string, unknown>;

function plainOf(tree: unknown): unknown {
  if (!(tree instanceof Map)) return tree;
  const entries = [...(tree as Tree)].map(([key, value]) => [key, plainOf(value)] as const);
  if (!entries.every(([key]) => /^\d{1,6}$/.test(key))) return Object.fromEntries(entries);
  return entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
}
