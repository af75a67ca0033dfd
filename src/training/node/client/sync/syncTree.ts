import { hash } from 'node:crypto';
import path from 'node:path';
import { neverCancelled, type CancellationToken } from '../../../../base/core/cancellation.ts';
import {
  entriesPerRequest,
  packLimits,
  type SnapshotEntry,
  type SnapshotManifest,
} from '../../../core/protocol/hostRpc.ts';
import type { ByteSource } from '../../../core/contracts.ts';
import type { ClientConnection } from '../../../core/wire/clientConnection.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import { manifestPages, manifestText } from '../../../core/sync/manifest.ts';
import {
  checkLimit,
  defaultSyncLimit,
  type SyncLimit,
  type Tree,
  type TreeFile,
} from '../../../core/sync/tree.ts';
import { inMemory, piecesOf } from '../../filePieces.ts';
import {
  openLarge,
  readSmall,
  Slices,
  sumLarge,
  sumSmall,
  isExecutable,
  isSettled,
  stampOf,
  writeSums,
  type FileSum,
} from './readFiles.ts';
import { retryAfterDisconnect, Uploads, type UploadsOptions } from './uploads.ts';

export interface SyncProgress {
  /** Bytes of the tree that the host has, and of the whole tree. */
  readonly bytes: number;
  readonly total: number;
  readonly sent: number;
}

export interface SyncTreeOptions {
  readonly onProgress?: (progress: SyncProgress) => void;
  readonly cancellation?: CancellationToken;
  readonly limit?: SyncLimit;
  /** Returns the time in milliseconds since the Unix epoch, by the clock of the file system. */
  readonly now?: () => number;
}

/**
 * Sends the missing contents of a tree to a host. Sends one request if nothing has changed. Continues after a lost
 * connection.
 *
 * @returns the id of the snapshot. Rejects with `sync/too-large` before anything is read or sent.
 */
export async function syncTree(
  tree: Tree,
  connection: Pick<ClientConnection, 'ask' | 'upload'>,
  options: SyncTreeOptions = {},
): Promise<string> {
  checkLimit(tree, options.limit ?? defaultSyncLimit);
  const sync = new TreeSync(tree, connection, options);
  return (await sync.unchanged()) ?? (await sync.send());
}

interface KnownFile extends FileSum {
  readonly bytes: number;
  readonly executable: boolean;
  /** True if a later change surely changes the stamp. */
  readonly isSettled: boolean;
}

class TreeSync {
  readonly #tree: Tree;
  readonly #connection: Pick<ClientConnection, 'ask' | 'upload'>;
  readonly #cancellation: CancellationToken;
  readonly #now: () => number;
  readonly #known = new Map<string, KnownFile>();
  readonly #onBytes: UploadsOptions['onBytes'];
  readonly #uploads: Uploads;
  readonly #smallFile = Buffer.allocUnsafe(packLimits.content);
  /** Contents that the host has or that are being sent. */
  readonly #sent = new Set<string>();

