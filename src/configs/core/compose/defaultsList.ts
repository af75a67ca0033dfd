import type { Value } from '../value.ts';
import { DefaultEntry, type WrittenEntry } from './defaultEntry.ts';

/** Reports a problem of an entry at its location. */
export type Report = (at: Value | undefined, message: string, hint: string) => void;

const forms = 'Write `- name`, `- group: name`, or `- group: [name, name]`.';

/** Reads a `defaults` list. Invalid entries are reported and ignored. */
export function readDefaults(list: Value | undefined, report: Report): DefaultEntry[] {
  if (list === undefined) return [];
  if (list.kind !== 'sequence') {
    report(list, '`defaults` must be a list.', 'Write one `- name` per line.');
    return [];
  }
  return list.items.flatMap((item) => {
    const written = entryOf(item, report);
    return written === undefined ? [] : [new DefaultEntry(written)];
  });
}

function entryOf(item: Value, report: Report): WrittenEntry | undefined {
  if (item.kind === 'mapping') return groupEntry(item, report);
  if (item.kind === 'scalar' && typeof item.value === 'string') return pathEntry(item.value, item, report);
  report(item, 'An entry of `defaults` must be a name or `group: name`.', forms);
  return undefined;
}

function pathEntry(text: string, item: Value, report: Report): WrittenEntry | undefined {
  const { before, inside } = splitPackage(text);
  if (before === '_self_' && inside !== undefined) {
    report(item, '`_self_` cannot have a package.', 'Write `_self_` alone.');
    return undefined;
  }
  return { origin: item, value: before, package: inside };
}

function groupEntry(item: Extract<Value, { kind: 'mapping' }>, report: Report): WrittenEntry | undefined {
  const [first, ...others] = item.entries;
  if (first === undefined || others.length > 0) {
    report(item, 'An entry of `defaults` can name only one group.', 'Write one entry per group.');
    return undefined;
  }
  const [key, value] = first;
  const { before, inside } = splitPackage(key);
  const words = before.split(' ');
  const group = words.pop() ?? '';
  const names = namesOf(value);
  if (group === '' || names === undefined || names === '_self_') {
    report(value, `\`${key}\` of \`defaults\` takes a name, a list of names, or null.`, forms);
    return undefined;
  }
  const keywords = leading(words);
  return {
    origin: item,
    group,
    value: names,
    package: inside,
    optional: keywords.includes('optional'),
    override: keywords.includes('override'),
  };
}

/** Hydra stops at the first word that it does not know. */
function leading(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => word !== 'optional' && word !== 'override');
  return end < 0 ? words : words.slice(0, end);
}

function namesOf(value: Value): string | null | string[] | undefined {
  if (value.kind === 'scalar') {
    return typeof value.value === 'string' || value.value === null ? value.value : undefined;
  }
  if (value.kind === 'mapping') return undefined;
  const names = value.items.map((item) => (item.kind === 'scalar' ? item.value : undefined));
  return names.every((name) => typeof name === 'string') ? names : undefined;
}

/** `group@package`, of which `group@from:to` is an older form. */
function splitPackage(text: string): { before: string; inside: string | undefined } {
  const at = text.indexOf('@');
  if (at < 0) return { before: text, inside: undefined };
  return { before: text.slice(0, at), inside: text.slice(at + 1).split(':')[0] ?? '' };
}
