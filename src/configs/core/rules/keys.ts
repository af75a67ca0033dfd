import { distance } from 'fastest-levenshtein';
import { insertKey, removeEntry, removeWithSection, renameKey } from '../edits.ts';
import { finding, fix, type Finding, type Fix } from '../finding.ts';
import { childOf, type KeyInfo, type KeyNode, type KeyTable } from '../key-tables/keyTable.ts';
import { programLabels, releaseText } from '../key-tables/releases.ts';
import { entryOf, nodeAt, type Entry, type MappingNode } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';
import type { Severity } from './ruleEntry.ts';
import type { Rule, Visit } from './visit.ts';

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
  const documented = documentedKey(`${section.path}.${name}`, table);
  if (documented !== undefined) return [documented];
  const similar = missingChildren(section, present)
    .map((key) => ({ key, score: unlikeness(key.name, name) }))
    .filter(({ score }) => score <= Math.max(1, Math.floor(name.length / 3)));
  const elsewhere = table
    .named(name)
    .filter(({ info }) => info?.absent === undefined)
    // A key of the same name has another meaning in a section of another program.
    .filter((key) => table.root.strict || topOf(key) === topOf(section))
    // Behind an exact slip of one letter, before vaguer likenesses.
    .map((key) => ({ key, score: 1.5 + 0.1 * stepsBetween(key, section) }));
  return [...similar, ...elsewhere]
    .sort((a, b) => a.score - b.score)
    .slice(0, mostSuggestions)
    .map(({ key }) => key);
}

/** Keys that the documentation of Trinity-RFT names and no release reads, with the keys that are read. */
const documentedKeys: Readonly<Record<string, string>> = {
  'model.tinker.base_model': 'model.model_path',
};

/** @param path with the section in which an AgentJet config has keys of Trinity-RFT */
function documentedKey(path: string, table: KeyTable): KeyNode | undefined {
  const [wrong, right] = Object.entries(documentedKeys).find(([key]) => path.endsWith(key)) ?? [];
  if (wrong === undefined || right === undefined) return undefined;
  return table.get(path.slice(0, -wrong.length) + right);
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
  return [...section.children.values()].filter(
    ({ name, info }) => info?.absent === undefined && entryOf(present, name) === undefined,
  );
}

function stepsBetween(key: KeyNode, section: KeyNode): number {
  const from = section.path.split('.');
  const to = key.path.split('.').slice(0, -1);
  const shared = from.findIndex((part, index) => part !== to[index]);
  const common = shared === -1 ? from.length : shared;
  return from.length + to.length - 2 * common;
}

/**
 * Reports a key that the section does not have. The severity depends on `unlisted` and `strict` of the section. If a
 * library reads the section, only likely typos are reported.
 */
export const unknownKey: Rule = (visit) => {
  const { node, key } = visit;
  if (node.kind !== 'mapping' || key === undefined) return [];
  // Top-level keys other than the sections of the program and its backbones belong to other programs.
  if (key.unlisted === 'open' && key.parent !== undefined) return [];
  const unlisted = node.entries.filter((entry) => childOf(key, entry.key) === undefined);
  if (unlisted.length === 0) return [];
  return unlisted
    .filter((entry) => !isAlwaysLegal(entry, key))
    .filter((entry) => key.unlisted === 'closed' || key.strict || isSlipOf(entry.key, key, node))
    .map((entry) => unknownEntry(visit, entry, node, key));
};

/** verl's sections name the data class that they become. */
function isAlwaysLegal(entry: Entry, { unlisted }: KeyNode): boolean {
  return entry.key === '_target_' && unlisted === 'passed-on';
}

function consequence(section: KeyNode): { severity: Severity; what: string } {
  if (section.unlisted === 'closed') {
    return section.strict
      ? { severity: 'error', what: 'Trinity-RFT does not start with it.' }
      : { severity: 'warning', what: 'AgentJet does not read it.' };
  }
  return section.strict
    ? { severity: 'warning', what: 'verl fails on it when its workers start.' }
    : { severity: 'information', what: passedOn(section) };
}

function passedOn({ path }: KeyNode): string {
  const what =
    path === '' ? 'Only your own code can read it' : 'The section is passed to a library unchanged';
  return `${what}, and it may be a typing error.`;
}

