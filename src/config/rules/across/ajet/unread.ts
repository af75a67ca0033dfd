import { failingClause } from '../../../condition.ts';
import type { Finding } from '../../../finding.ts';
import type { KeyNode } from '../../../keyTable.ts';
import type { Node } from '../../../node.ts';
import type { ScalarValue } from '../../../scalar.ts';
import { joined, named, shown, tell } from '../report.ts';
import type { Settings } from '../settings.ts';

/**
 * Keys that are typed but not read, because another key says otherwise. Sections of readers and judges that are kept
 * for another time are left alone, and so is what depends on the backbone while the file does not name one for training.
 */
export function unreadKeys(settings: Settings): Finding[] {
  const { document, dialect } = settings.context;
  const findings: Finding[] = [];
  const table = dialect.keys();
  const visit = (node: Node, key: KeyNode, path: string): void => {
    if (node.kind !== 'mapping') {
      findings.push(...unread(settings, key, path));
      return;
    }
    for (const entry of node.entries) {
      const child = key.children.get(entry.key);
      if (child !== undefined) visit(entry.value, child, path === '' ? entry.key : `${path}.${entry.key}`);
    }
  };
  if (document.root !== undefined) visit(document.root, table.root, '');
  return findings;
}

function unread(settings: Settings, key: KeyNode, path: string): Finding[] {
  const condition = key.info?.condition;
  if (condition === undefined) return [];
  const read = (asked: string): ScalarValue | undefined => {
    const value = settings.scalar(asked);
    return asked.endsWith('.backbone') && value === 'debug' ? undefined : value;
  };
  const failing = failingClause(condition, read);
  const around = key.parent?.info?.condition;
  // Where the section is not read either, it is one that is kept for another time.
  if (around !== undefined && failingClause(around, read) !== undefined) return [];
  if (failing === undefined) return [];
  return tell(settings, 'not-applied', {
    at: [path],
    message: `${named(path)} has no effect: it is read only where \`${failing.path}\` is ${joined(failing.values, 'or')}, and that is \`${shown(failing.value)}\`.`,
  });
}
