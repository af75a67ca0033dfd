/** Code on its way to a GPU host: by content, so that only what the host lacks is sent. */
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
 * All files and links, sorted by path (UTF-16 code units); folders are what their files need. Its id is the SHA-256 of
 * its canonical JSON (`base/canonicalJson`).
 */
export const snapshotManifest = z.array(snapshotEntry);
export type SnapshotManifest = z.infer<typeof snapshotManifest>;

/** Entries in one request at most. */
export const entriesPerRequest = 2_000;

/** Of packs, which carry many small contents in one transfer. */
export const packLimits = {
  /** Bytes of a pack, headers included. */
  bytes: 8 * 1024 * 1024,
  /** Bytes of a content in one. */
  content: 1024 * 1024,
} as const;

/** Bytes before each content of a pack: 32 of its SHA-256, then 4 of its length, big-endian. */
export const packHeaderBytes = 36;
