import { hash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { snapshotManifest, type SnapshotManifest } from '../../../protocol/host/sync.ts';
import { badManifest, noSnapshot } from '../../../remote/sync/failures.ts';
import { checkManifest, manifestText } from '../../../remote/sync/manifest.ts';
import { asDiskFull } from './contentStore.ts';

/** Manifests by their ids, each a file that is whole from the moment it has its name. */
export class Snapshots {
  readonly #folder: string;
  #made = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<Snapshots> {
    const snapshots = new Snapshots(folder);
    await rm(snapshots.#incoming, { recursive: true, force: true });
    await mkdir(snapshots.#incoming, { recursive: true });
    return snapshots;
  }

  /** Throws where it is not what its id says, or holds what must not be written. */
  async keep(snapshot: string, manifest: SnapshotManifest): Promise<void> {
    const text = manifestText(manifest);
    if (hash('sha256', text, 'hex') !== snapshot) throw badManifest('it is not the one that was announced');
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
      await rename(file, this.#pathOf(snapshot));
    } catch (error) {
      await rm(file, { force: true });
      throw asDiskFull(error);
    }
  }

  /** Rejects with `sync/no-snapshot`; what the disk has spoilt is removed. */
  async read(snapshot: string): Promise<SnapshotManifest> {
    const text = await readFile(this.#pathOf(snapshot), 'utf8').catch(() => undefined);
    if (text === undefined) throw noSnapshot(snapshot);
    if (hash('sha256', text, 'hex') !== snapshot) {
      await rm(this.#pathOf(snapshot), { force: true });
      throw noSnapshot(snapshot);
    }
    const manifest = z.parse(snapshotManifest, JSON.parse(text));
    checkManifest(manifest);
    return manifest;
  }

  get #incoming(): string {
    return path.join(this.#folder, 'incoming');
  }

  #pathOf(snapshot: string): string {
    return path.join(this.#folder, `${snapshot}.json`);
  }
}
