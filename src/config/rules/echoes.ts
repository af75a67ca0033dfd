import type { Finding } from '../finding.ts';
import type { RuleId } from './catalog.ts';

/** Rules that tell of one thing: where the second has something to say, the first would only repeat it. */
const echoes: readonly (readonly [echo: RuleId, of: RuleId])[] = [
  ['wrong-type', 'null-converted'],
  ['deprecated-key', 'trinity-trainer'],
];

/** Without what another finding of the same line tells better. */
export function withoutEchoes(findings: readonly Finding[]): Finding[] {
  if (!findings.some(({ rule }) => echoes.some(([echo]) => echo === rule))) return [...findings];
  const told = new Set(findings.map(placeOfRule));
  return findings.filter(({ rule, range }) =>
    echoes.every(([echo, of]) => rule !== echo || !told.has(placeOfRule({ rule: of, range }))),
  );
}

function placeOfRule({ rule, range }: Pick<Finding, 'rule' | 'range'>): string {
  return `${range.start.line} ${rule}`;
}