function unknownEntry(
  { document, table }: Visit,
  entry: Entry,
  parent: MappingNode,
  section: KeyNode,
): Finding {
  const suggestions = suggestKeys(entry.key, section, parent, table);
  const { severity, what } = consequence(section);
  const [best] = suggestions;
  const isMisplaced = best?.name === entry.key && !best.path.includes('.');
  const meant = best?.parent === section ? best.name : best?.path;
  const hint =
    meant === undefined
      ? ''
      : isMisplaced
        ? ` \`${meant}\` is a section at the top level of the file.`
        : ` Did you mean \`${meant}\`?`;
  const where = section.path === '' ? 'one of the top-level keys' : `a key of \`${section.path}\``;
  const message = `\`${entry.key}\` is not ${where}. ${what}${hint}`;
  const fixes = (): Fix[] => [
    ...suggestions.flatMap((suggested): Fix[] =>
      suggested.parent === section
        ? fix(`Rename to \`${suggested.name}\``, renameKey(entry, suggested.name))
        : nodeAt(document.root, suggested.path.split('.')) === undefined
          ? moveFix(document, entry, parent, suggested.path)
          : [],
    ),
    ...fix(`Remove \`${entry.key}\``, removeWithSection(document, entry, parent)),
  ];
  return finding(document, entry.keySpan, { rule: 'unknown-key', severity, message, fixes });
}

/** Returns a fix that moves a key. Longer values would need another indentation, and an alias would lose its meaning. */
function moveFix(document: ConfigDocument, entry: Entry, parent: MappingNode, to: string): Fix[] {
  const { keySpan, value } = entry;
  const written = document.text.slice(keySpan.end, value.span.end).replace(/^\s*:\s*/, '');
  if (value.kind === 'mapping' || value.span.start < keySpan.end) return [];
  if (written === '' || /[\r\n]/.test(written)) return [];
  const removal = removeEntry(document, entry, parent);
  return fix(`Move to \`${to}\``, removal, insertKey(document, to.split('.'), written));
}

interface WrittenKey {
  readonly document: ConfigDocument;
  readonly key: KeyNode;
  readonly info: KeyInfo;
  readonly entry: Entry;
  readonly parent: MappingNode;
  readonly table: KeyTable;
}

/** A finding about a key. The fix removes the key, unless there is another one. */
type KeyReport = Pick<Finding, 'rule' | 'severity' | 'message' | 'tag'> & { readonly fixes?: () => Fix[] };

/** The checks of a key, independent of its value; the first that applies is reported. */
const lifecycles: readonly ((written: WrittenKey) => KeyReport | undefined)[] = [
  renamed,
  absent,
  computed,
  removed,
  deprecated,
  ignored,
  unused,
];

/** A key that has another name by now, that the program fills itself, that is gone or going, or that nothing reads. */
export const lifecycle: Rule = ({ document, table, key, written }) => {
  const info = key?.info;
  if (key === undefined || info === undefined || written === undefined) return [];
  // Problems of a whole section are reported at the section.
  if (key.parent?.info?.doNotSet !== undefined && info.doNotSet !== undefined) return [];
  if (key.parent?.info?.absent !== undefined) return [];
  // In an older release, the old name is the right one.
  if (info.renamedTo !== undefined && table.get(info.renamedTo)?.info?.absent !== undefined) return [];
  const whole: WrittenKey = { document, table, key, info, ...written };
  const fixes = (): Fix[] => removalOf(whole);
  for (const lifecycle of lifecycles) {
    const found = lifecycle(whole);
    if (found !== undefined) return [finding(document, written.entry.keySpan, { fixes, ...found })];
  }
  return [];
};

function renamed(written: WrittenKey): KeyReport | undefined {
  const { document, table, key, info, entry, parent } = written;
  const { renamedTo, removed: gone, unused: unread } = info;
  if (renamedTo === undefined) return undefined;
  const beside = renamedTo.split('.').slice(0, -1).join('.') === (key.parent?.path ?? '');
  const name = renamedTo.split('.').at(-1) ?? renamedTo;
  const isThere = beside && entryOf(parent, name) !== undefined;
  const isLost = gone !== undefined || unread;
  const successor = table.get(renamedTo)?.info;
  const since = successor?.since;
  const isKnown = successor?.hasCurrentDefault === true;
  const fixes = (): Fix[] => {
    if (isThere) return removalOf(written);
    return beside
      ? fix(`Rename to \`${name}\``, renameKey(entry, name))
      : moveFix(document, entry, parent, renamedTo);
  };
  return {
    rule: 'renamed-key',
    // Which release trains is not known: an older one reads the old name only.
    severity: isLost ? 'warning' : since === undefined || isKnown ? 'information' : 'hint',
    message: `\`${key.name}\` is now \`${renamedTo}\`. ${oldName(info, since)}`,
    tag: 'deprecated',
    fixes,
  };
}

