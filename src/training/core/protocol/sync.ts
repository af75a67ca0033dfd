/** Uploads of code to a GPU host. Files are identified by content, so that only missing ones are sent. */
import * as z from 'zod/mini';
import { insidePath, sha256 } from './runs.ts';

export const snapshotEntry = z.union([
  z.object({
    path: insidePath,
    sha256,
    bytes: z.int().check(z.nonnegative()),
    executable: z.optional(z.literal(true)),
  }),
  /** A symbolic link; its target is relative and stays inside the root. */
  z.object({ path: insidePath, link: insidePath }),
]);
export type SnapshotEntry = z.infer<typeof snapshotEntry>;

/**
 * All files and links, sorted by path (UTF-16 code units), without folders. The id of a snapshot is the SHA-256 of
 * the canonical JSON of its manifest (`base/canonicalJson`).
 */
export const snapshotManifest = z.array(snapshotEntry);
export type SnapshotManifest = z.infer<typeof snapshotManifest>;

/** The maximum number of entries in one request. */
export const entriesPerRequest = 2_000;

/** Limits of packs, which carry many small contents in one transfer. */
export const packLimits = {
  /** Bytes of a pack, headers included. */
  bytes: 8 * 1024 * 1024,
  /** Bytes of one content. */
  content: 1024 * 1024,
} as const;

/** Bytes before each content of a pack: 32 of its SHA-256, then 4 of its length, big-endian. */
export const packHeaderBytes = 36;
