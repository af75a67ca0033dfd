import { failingClause } from '../../../key-tables/condition.ts';
import type { Finding } from '../../../finding.ts';
import type { KeyNode } from '../../../key-tables/keyTable.ts';
import type { ScalarValue } from '../../../scalar.ts';
import { visitAll, type Visit } from '../../visit.ts';
import { quotedList, quotedName, scalarText, keyFinding } from '../report.ts';
import type { Settings } from '../settings.ts';

/**
 * Finds keys that are set but not read because of another key. Sections of unused readers and judges are not
 * reported. If the file does not set a backbone for training, keys that depend on the backbone are not reported
 * either.
 */
export function unreadKeys(settings: Settings): Finding[] {
  const { document, dialect } = settings.context;
  return visitAll(document, dialect.keys())
    .map(conditionalKey)
    .flatMap((key) => (key === undefined ? [] : unread(settings, key, key.path)));
}

/** Returns the key of a value, or of a list as a whole, that is read only under a condition. */
function conditionalKey({ node, key }: Visit): KeyNode | undefined {
  if (node.kind === 'mapping' || key?.info?.condition === undefined) return undefined;
  // Null means that there is nothing to apply.
  if (node.kind === 'scalar' && node.type === 'null') return undefined;
  return /[[{]/.test(key.path) ? undefined : key;
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
  return keyFinding(settings, 'not-applied', {
    at: [path],
    message: `${quotedName(path)} has no effect. It is read only if \`${failing.path}\` is ${quotedList(failing.values, 'or')}, but that is \`${scalarText(failing.value)}\`.`,
  });
}
