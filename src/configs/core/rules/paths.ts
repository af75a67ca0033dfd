import { namingKeys, takesPath } from '../code/namingKeys.ts';
import { failingClause } from '../key-tables/condition.ts';
import type { ResolvedReferences } from '../context.ts';
import { replaceScalar } from '../edits.ts';
import { finding, fix, type Finding, type Fix } from '../finding.ts';
import type { KeyTable } from '../key-tables/keyTable.ts';
import { hasInterpolation, nodeAt } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';
import type { ScalarValue } from '../scalar.ts';
import { nameOf, type Visit } from './visit.ts';

/** False where this file says otherwise: sections of readers and judges are often kept for another time. */
function isRead({ key, document }: Visit): boolean {
  for (let above = key; above !== undefined; above = above.parent) {
    const { condition = [] } = above.info ?? {};
    if (failingClause(condition, (asked) => writtenAt(asked, document)) !== undefined) return false;
  }
  return true;
}

/** Returns the value in this file; undefined within lists. */
function writtenAt(path: string, { root }: ConfigDocument): ScalarValue | undefined {
  const node = nodeAt(root, path.split('.'));
  return node?.kind === 'scalar' && !hasInterpolation(node) ? node.value : undefined;
}

/** Paths that have to be there and are not, as far as this machine can tell. */
export function missingPaths(
  document: ConfigDocument,
  table: KeyTable,
  references: ResolvedReferences,
): Finding[] {
  return namingKeys(document, table).flatMap((visit): Finding[] => {
    const { node, key } = visit;
    if (key === undefined || !takesPath(key)) return [];
    if (node.kind !== 'scalar' || typeof node.value !== 'string' || hasInterpolation(node)) return [];
    if (references.exists(node.value) !== false || !isRead(visit)) return [];
    const similar = references.similar?.(node.value);
    const hint = similar === undefined ? '' : ` Did you mean \`${similar}\`?`;
    const message = `${nameOf(visit)} is \`${node.value}\`, which does not exist on this machine. Training needs it at the start.${hint}`;
    const fixes = (): Fix[] =>
      similar === undefined
        ? []
        : fix(`Change to \`${similar}\``, replaceScalar(document, node, similar, true));
    return [finding(document, node.span, { rule: 'missing-path', severity: 'warning', message, fixes })];
  });
}
