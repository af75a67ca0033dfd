import { distance } from 'fastest-levenshtein';
import type { KeyNode, KeyTable } from './keyTable.ts';
import { entryOf, type MappingNode } from './node.ts';

const mostSuggestions = 3;

/** Whether a key looks like a mistyped one of this section that is not there yet. */
export function isSlipOf(name: string, section: KeyNode, present: MappingNode): boolean {
  return missingChildren(section, present).some(
    (child) => name.length >= 5 && distance(child.name, name) <= 2,
  );
}

/**
 * What a key that a section does not have may have been meant to be, best first: keys of the section with a similar
 * name, and keys of other sections with the very same one (of these, the nearest section first).
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
  const elsewhere = [...table.keys]
    .filter((key) => key.name === name && key.path.startsWith('ajet.') && !key.path.includes('[]'))
    // Behind an exact slip of one letter, before vaguer likenesses.
    .map((key) => ({ key, score: 1.5 + 0.1 * stepsBetween(key, section) }));
  return [...similar, ...elsewhere]
    .sort((a, b) => a.score - b.score)
    .slice(0, mostSuggestions)
    .map(({ key }) => key);
}

/** 0 for the same name; letters that differ, or little when one name is the end of the other: `file_path`, `path`. */
function unlikeness(name: string, written: string): number {
  const isEnd = name.endsWith(`_${written}`) || written.endsWith(`_${name}`);
  return isEnd ? 1.2 : distance(name.toLowerCase(), written.toLowerCase());
}

function missingChildren(section: KeyNode, present: MappingNode): KeyNode[] {
  return [...section.children.values()].filter((child) => entryOf(present, child.name) === undefined);
}

/** How many sections lie between a key and a section, up and down. */
function stepsBetween(key: KeyNode, section: KeyNode): number {
  const from = section.path.split('.');
  const to = key.path.split('.').slice(0, -1);
  const shared = from.findIndex((part, index) => part !== to[index]);
  const common = shared === -1 ? from.length : shared;
  return from.length + to.length - 2 * common;
}
