import type { Location } from '../../../base/core/errors.ts';
import { entryOf } from '../../../configs/core/node.ts';
import { parseConfig } from '../../../configs/core/parse.ts';
import type { Span, TextRange } from '../../../configs/core/text.ts';
import type { Finding } from '../protocol/hostRpc.ts';

/** What a host found, at the place of the config that it is about. */
export interface LocatedFinding extends Finding {
  /** The key, or the nearest one above it that the file has; undefined: it is about no place of this file. */
  readonly range: TextRange | undefined;
}

/** Findings of keys that the file leaves to a default are about the mapping that lacks them. */
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

/** For messages of the command line. */
export function locationOf(file: string, { range }: LocatedFinding): Location {
  return range === undefined
    ? { file }
    : { file, line: range.start.line + 1, column: range.start.character + 1 };
}
