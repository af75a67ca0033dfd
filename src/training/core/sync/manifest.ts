import {
  type SnapshotEntry,
  type SnapshotManifest,
  entriesPerRequest,
  packHeaderBytes,
  packLimits,
} from '../protocol/hostRpc.ts';
import { syncErrors } from './failures.ts';
import { Jail, type JailRules } from './jail.ts';

/** @param sha256 in hex */
export function packHeader(sha256: string, bytes: number): Uint8Array {
  const header = new Uint8Array(packHeaderBytes);
  for (let at = 0; at < 32; at++) header[at] = Number.parseInt(sha256.slice(2 * at, 2 * at + 2), 16);
  new DataView(header.buffer).setUint32(32, bytes);
  return header;
}

export interface PackedContent {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** Reads a pack from pieces of any size. */
export class PackReader {
  /** The bytes of the next content so far. */
  #pieces: Uint8Array[] = [];
  #received = 0;
  #needed = packHeaderBytes;

  /** Returns the contents that are now complete, whose bytes can be views of `piece`. Throws if it is not a pack. */
  push(piece: Uint8Array): readonly PackedContent[] {
    this.#pieces.push(piece);
    this.#received += piece.length;
    // Joined once the header or the content is complete, so that small pieces are not copied again and again.
    if (this.#received < this.#needed) return [];
    const whole: PackedContent[] = [];
    let rest = joined(this.#pieces);
    this.#needed = packHeaderBytes;
    while (rest.length >= packHeaderBytes) {
      const { sha256, bytes } = readHeader(rest);
      this.#needed = packHeaderBytes + bytes;
      if (rest.length < this.#needed) break;
      whole.push({ sha256, bytes: rest.subarray(packHeaderBytes, this.#needed) });
      rest = rest.subarray(this.#needed);
      this.#needed = packHeaderBytes;
    }
    this.#pieces = [rest];
    this.#received = rest.length;
    return whole;
  }

  /** Throws if the last content is incomplete. */
  end(): void {
    if (this.#received > 0) throw syncErrors.badPack('it ends in the middle of a file');
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(), ...others] = pieces.filter(({ length }) => length > 0);
  if (others.length === 0) return first;
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function readHeader(header: Uint8Array): { sha256: string; bytes: number } {
  const bytes = new DataView(header.buffer, header.byteOffset, header.byteLength).getUint32(32);
  if (bytes > packLimits.content)
    throw syncErrors.badPack(`a file in it has more than ${packLimits.content} bytes`);
  const digits = Array.from(header.subarray(0, 32), (byte) => byte.toString(16).padStart(2, '0'));
  return { sha256: digits.join(''), bytes };
}

/** Bytes of JSON in a page. A page with long names must fit into a message. */
const pageBytes = 2 * 1024 * 1024;

/** Returns the canonical JSON of a manifest, faster than the general function. Its SHA-256 is the snapshot's id. */
export function manifestText(manifest: SnapshotManifest): string {
  const pieces = manifest.map((entry) => {
    const path = JSON.stringify(entry.path);
    if ('link' in entry) return `{"link":${JSON.stringify(entry.link)},"path":${path}}`;
    const executable = entry.executable === true ? '"executable":true,' : '';
    return `{"bytes":${entry.bytes},${executable}"path":${path},"sha256":"${entry.sha256}"}`;
  });
  return `[${pieces.join(',')}]`;
}

/** The hooks and config in this folder run programs. Some systems ignore case. */
const gitFolder = /(?:^|\/)\.git(?:\/|$)/i;

/** Throws if a manifest is not sorted or a path is refused. */
export function checkManifest(manifest: SnapshotManifest, rules: JailRules = {}): void {
  const jail = new Jail(rules);
  let last = '';
  for (const entry of manifest) {
    const problem = gitFolder.test(entry.path) ? 'it is in the folder of Git' : jail.problemOf(entry);
    if (problem !== undefined) throw syncErrors.refusedPath(entry.path, problem);
    if (entry.path <= last) throw syncErrors.badManifest('it is not sorted by path');
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
