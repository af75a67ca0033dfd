import { insertKey, removeEntry, renameKey } from '../edits.ts';
import { finding, fix, type Finding, type Fix } from '../finding.ts';
import type { KeyNode } from '../keyTable.ts';
import type { Entry, MappingNode } from '../node.ts';
import { suggestKeys, isSlipOf } from '../suggest.ts';
import type { Rule, Visit } from './visit.ts';

/**
 * A key that AgentJet does not read. Where a section is passed on to a backbone as a whole, only keys that look like a slip of the
 * pen are reported: the backbone may know others.
 */
export const unknownKey: Rule = (visit) => {
  const { node, key } = visit;
  if (node.kind !== 'mapping' || key === undefined || key.unlisted === 'open') return [];
  const unknown = node.entries.filter((entry) => !key.children.has(entry.key));
  return unknown
    .filter((entry) => key.unlisted === 'closed' || isSlipOf(entry.key, key, node))
    .map((entry) => unknownEntry(visit, entry, node, key));
};

function unknownEntry(
  { document, table }: Visit,
  entry: Entry,
  parent: MappingNode,
  section: KeyNode,
): Finding {
  const suggestions = suggestKeys(entry.key, section, parent, table);
  const fixes = suggestions.flatMap((suggested): Fix[] =>
    suggested.parent === section
      ? fix(`Rename to \`${suggested.name}\``, renameKey(entry, suggested.name))
      : moveFix(document, entry, parent, suggested),
  );
  const [best] = suggestions;
  const hint = best === undefined ? '' : ` ${question(best, section)}`;
  const message = `\`${entry.key}\` is not a key of \`${section.path}\`; AgentJet does not read it.${hint}`;
  return finding(document, entry.keySpan, { rule: 'unknown-key', severity: 'warning', message, fixes });
}

function question(suggested: KeyNode, section: KeyNode): string {
  return suggested.parent === section
    ? `Did you mean \`${suggested.name}\`?`
    : `Did you mean \`${suggested.path}\`?`;
}

/** Only values on one line are moved: longer ones would have to be indented anew. An alias would lose its meaning. */
function moveFix(document: Visit['document'], entry: Entry, parent: MappingNode, to: KeyNode): Fix[] {
  const { keySpan, value } = entry;
  const written = document.text.slice(keySpan.end, value.span.end).replace(/^\s*:\s*/, '');
  if (
    value.kind === 'mapping' ||
    value.span.start < keySpan.end ||
    written === '' ||
    /[\r\n]/.test(written)
  ) {
    return [];
  }
  const removal = removeEntry(document, entry, parent);
  return fix(`Move to \`${to.path}\``, removal, insertKey(document, to.path.split('.'), written));
}

/** A key that upstream calls deprecated, or that nothing reads although it is in its defaults. */
export const lifecycle: Rule = ({ document, key, written }) => {
  if (key?.info === undefined || written === undefined) return [];
  const { entry, parent } = written;
  const fixes = fix(`Remove \`${key.name}\``, removeEntry(document, entry, parent));
  if (key.info.deprecated) {
    const message = `\`${key.name}\` is deprecated. ${key.info.description}`;
    return [
      finding(document, entry.keySpan, { rule: 'deprecated-key', severity: 'information', message, fixes }),
    ];
  }
  if (!key.info.unused) return [];
  const message = `\`${key.name}\` has no effect. ${key.info.description}`;
  return [finding(document, entry.keySpan, { rule: 'unused-key', severity: 'hint', message, fixes })];
};