  constructor(
    tree: Tree,
    connection: Pick<ClientConnection, 'ask' | 'upload'>,
    { onProgress, cancellation = neverCancelled, now = Date.now }: SyncTreeOptions,
  ) {
    this.#tree = tree;
    this.#connection = connection;
    this.#cancellation = cancellation;
    this.#now = now;
    const progress = { bytes: 0, total: tree.bytes, sent: 0 };
    this.#onBytes = (bytes, sent) => {
      progress.bytes += bytes;
      progress.sent += sent;
      onProgress?.({ ...progress, bytes: Math.min(progress.bytes, progress.total) });
    };
    this.#uploads = new Uploads({ connection, cancellation, onBytes: this.#onBytes });
    for (const { sha256, content, ...file } of tree.files) {
      if (content !== undefined) this.#known.set(file.path, { ...file, ...summed(content) });
      else if (sha256 !== undefined) this.#known.set(file.path, { ...file, sha256, isSettled: true });
    }
  }

  /** Returns the id if no file has changed and the host has the snapshot. */
  async unchanged(): Promise<string | undefined> {
    if (this.#known.size < this.#tree.files.length) return undefined;
    const snapshot = idOf(this.#manifest());
    const { has } = await this.#connection.ask('sync.has', { snapshot }, this.#cancellation);
    return has ? snapshot : undefined;
  }

  async send(): Promise<string> {
    const { root, cache } = this.#tree;
    try {
      await this.#sendFiles(await this.#toRead());
      await this.#uploads.end();
    } finally {
      await this.#uploads.settled();
      const sums = [...this.#known.values()].filter((file) => file.isSettled);
      if (cache !== null) await writeSums(cache, root, sums);
    }
    const manifest = this.#manifest();
    const snapshot = idOf(manifest);
    await retryAfterDisconnect(() => this.#sendManifest(snapshot, manifest));
    return snapshot;
  }

  /** Returns the files whose content is unknown or missing on the host. */
  async #toRead(): Promise<readonly TreeFile[]> {
    const contents = [...new Set(Array.from(this.#known.values(), ({ sha256 }) => sha256))];
    const lacking = new Set<string>();
    for (let at = 0; at < contents.length; at += entriesPerRequest) {
      const page = contents.slice(at, at + entriesPerRequest);
      const answer = await this.#connection.ask('sync.lacks', { contents: page }, this.#cancellation);
      for (const sha256 of answer.contents) lacking.add(sha256);
    }
    for (const sha256 of contents) if (!lacking.has(sha256)) this.#sent.add(sha256);
    const isLacking = ({ path: name }: TreeFile): boolean => {
      const sha256 = this.#known.get(name)?.sha256;
      return sha256 === undefined || lacking.has(sha256);
    };
    const toRead = this.#tree.files.filter(isLacking);
    this.#onBytes(this.#tree.bytes - toRead.reduce((sum, { bytes }) => sum + bytes, 0), 0);
    return toRead;
  }

  async #sendFiles(files: readonly TreeFile[]): Promise<void> {
    const slices = new Slices();
    for (const file of files) {
      if (this.#cancellation.isCancelled) throw syncErrors.cancelled();
      await slices.pause();
      const place = path.join(this.#tree.root, file.path);
      const content = file.content ?? (await this.#read(file, place));
      const { sha256, bytes } = this.#known.get(file.path) ?? { sha256: '', bytes: 0 };
      if (this.#sent.has(sha256)) {
        this.#onBytes(bytes, 0);
        continue;
      }
      this.#sent.add(sha256);
      if (content !== undefined && bytes <= packLimits.content) {
        await this.#uploads.small({ sha256, bytes: content });
      } else {
        const open = (): ByteSource =>
          content === undefined ? piecesOf(() => openLarge(place), 0, bytes) : inMemory(content);
        await this.#uploads.large(sha256, open, place);
      }
    }
  }

  /** Reads a file and notes its checksum. Returns the content, until the next file, if it is small. */
  async #read(file: TreeFile, place: string): Promise<Uint8Array | undefined> {
    const now = this.#now();
    const small = file.bytes > packLimits.content ? undefined : readSmall(place, this.#smallFile);
    const { stats, sha256 } = small ?? (await sumLarge(place, this.#cancellation));
    this.#known.set(file.path, {
      ...{ path: file.path, sha256, bytes: Number(stats.size), executable: isExecutable(stats) },
      ...{ stamp: stampOf(stats), isSettled: isSettled(stats, now) },
    });
    return small?.bytes;
  }

  #manifest(): SnapshotManifest {
    const entries: SnapshotEntry[] = this.#tree.links.map(({ path: name, link }) => ({ path: name, link }));
    for (const { path: name, sha256, bytes, executable } of this.#known.values()) {
      entries.push({ path: name, sha256, bytes, ...(executable && { executable }) });
    }
    return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async #sendManifest(snapshot: string, manifest: SnapshotManifest): Promise<void> {
    const pages = manifestPages(manifest);
    for (const [at, { from, entries }] of pages.entries()) {
      const page = { snapshot, from, entries, done: at === pages.length - 1 };
      await this.#connection.ask('sync.manifest', page, this.#cancellation);
    }
  }
}

/** Returns the checksum of an added file. It is not cached, because the folder may have another file of that name. */
function summed(content: Uint8Array): Pick<KnownFile, 'sha256' | 'isSettled'> {
  return { sha256: sumSmall(content), isSettled: false };
}

function idOf(manifest: SnapshotManifest): string {
  return hash('sha256', manifestText(manifest), 'hex');
}