/** A key that the release does not have: a newer one, or one that was removed. */
function absent({ key, info }: WrittenKey): KeyReport | undefined {
  const { absent: release, since, removed: gone } = info;
  if (release === undefined) return undefined;
  const program = programLabels[release.program];
  const origin =
    since === 'main' ? `is only on the main branch of ${program}` : `is new in ${program} ${since ?? ''}`;
  const rejects = key.parent?.strict === true && key.parent.unlisted === 'closed';
  const consequence = `${releaseText(release)} does not ${rejects ? 'start with' : 'read'} it.`;
  const use = info.insteadUse === undefined ? '' : ` ${sentence(info.insteadUse)}`;
  return {
    rule: gone === undefined ? 'unknown-key' : 'removed-key',
    // Where nothing is installed, training may have a newer release.
    severity: rejects && (gone !== undefined || !release.assumed) ? 'error' : 'warning',
    message: `\`${key.name}\` ${gone === undefined ? origin : `was removed in ${program} ${gone}`}. ${consequence}${use}`,
  };
}

function oldName({ removed: gone, unused: unread }: KeyInfo, since: string | undefined): string {
  if (gone !== undefined) return `The old name was removed in ${gone}, which ignores its value.`;
  if (unread) return 'No release reads the old name, so its value is ignored.';
  return since === undefined
    ? 'Both names work.'
    : `Releases before ${since} read only the old name. Rename it when you upgrade.`;
}

function computed({ key, info, entry }: WrittenKey): KeyReport | undefined {
  // What refers to another key's row may have to be set where that one must not.
  if (info.doNotSet === undefined || info.required || isDefault(entry, info)) return undefined;
  return {
    rule: 'computed-key',
    severity: 'warning',
    message: `\`${key.name}\` must not be set. The program computes it (${info.doNotSet}) and overwrites your value.`,
  };
}

/** Upstream's own files write such keys with the value that they start with. */
function isDefault({ value }: Entry, info: KeyInfo): boolean {
  return info.hasDefault && value.kind === 'scalar' && value.value === info.default;
}

function removed({ key, info }: WrittenKey): KeyReport | undefined {
  if (info.removed === undefined) return undefined;
  const instead = info.insteadUse === undefined ? '' : ` Use ${info.insteadUse} instead.`;
  return {
    rule: 'removed-key',
    severity: 'warning',
    message: `\`${key.name}\` does not exist in newer releases (${info.removed}).${instead}`,
    tag: 'deprecated',
  };
}

function deprecated({ key, info }: WrittenKey): KeyReport | undefined {
  if (!info.deprecated) return undefined;
  const instead = info.insteadUse === undefined ? '' : ` ${sentence(info.insteadUse)}`;
  return {
    rule: 'deprecated-key',
    severity: 'information',
    message: `\`${key.name}\` is deprecated.${instead} ${info.description}`.trimEnd(),
    tag: 'deprecated',
  };
}

function ignored({ key, info }: WrittenKey): KeyReport | undefined {
  if (info.ignoredWhenSet === undefined) return undefined;
  return {
    rule: 'ignored-key',
    severity: 'hint',
    message: `\`${key.name}\` is not always used: ${info.ignoredWhenSet}.`,
  };
}

function unused({ key, info }: WrittenKey): KeyReport | undefined {
  if (!info.unused) return undefined;
  return {
    rule: 'unused-key',
    severity: 'hint',
    message: `\`${key.name}\` has no effect. ${info.description}`.trimEnd(),
    tag: 'unnecessary',
  };
}

function removalOf({ document, entry, parent }: WrittenKey): Fix[] {
  return fix(`Remove \`${entry.key}\``, removeWithSection(document, entry, parent));
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
