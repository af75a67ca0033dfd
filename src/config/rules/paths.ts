import { failingClause } from '../condition.ts';
import { finding } from '../finding.ts';
import { hasInterpolation, nodeAt } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';
import type { ScalarValue } from '../scalar.ts';
import type { Rule, Visit } from './visit.ts';

const onDisk: ReadonlySet<string | undefined> = new Set(['file', 'folder', 'path']);

/** False where this file says otherwise: sections of readers and judges are often kept for another time. */
function isRead({ key, document }: Visit): boolean {
  for (let above = key; above !== undefined; above = above.parent) {
    const { condition } = above.info ?? {};
    if (
      condition !== undefined &&
      failingClause(condition, (asked) => writtenAt(asked, document)) !== undefined
    ) {
      return false;
    }
  }
  return true;
}

/** What this file itself says; within lists, nothing is known. */
function writtenAt(path: string, { root }: ConfigDocument): ScalarValue | undefined {
  const node = nodeAt(root, path.split('.'));
  return node?.kind === 'scalar' && !hasInterpolation(node) ? node.value : undefined;
}

/** A path that has to be there and is not, as far as this machine can tell. */
export const missingPath: Rule = (visit) => {
  const { document, node, key, facts } = visit;
  if (facts === undefined || !onDisk.has(key?.info?.holds)) return [];
  if (node.kind !== 'scalar' || typeof node.value !== 'string' || hasInterpolation(node)) return [];
  if (facts.exists(node.value) !== false || !isRead(visit)) return [];
  const message = `${visit.name} names \`${node.value}\`, which does not exist here; training needs it to start.`;
  return [finding(document, node.span, { rule: 'missing-path', severity: 'warning', message })];
};
