import { finding } from '../finding.ts';
import { hasInterpolation } from '../node.ts';
import type { Rule } from './visit.ts';

const onDisk: ReadonlySet<string | undefined> = new Set(['file', 'folder', 'path']);

/** A path that has to be there and is not, as far as this machine can tell. */
export const missingPath: Rule = (visit) => {
  const { document, node, key, facts } = visit;
  if (facts === undefined || !onDisk.has(key?.info?.holds)) return [];
  if (node.kind !== 'scalar' || typeof node.value !== 'string' || hasInterpolation(node)) return [];
  if (facts.exists(node.value) !== false) return [];
  const message = `${visit.name} names \`${node.value}\`, which does not exist here; training needs it to start.`;
  return [finding(document, node.span, { rule: 'missing-path', severity: 'warning', message })];
};
