import { distance } from 'fastest-levenshtein';
import type { KeyNode, KeyTable } from '../key-tables/keyTable.ts';
import { entryOf, type MappingNode } from '../node.ts';

const mostSuggestions = 3;

/** Returns true if a key looks like a typo of a key that the section does not have yet. */
export function isSlipOf(name: string, section: KeyNode, present: MappingNode): boolean {
  const most = name.length >= 5 ? 2 : 1;
  if (name.length < 2) return false;
  return missingChildren(section, present).some((child) => slips(child.name, name) <= most);
}

/**
 * Returns the likely meanings of an unknown key, best first. These are keys of the section with a similar name, then
 * keys of other sections with the same name, nearest first.
 */
export function suggestKeys(
  name: string,
  section: KeyNode,
  present: MappingNode,
  table: KeyTable,
): KeyNode[] {
  const similar = missingChildren(section, present)
    .map((key) => ({ key, score: unlikeness(key.name, name) }))
    .filter(({ score }) => score <= Math.max(1, Math.floor(name.length / 3)));
  const elsewhere = namesakes(name, table)
    // A key of the same name has another meaning in a section of another program.
    .filter((key) => table.root.strict || topOf(key) === topOf(section))
    // Behind an exact slip of one letter, before vaguer likenesses.
    .map((key) => ({ key, score: 1.5 + 0.1 * stepsBetween(key, section) }));
  return [...similar, ...elsewhere]
    .sort((a, b) => a.score - b.score)
    .slice(0, mostSuggestions)
    .map(({ key }) => key);
}

const byName = new WeakMap<KeyTable, ReadonlyMap<string, readonly KeyNode[]>>();

/** Keys with a name that have one place in a document; not those in lists, or under names of the user's choice. */
function namesakes(name: string, table: KeyTable): readonly KeyNode[] {
  let names = byName.get(table);
  if (names === undefined) {
    const single = [...table.keys].filter(({ path }) => !/[[{]/.test(path));
    const known = new Map<string, KeyNode[]>();
    for (const key of single) known.set(key.name, [...(known.get(key.name) ?? []), key]);
    names = known;
    byName.set(table, names);
  }
  return names.get(name) ?? [];
}

function topOf({ path }: KeyNode): string {
  return path.split('.', 1)[0] ?? '';
}

/** 0 for the same name; letters that differ, or little when one name is the end of the other: `file_path`, `path`. */
function unlikeness(name: string, written: string): number {
  const isEnd = name.endsWith(`_${written}`) || written.endsWith(`_${name}`);
  return isEnd ? 1.2 : slips(name.toLowerCase(), written.toLowerCase());
}

/** The number of different letters; two neighbors that changed places count as one. */
function slips(a: string, b: string): number {
  const count = distance(a, b);
  if (count !== 2 || a.length !== b.length) return count;
  let at = 0;
  while (a.charAt(at) === b.charAt(at)) at += 1;
  const swapped = a.slice(0, at) + a.charAt(at + 1) + a.charAt(at) + a.slice(at + 2);
  return swapped === b ? 1 : count;
}

function missingChildren(section: KeyNode, present: MappingNode): KeyNode[] {
  return [...section.children.values()].filter((child) => entryOf(present, child.name) === undefined);
}

/** Returns the number of sections between a key and a section, up and down. */
function stepsBetween(key: KeyNode, section: KeyNode): number {
  const from = section.path.split('.');
  const to = key.path.split('.').slice(0, -1);
  const shared = from.findIndex((part, index) => part !== to[index]);
  const common = shared === -1 ? from.length : shared;
  return from.length + to.length - 2 * common;
}
