import type { Location } from '../../../base/core/errors.ts';
import { entryOf } from '../../../configs/core/node.ts';
import { parseConfig } from '../../../configs/core/parse.ts';
import type { Span, TextRange } from '../../../configs/core/text.ts';
import { warning } from '../launch/findings.ts';
import type { Finding } from '../protocol/hostRpc.ts';
import { unsentFiles, type ExcludedPath } from '../sync/tree.ts';

export const unsentFileId = 'cannot-be-sent';
/** The number of files to list. Further ones are counted. */
const maxListed = 10;

export function unsentFileFindings(excluded: readonly ExcludedPath[]): Finding[] {
  const found = unsentFiles(excluded);
  const hint =
    'Rename it, or replace it with a copy. If the run does not need it, exclude it in .agentjetignore.';
  const listed = found
    .slice(0, maxListed)
    .map(({ path, problem = '' }) => `Cannot send \`${path}\`: ${problem}.`);
  const more = found.length - listed.length;
  if (more > 0) listed.push(`${more} more files cannot be sent. To list them, use \`--dry-run\`.`);
  return listed.map((message) => warning(unsentFileId, message, { hint }));
}

export interface LocatedFinding extends Finding {
  /** The range of the key, or of its nearest ancestor in the file; undefined if it is not about this file. */
  readonly range: TextRange | undefined;
}

export function locateFindings(text: string, findings: readonly Finding[]): readonly LocatedFinding[] {
  const document = parseConfig(text);
  return findings.map((finding) => {
    let node = document.root;
    let key: Span | undefined;
    for (const step of finding.key?.split('.') ?? []) {
      const item = node?.kind === 'sequence' ? node.items[Number(step)] : undefined;
      const entry = entryOf(node, step);
      if (item === undefined && entry === undefined) break;
      node = item ?? entry?.value;
      key = entry?.keySpan ?? key;
    }
    const range = key && { start: document.lines.position(key.start), end: document.lines.position(key.end) };
    return { ...finding, range };
  });
}

export function locationOf(file: string, { range }: LocatedFinding): Location {
  return range === undefined
    ? { file }
    : { file, line: range.start.line + 1, column: range.start.character + 1 };
}
