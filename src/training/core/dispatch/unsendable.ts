import type { Finding } from '../protocol/hostRpc.ts';
import { unsentFiles, type ExcludedPath } from '../sync/tree.ts';

export const unsentFileId = 'cannot-be-sent';
/** Told one by one; more are counted. */
const mostTold = 10;

/** What the run would not have, although nobody left it out. */
export function unsentFileFindings(leftOut: readonly ExcludedPath[]): Finding[] {
  const found = unsentFiles(leftOut);
  const warning = (message: string): Finding => ({
    id: unsentFileId,
    severity: 'warning',
    message,
    hint: 'Give it another name or put a copy in its place; where the run does without, leave it out by a line in .agentjetignore.',
  });
  const told = found.slice(0, mostTold).map(({ path, problem = '' }) => {
    return warning(`\`${path}\` cannot be sent: ${problem}.`);
  });
  const more = found.length - told.length;
  return more === 0 ? told : [...told, warning(`${more} more cannot be sent: \`--dry-run\` lists them.`)];
}
