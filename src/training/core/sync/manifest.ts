import type { SnapshotEntry, SnapshotManifest } from '../protocol/sync.ts';
import { entriesPerRequest } from '../protocol/sync.ts';
import { badManifest, refusedPath } from './failures.ts';
import { Jail, type JailRules } from './jail.ts';

/** Bytes of JSON in a page. A page with long names must fit into a message. */
const pageBytes = 2 * 1024 * 1024;

/**
 * Returns the canonical JSON of a manifest. Its SHA-256 is the id of the snapshot. Faster than the general function.
 */
export function manifestText(manifest: SnapshotManifest): string {
  const pieces = manifest.map((entry) => {
    const path = JSON.stringify(entry.path);
    if ('link' in entry) return `{"link":${JSON.stringify(entry.link)},"path":${path}}`;
    const executable = entry.executable === true ? '"executable":true,' : '';
    return `{"bytes":${entry.bytes},${executable}"path":${path},"sha256":"${entry.sha256}"}`;
  });
  return `[${pieces.join(',')}]`;
}

/** Throws if a manifest is not sorted or a path is refused. */
export function checkManifest(manifest: SnapshotManifest, rules: JailRules = {}): void {
  const jail = new Jail(rules);
  let last = '';
  for (const entry of manifest) {
    const problem = jail.problemOf(entry);
    if (problem !== undefined) throw refusedPath(entry.path, problem);
    if (entry.path <= last) throw badManifest('it is not sorted by path');
    last = entry.path;
  }
}

/** Splits a manifest into pages. An empty manifest has one page. */
export function manifestPages(
  manifest: SnapshotManifest,
): readonly { readonly from: number; readonly entries: SnapshotEntry[] }[] {
  const pages: { from: number; entries: SnapshotEntry[] }[] = [{ from: 0, entries: [] }];
  let page = pages[0];
  let bytes = 0;
  for (const [from, entry] of manifest.entries()) {
    const size = entryBytes(entry);
    if (page === undefined || page.entries.length === entriesPerRequest || bytes + size > pageBytes) {
      page = { from, entries: [] };
      pages.push(page);
      bytes = 0;
    }
    page.entries.push(entry);
    bytes += size;
  }
  return pages;
}

/** Returns the maximum size of an entry in JSON. Quotes in names can double it. */
function entryBytes(entry: SnapshotEntry): number {
  return (
    256 +
    2 *
      (new TextEncoder().encode(entry.path).length +
        ('link' in entry ? new TextEncoder().encode(entry.link).length : 0))
  );
}
