import type { ConfigContext } from '../context.ts';
import { finding, type Finding, type Fix } from '../finding.ts';
import { ajetKeys, astunerKeys } from '../key-tables/keyTable.ts';
import { migrateToAjet } from '../migrate/migrateToAjet.ts';
import { entryOf, nodeAt } from '../node.ts';

/** A config that AgentJet does not read any more, but that can be rewritten for it. */
export function oldDialect({ document, dialect }: ConfigContext): Finding[] {
  const { section, supersededBy } = dialect;
  if (section === undefined || supersededBy === undefined) return [];
  const root = entryOf(document.root, section);
  if (root === undefined) return [];
  const changed = changedDefaults()
    .filter(({ path }) => nodeAt(document.root, path.split('.')) === undefined)
    .map(({ path, before, after }) => `\`${path.split('.').at(-1) ?? ''}\` ${before} → ${after}`);
  const changes =
    changed.length === 0
      ? ''
      : ` Changed defaults of keys that this file does not set: ${changed.join(', ')}.`;
  const message = `\`${section}\` is the section of AgentJet's predecessor. AgentJet reads \`${supersededBy}\`, in which some keys have other names.${changes}`;
  const fixes = (): Fix[] => {
    const edits = migrateToAjet(document);
    return edits.length === 0 ? [] : [{ title: 'Rewrite the file for AgentJet', edits }];
  };
  return [
    finding(document, root.keySpan, {
      rule: 'legacy-astuner-config',
      severity: 'information',
      message,
      fixes,
    }),
  ];
}

interface ChangedDefault {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

let changed: readonly ChangedDefault[] | undefined;

/** Keys of both dialects whose defaults differ; the names of programs and folders apart, which are rewritten. */
function changedDefaults(): readonly ChangedDefault[] {
  return (changed ??= [...astunerKeys().keys].flatMap(({ path, info }) => {
    const now = ajetKeys().get(path.replace(/^astuner\./, 'ajet.'))?.info;
    if (info?.hasDefault !== true || now?.hasDefault !== true || !path.startsWith('astuner.')) return [];
    const [before, after] = [JSON.stringify(info.default), JSON.stringify(now.default)];
    return before.replaceAll('astuner', 'ajet') === after ? [] : [{ path, before, after }];
  }));
}
