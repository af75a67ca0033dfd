import { mkdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import { neverCancelled, type CancellationToken } from '../../../../base/core/cancellation.ts';
import type { Clock } from '../../../../base/core/ports.ts';
import type { HostParams, SnapshotEntry, SnapshotManifest } from '../../../core/protocol/hostRpc.ts';
import type { ByteSink, ByteSource, HostSync } from '../../../core/contracts.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import { WorkPool } from '../../parallel.ts';
import { PackReader } from '../../../core/sync/manifest.ts';
import { systemClock } from '../../../../base/node/clock.ts';
import { SnapshotLeases } from './snapshotLeases.ts';
import { ContentStore } from './contentStore.ts';
import { materialize, type CopyContent } from './materialize.ts';
import { Snapshots } from './snapshots.ts';

export interface HostSyncOptions {
  /** The data folder, for this process only. Contents are in `contents`, manifests in `snapshots`. */
  readonly dataFolder: string;
  readonly entries?: number;
  readonly clock?: Pick<Clock, 'now' | 'monotonic'>;
  readonly free?: (folder: string) => Promise<number>;
}

/** Bytes of the disk that are reserved for the logs and data of runs. */
const reserve = 256 * 1024 * 1024;

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Opens the store. Removes partial files of an earlier process. */
export async function openHostSync({
  dataFolder,
  entries = 1_000_000,
  clock = systemClock,
  free = freeBytes,
}: HostSyncOptions): Promise<OpenHostSync> {
  await mkdir(dataFolder, { recursive: true });
  const leases = await SnapshotLeases.open(path.join(dataFolder, 'claimed'), clock);
  const contents = await ContentStore.open(path.join(dataFolder, 'contents'), leases);
  const snapshots = await Snapshots.open(path.join(dataFolder, 'snapshots'), leases);
  const room = async (): Promise<number> => (await free(dataFolder)) - reserve;
  return new OpenHostSync(leases, contents, snapshots, { entries, room });
}

interface Limits {
  readonly entries: number;
  /** Returns the bytes that contents may still use. */
  readonly room: () => Promise<number>;
}

/** The largest number of incomplete manifests. They also share the limit of entries. A further one ends the oldest. */
const mostUnderway = 16;

const atATime = 8;

export class OpenHostSync implements HostSync {
  readonly #leases: SnapshotLeases;
  readonly #contents: ContentStore;
  readonly #snapshots: Snapshots;
  readonly #limits: Limits;
  /** Snapshots whose contents are all in the store. */
  readonly #whole = new Set<string>();
  /** Incomplete manifests by client and snapshot. */
  readonly #underway = new Map<string, SnapshotEntry[]>();

  constructor(leases: SnapshotLeases, contents: ContentStore, snapshots: Snapshots, limits: Limits) {
    this.#leases = leases;
    this.#contents = contents;
    this.#snapshots = snapshots;
    this.#limits = limits;
  }

  async lacks(contents: readonly string[]): Promise<readonly string[]> {
    await this.#leases.note();
    return contents.filter((sha256) => !this.#contents.claim(sha256));
  }

  async put(sha256: string, bytes: number, resumes = false): Promise<ByteSink> {
    await this.#checkRoom(bytes);
    return this.#contents.sink(sha256, bytes, resumes);
  }

  async pack(bytes: number): Promise<ByteSink> {
    await this.#checkRoom(bytes);
    return packSink(this.#contents, bytes);
  }

  async manifest(
    client: string,
    page: HostParams<'sync.manifest'>,
    cancellation = neverCancelled,
  ): Promise<boolean> {
    const key = `${client} ${page.snapshot}`;
    const before = page.from === 0 ? [] : (this.#underway.get(key) ?? []);
    this.#underway.delete(key);
    if (before.length !== page.from) throw syncErrors.badManifest('its pages are not in order');
    const { entries } = this.#limits;
    if (page.from + page.entries.length > entries)
      throw syncErrors.badManifest(`it has more than ${entries} entries`);
    for (const entry of page.entries) before.push(entry);
    if (page.done) {
      await this.#keep(page.snapshot, before);
      return true;
    }
    this.#underway.set(key, before);
    if (page.from === 0) cancellation.onCancelled(() => this.#underway.delete(key));
    let sum = [...this.#underway.values()].reduce((all, { length }) => all + length, 0);
    for (const [oldest, { length }] of this.#underway) {
      if (this.#underway.size <= mostUnderway && sum <= entries) break;
      this.#underway.delete(oldest);
      sum -= length;
    }
    return false;
  }

  async has(snapshot: string): Promise<boolean> {
    await this.#leases.note();
    if (!this.#snapshots.claim(snapshot)) return false;
    if (this.#whole.has(snapshot)) return true;
    const manifest = await this.#snapshots.read(snapshot).catch(() => undefined);
    if (manifest === undefined) return false;
    if (manifest.some((entry) => 'sha256' in entry && !this.#contents.claim(entry.sha256))) return false;
    this.#whole.add(snapshot);
    return true;
  }

  entries(snapshot: string): Promise<SnapshotManifest> {
    return this.#snapshots.read(snapshot);
  }

  get(sha256: string, offset: number): Promise<ByteSource> {
    return this.#contents.get(sha256, offset);
  }

  async materialize(snapshot: string, folder: string, cancellation: CancellationToken): Promise<void> {
    const manifest = await this.#snapshots.read(snapshot);
    const copy: CopyContent = (...content) => this.#contents.copy(...content);
    await materialize(manifest, folder, copy, cancellation).catch((error: unknown) => {
      this.#whole.clear(); // the next sync sends a missing content
      throw error;
    });
  }

  flushed(): Promise<void> {
    return this.#contents.flushed();
  }

  get bytes(): number | null {
    return this.#contents.bytes;
  }

  /**
   * Removes snapshots that are not needed, and contents without a snapshot, after their leases have ended. A kill
   * leaves a consistent store.
   */
  async collect(needed: ReadonlySet<string>, cancellation: CancellationToken): Promise<void> {
    const contents = new Set<string>();
    for (const snapshot of this.#snapshots.collect(needed)) {
      if (cancellation.isCancelled) return;
      for (const sha256 of await this.#snapshots.contentsOf(snapshot)) contents.add(sha256);
    }
    await this.#contents.collect(contents, cancellation);
  }

  async #keep(snapshot: string, manifest: SnapshotManifest): Promise<void> {
    await this.#check(manifest);
    await this.#snapshots.keep(snapshot, manifest);
    this.#whole.add(snapshot);
    // The client need not wait for this: see {@link PendingFsync}.
    void this.#contents.flushed().catch(() => undefined);
  }

  /** Checks the free space before the first byte. A full disk would keep runs from writing. */
  async #checkRoom(bytes: number): Promise<void> {
    const room = await this.#limits.room();
    if (bytes > room) throw syncErrors.noRoom(bytes, room);
  }

  /** Checks that all contents exist with the sizes in the manifest. */
  async #check(manifest: SnapshotManifest): Promise<void> {
    await this.#leases.note();
    for (const entry of manifest) {
      if (!('sha256' in entry)) continue;
      this.#contents.claim(entry.sha256);
      if ((await this.#contents.bytesOf(entry.sha256)) !== entry.bytes)
        throw syncErrors.contentDiffers(`The content of ${JSON.stringify(entry.path)}`);
    }
  }
}

/** Returns a sink that keeps the contents of a pack while it arrives, also if the pack is aborted later. */
function packSink(contents: ContentStore, bytes: number): ByteSink {
  const reader = new PackReader();
  const writing = new WorkPool(atATime);
  let got = 0;
  return {
    write: async (piece, offset) => {
      if (offset !== got) throw syncErrors.badPack('its pieces are not in order');
      got += piece.length;
      if (got > bytes) throw syncErrors.badPack('it is longer than announced');
      for (const { sha256, bytes: content } of reader.push(piece)) {
        await writing.start(() => contents.keep(sha256, content));
      }
    },
    end: async () => {
      await writing.end();
      if (got !== bytes) throw syncErrors.badPack('it is shorter than announced');
      reader.end();
    },
    abort: () => writing.settled(),
  };
}
