import { hash } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { hasCode } from '../../../../base/core/errors.ts';
import { snapshotManifest, type SnapshotManifest } from '../../../core/protocol/hostRpc.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import { checkManifest, manifestText } from '../../../core/sync/manifest.ts';
import type { SnapshotLeases } from './snapshotLeases.ts';
import { asDiskFull, emptyFolder, ownFolder } from './contentStore.ts';

const ending = '.json';

/** Stores manifests by id in files, which appear when complete. */
export class Snapshots {
  readonly #folder: string;
  readonly #leases: SnapshotLeases;
  readonly #known = new Map<string, number>();
  #made = 0;

  private constructor(folder: string, leases: SnapshotLeases) {
    this.#folder = folder;
    this.#leases = leases;
  }

  static async open(folder: string, leases: SnapshotLeases): Promise<Snapshots> {
    const snapshots = new Snapshots(folder, leases);
    await ownFolder(folder);
    await emptyFolder(snapshots.#incoming);
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

  /** Removes snapshots that are neither needed nor leased. Returns the others. */
  collect(needed: ReadonlySet<string>): readonly string[] {
    for (const [snapshot, claimedAt] of this.#known) {
      if (!needed.has(snapshot) && this.#leases.isOver(claimedAt)) this.#remove(snapshot);
    }
    return [...this.#known.keys()];
  }

  /** May return more: the text is not verified, so that a damaged manifest does not cost a content that a good copy names. */
  async contentsOf(snapshot: string): Promise<readonly string[]> {
    const text = await readFile(this.#pathOf(snapshot), 'utf8').catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return '';
      throw error;
    });
    return Array.from(text.matchAll(/"sha256":"([0-9a-f]{64})"/g), ([, sha256 = '']) => sha256);
  }

  /** Stores a manifest. Throws if it does not match its id or has invalid paths. */
  async keep(snapshot: string, manifest: SnapshotManifest): Promise<void> {
    const text = manifestText(manifest);
    if (hash('sha256', text, 'hex') !== snapshot)
      throw syncErrors.badManifest('it differs from the announced one');
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
      renameSync(file, this.#pathOf(snapshot));
      this.#known.set(snapshot, this.#leases.now);
    } catch (error) {
      await rm(file, { force: true });
      throw asDiskFull(error);
    }
  }

  /** Returns a manifest. Rejects with `sync/no-snapshot`. Removes a damaged file. */
  async read(snapshot: string): Promise<SnapshotManifest> {
    if (!this.#known.has(snapshot)) throw syncErrors.noSnapshot(snapshot);
    const file = this.#pathOf(snapshot);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) throw syncErrors.noSnapshot(snapshot);
    if (isDamaged(snapshot, text)) {
      // It may have been stored again meanwhile.
      const isKnown = this.#known.has(snapshot);
      if (isKnown && isDamaged(snapshot, readFileSync(file, 'utf8'))) this.#remove(snapshot);
      throw syncErrors.noSnapshot(snapshot);
    }
    const manifest = z.parse(snapshotManifest, JSON.parse(text));
    checkManifest(manifest);
    return manifest;
  }

  #remove(snapshot: string): void {
    this.#known.delete(snapshot);
    rmSync(this.#pathOf(snapshot), { force: true });
  }

  get #incoming(): string {
    return path.join(this.#folder, 'incoming');
  }

  #pathOf(snapshot: string): string {
    return path.join(this.#folder, snapshot + ending);
  }
}

function isDamaged(snapshot: string, text: string): boolean {
  return hash('sha256', text, 'hex') !== snapshot;
}
