import { hash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import { snapshotManifest, type SnapshotManifest } from '../../../core/protocol/hostRpc.ts';
import { badManifest, noSnapshot } from '../../../core/sync/failures.ts';
import { checkManifest, manifestText } from '../../../core/sync/manifest.ts';
import type { SnapshotLeases } from './snapshotLeases.ts';
import { asDiskFull, isCode, KeyedMutex } from './contentStore.ts';

const ending = '.json';

/** Stores manifests by id in files, which appear when complete. */
export class Snapshots {
  readonly #folder: string;
  readonly #leases: SnapshotLeases;
  /** The time of the last lease of each snapshot. */
  readonly #known = new Map<string, number>();
  readonly #mutex = new KeyedMutex();
  #made = 0;

  private constructor(folder: string, leases: SnapshotLeases) {
    this.#folder = folder;
    this.#leases = leases;
  }

  static async open(folder: string, leases: SnapshotLeases): Promise<Snapshots> {
    const snapshots = new Snapshots(folder, leases);
    await rm(snapshots.#incoming, { recursive: true, force: true });
    await mkdir(snapshots.#incoming, { recursive: true });
    for (const name of await readdir(folder)) {
      if (name.endsWith(ending)) snapshots.#known.set(name.slice(0, -ending.length), leases.before);
    }
    return snapshots;
  }

  /** Takes a lease on a snapshot. Returns whether the store has it. */
  claim(snapshot: string): boolean {
    const isThere = this.#known.has(snapshot);
    if (isThere) this.#known.set(snapshot, this.#leases.now);
    return isThere;
  }

  /** Removes snapshots that are neither needed nor leased. Resolves to the others. */
  async collect(needed: ReadonlySet<string>, cancellation: CancellationToken): Promise<readonly string[]> {
    for (const snapshot of [...this.#known.keys()]) {
      if (cancellation.isCancelled) break;
      if (needed.has(snapshot)) continue;
      await this.#mutex.run(snapshot, async () => {
        // Another client may have taken a lease just now.
        if (this.#leases.isOver(this.#known.get(snapshot) ?? Infinity)) await this.#remove(snapshot);
      });
    }
    return [...this.#known.keys()];
  }

  /**
   * Returns the contents of a snapshot, and perhaps more. The text is not verified: a damaged manifest must not cost
   * a content that a good copy names.
   */
  async contentsOf(snapshot: string): Promise<readonly string[]> {
    const text = await readFile(this.#pathOf(snapshot), 'utf8').catch((error: unknown) => {
      if (isCode(error, 'ENOENT')) return '';
      throw error;
    });
    return Array.from(text.matchAll(/"sha256":"([0-9a-f]{64})"/g), ([, sha256 = '']) => sha256);
  }

  /** Stores a manifest. Throws if it does not match its id or has invalid paths. */
  async keep(snapshot: string, manifest: SnapshotManifest): Promise<void> {
    const text = manifestText(manifest);
    if (hash('sha256', text, 'hex') !== snapshot) throw badManifest('it differs from the announced one');
    checkManifest(manifest);
    const file = path.join(this.#incoming, String(this.#made++));
    try {
      const handle = await open(file, 'wx', 0o644);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await this.#mutex.run(snapshot, async () => {
        await rename(file, this.#pathOf(snapshot));
        this.#known.set(snapshot, this.#leases.now);
      });
    } catch (error) {
      await rm(file, { force: true });
      throw asDiskFull(error);
    }
  }

  /** Returns a manifest. Rejects with `sync/no-snapshot`. Removes a damaged file. */
  async read(snapshot: string): Promise<SnapshotManifest> {
    if (!this.#known.has(snapshot)) throw noSnapshot(snapshot);
    const text = await this.#textOf(snapshot);
    if (text === undefined) throw noSnapshot(snapshot);
    if (isSpoilt(snapshot, text)) {
      await this.#mutex.run(snapshot, async () => {
        // It may have been stored again meanwhile.
        if (isSpoilt(snapshot, (await this.#textOf(snapshot)) ?? '')) await this.#remove(snapshot);
      });
      throw noSnapshot(snapshot);
    }
    const manifest = z.parse(snapshotManifest, JSON.parse(text));
    checkManifest(manifest);
    return manifest;
  }

  /** Forgets the snapshot before its file is removed. Call it inside the mutex. */
  async #remove(snapshot: string): Promise<void> {
    this.#known.delete(snapshot);
    await rm(this.#pathOf(snapshot), { force: true });
  }

  /** Undefined: it is missing or unreadable. */
  #textOf(snapshot: string): Promise<string | undefined> {
    return readFile(this.#pathOf(snapshot), 'utf8').catch(() => undefined);
  }

  get #incoming(): string {
    return path.join(this.#folder, 'incoming');
  }

  #pathOf(snapshot: string): string {
    return path.join(this.#folder, snapshot + ending);
  }
}

function isSpoilt(snapshot: string, text: string): boolean {
  return hash('sha256', text, 'hex') !== snapshot;
}
