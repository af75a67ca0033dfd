import type { ConfigContext } from '../context.ts';
import { finding, type Finding, type Fix } from '../finding.ts';
import { migrateToAjet } from '../migrate/migrateToAjet.ts';
import { entryOf } from '../node.ts';

/** A config that AgentJet does not read any more, but that can be rewritten for it. */
export function oldDialect({ document, dialect }: ConfigContext): Finding[] {
  const { section, supersededBy } = dialect;
  if (section === undefined || supersededBy === undefined) return [];
  const root = entryOf(document.root, section);
  if (root === undefined) return [];
  const message = `\`${section}\` is the section of AgentJet's predecessor; AgentJet reads \`${supersededBy}\`, with other names for some keys.`;
  const fixes = (): Fix[] => {
    const edits = migrateToAjet(document);
    return edits.length === 0 ? [] : [{ title: 'Rewrite the file for AgentJet', edits }];
  };
  return [finding(document, root.keySpan, { rule: 'old-dialect', severity: 'information', message, fixes })];
}
