import { mkdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { Clock } from '../../../../base/core/ports.ts';
import type { SnapshotEntry, SnapshotManifest } from '../../../core/protocol/hostRpc.ts';
import type { ByteSink, ByteSource, HostSync } from '../../../core/contracts.ts';
import { badManifest, badPack, contentDiffers, noContent, noRoom } from '../../../core/sync/failures.ts';
import { PackReader } from '../../../core/sync/manifest.ts';
import { systemClock } from '../../../../base/node/clock.ts';
import { SnapshotLeases } from './snapshotLeases.ts';
import { ContentStore } from './contentStore.ts';
import { materialize } from './materialize.ts';
import { Snapshots } from './snapshots.ts';

export interface HostSyncOptions {
  /** The data folder, for this process only. Contents are in `contents`, manifests in `snapshots`. */
  readonly dataFolder: string;
  /** The largest number of entries in a snapshot. */
  readonly entries?: number;
  readonly clock?: Pick<Clock, 'now' | 'monotonic'>;
  /** Returns the free bytes on the disk of a folder. */
  readonly free?: (folder: string) => Promise<number>;
}

/** Bytes of the disk that are reserved for the logs and data of runs. */
const reserve = 256 * 1024 * 1024;

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

export interface OpenHostSync extends HostSync {
  /** Resolves when all contents so far would survive a crash. */
  flushed(): Promise<void>;
  /**
   * Removes snapshots that are not needed, and contents without a snapshot, after their leases have ended. A kill
   * leaves a consistent store.
   */
  collect(needed: ReadonlySet<string>, cancellation: CancellationToken): Promise<void>;
  /** Bytes of all contents. Null until {@link collect} has counted them. */
  readonly bytes: number | null;
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
  return new DiskSync({ leases, contents, snapshots }, { entries, room });
}

interface Stores {
  readonly leases: SnapshotLeases;
  readonly contents: ContentStore;
  readonly snapshots: Snapshots;
}

interface Limits {
  /** The largest number of entries in a snapshot. */
  readonly entries: number;
  /** Returns the bytes that contents may still use. */
  readonly room: () => Promise<number>;
}

/** The largest number of incomplete manifests. A further one replaces the oldest. */
const mostUnderway = 16;

const atATime = 8;

class DiskSync implements OpenHostSync {
  readonly #leases: SnapshotLeases;
  readonly #contents: ContentStore;
  readonly #snapshots: Snapshots;
  readonly #limits: Limits;
  /** Snapshots whose contents are all in the store. */
  readonly #whole = new Set<string>();
  /** Incomplete manifests by client and snapshot. */
  readonly #underway = new Map<string, SnapshotEntry[]>();

  constructor({ leases, contents, snapshots }: Stores, limits: Limits) {
    this.#leases = leases;
    this.#contents = contents;
    this.#snapshots = snapshots;
    this.#limits = limits;
  }

  async lacks(contents: readonly string[]): Promise<readonly string[]> {
    await this.#leases.note();
    const lacking: string[] = [];
    for (const sha256 of contents) if (!(await this.#contents.claim(sha256))) lacking.push(sha256);
    return lacking;
  }

  async put(sha256: string, bytes: number): Promise<ByteSink> {
    await this.#checkRoom(bytes);
    return this.#contents.sink(sha256, bytes);
  }

  async pack(bytes: number): Promise<ByteSink> {
    await this.#checkRoom(bytes);
    return new PackSink(this.#contents, bytes);
  }

  async manifest(
    client: string,
    page: {
      readonly snapshot: string;
      readonly from: number;
      readonly entries: readonly SnapshotEntry[];
      readonly done: boolean;
    },
  ): Promise<boolean> {
    const key = `${client} ${page.snapshot}`;
    const before = page.from === 0 ? [] : (this.#underway.get(key) ?? []);
    this.#underway.delete(key);
    if (before.length !== page.from) throw badManifest('its pages are not in order');
    const { entries } = this.#limits;
    if (page.from + page.entries.length > entries) throw badManifest(`it has more than ${entries} entries`);
    for (const entry of page.entries) before.push(entry);
    if (page.done) {
      await this.#keep(page.snapshot, before);
      return true;
    }
    this.#underway.set(key, before);
    const [oldest] = this.#underway.keys();
    if (this.#underway.size > mostUnderway && oldest !== undefined) this.#underway.delete(oldest);
    return false;
  }

  async has(snapshot: string): Promise<boolean> {
    await this.#leases.note();
    if (!this.#snapshots.claim(snapshot)) return false;
    if (this.#whole.has(snapshot)) return true;
    const manifest = await this.#snapshots.read(snapshot).catch(() => undefined);
    if (manifest === undefined) return false;
    for (const entry of manifest) {
      if ('sha256' in entry && !(await this.#contents.claim(entry.sha256))) return false;
    }
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
    const broken = await this.#contents.dropBroken(manifest.filter((entry) => 'sha256' in entry));
    // The next sync sends the missing content.
    if (broken !== undefined) this.#whole.clear();
    if (broken !== undefined) throw noContent(broken);
    await materialize(manifest, folder, (sha256) => this.#contents.pathOf(sha256), cancellation);
  }

  flushed(): Promise<void> {
    return this.#contents.flushed();
  }

  get bytes(): number | null {
    return this.#contents.bytes;
  }

  async collect(needed: ReadonlySet<string>, cancellation: CancellationToken): Promise<void> {
    const snapshots = await this.#snapshots.collect(needed, cancellation);
    const contents = new Set<string>();
    for (const snapshot of snapshots) {
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
    if (bytes > room) throw noRoom(bytes, room);
  }

  /** Checks that all contents exist with the sizes in the manifest. */
  async #check(manifest: SnapshotManifest): Promise<void> {
    await this.#leases.note();
    for (const entry of manifest) {
      if ('sha256' in entry) await this.#contents.claim(entry.sha256);
      if (!('sha256' in entry) || (await this.#contents.bytesOf(entry.sha256)) === entry.bytes) continue;
      throw contentDiffers(`The content of ${JSON.stringify(entry.path)}`);
    }
  }
}

/** Writes the contents of a pack while it arrives. */
class PackSink implements ByteSink {
  readonly #contents: ContentStore;
  readonly #bytes: number;
  readonly #reader = new PackReader();
  readonly #writing = new Set<Promise<void>>();
  #got = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(contents: ContentStore, bytes: number) {
    this.#contents = contents;
    this.#bytes = bytes;
  }

  async write(bytes: Uint8Array, offset: number): Promise<void> {
    if (offset !== this.#got) throw badPack('its pieces are not in order');
    this.#got += bytes.length;
    if (this.#got > this.#bytes) throw badPack('it is longer than announced');
    for (const content of this.#reader.push(bytes)) {
      while (this.#writing.size >= atATime) await Promise.race(this.#writing);
      this.#throwFailure();
      this.#start(content.sha256, content.bytes);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#writing);
    this.#throwFailure();
    if (this.#got !== this.#bytes) throw badPack('it is shorter than announced');
    this.#reader.end();
  }

  /** Keeps the contents that were complete. */
  async abort(): Promise<void> {
    await Promise.all(this.#writing);
  }

  #start(sha256: string, bytes: Uint8Array): void {
    const writing = this.#contents
      .keep(sha256, bytes)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
