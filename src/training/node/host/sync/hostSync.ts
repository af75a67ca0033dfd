import { mkdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { Clock } from '../../../../base/core/ports.ts';
import type { SnapshotEntry, SnapshotManifest } from '../../../core/protocol/sync.ts';
import type { ByteSink, ByteSource, HostSync } from '../../../core/contracts.ts';
import { badManifest, badPack, contentDiffers, noContent, noRoom } from '../../../core/sync/failures.ts';
import { PackReader } from '../../../core/sync/pack.ts';
import { systemClock } from '../../../../base/node/clock.ts';
import { Claims } from './claims.ts';
import { ContentStore } from './contentStore.ts';
import { materialise } from './materialise.ts';
import { Snapshots } from './snapshots.ts';

export interface HostSyncOptions {
  /** Of this process alone. Contents are kept in `contents`, manifests in `snapshots`. */
  readonly dataFolder: string;
  /** Entries of a snapshot at most. */
  readonly entries?: number;
  readonly clock?: Pick<Clock, 'now' | 'monotonic'>;
  /** Bytes that are free on the disk of a folder. */
  readonly free?: (folder: string) => Promise<number>;
}

/** Bytes of the disk that are left to the runs, for what they tell and keep. */
const reserve = 256 * 1024 * 1024;

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

export interface OpenHostSync extends HostSync {
  /** Resolves once all that was kept so far would survive a machine that goes down. */
  flushed(): Promise<void>;
  /**
   * Removes snapshots that are not needed, and contents that no other snapshot names, once it is long enough ago that a client
   * was told of them. Killed in the middle, it leaves what is whole.
   */
  collect(needed: ReadonlySet<string>, cancellation: CancellationToken): Promise<void>;
  /** Bytes of all contents; null until they were counted, which collecting does. */
  readonly bytes: number | null;
}

/** Removes what an earlier process had begun to write. */
export async function openHostSync({
  dataFolder,
  entries = 1_000_000,
  clock = systemClock,
  free = freeBytes,
}: HostSyncOptions): Promise<OpenHostSync> {
  await mkdir(dataFolder, { recursive: true });
  const claims = await Claims.open(path.join(dataFolder, 'claimed'), clock);
  const contents = await ContentStore.open(path.join(dataFolder, 'contents'), claims);
  const snapshots = await Snapshots.open(path.join(dataFolder, 'snapshots'), claims);
  const room = async (): Promise<number> => (await free(dataFolder)) - reserve;
  return new DiskSync({ claims, contents, snapshots }, { entries, room });
}

interface Stores {
  readonly claims: Claims;
  readonly contents: ContentStore;
  readonly snapshots: Snapshots;
}

interface Limits {
  /** Of a snapshot, at most. */
  readonly entries: number;
  /** Bytes that contents may still take. */
  readonly room: () => Promise<number>;
}

/** Manifests that are underway at most; the oldest is given up for another. */
const mostUnderway = 16;

/** Contents of a pack that are written at a time. */
const atATime = 8;

class DiskSync implements OpenHostSync {
  readonly #claims: Claims;
  readonly #contents: ContentStore;
  readonly #snapshots: Snapshots;
  readonly #limits: Limits;
  /** Snapshots of which every content was found. */
  readonly #whole = new Set<string>();
  /** By client and snapshot. */
  readonly #underway = new Map<string, SnapshotEntry[]>();

  constructor({ claims, contents, snapshots }: Stores, limits: Limits) {
    this.#claims = claims;
    this.#contents = contents;
    this.#snapshots = snapshots;
    this.#limits = limits;
  }

  async lacks(contents: readonly string[]): Promise<readonly string[]> {
    await this.#claims.note();
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
    await this.#claims.note();
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
    // The next sync brings what is missing.
    if (broken !== undefined) this.#whole.clear();
    if (broken !== undefined) throw noContent(broken);
    await materialise(manifest, folder, (sha256) => this.#contents.pathOf(sha256), cancellation);
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
    // The client need not wait for it: see Unflushed.
    void this.#contents.flushed().catch(() => undefined);
  }

  /** Before the first byte: what fills a disk up to the last one keeps the runs from telling anything. */
  async #checkRoom(bytes: number): Promise<void> {
    const room = await this.#limits.room();
    if (bytes > room) throw noRoom(bytes, room);
  }

  /** Every content is there and as large as the manifest says. */
  async #check(manifest: SnapshotManifest): Promise<void> {
    await this.#claims.note();
    for (const entry of manifest) {
      if ('sha256' in entry) await this.#contents.claim(entry.sha256);
      if (!('sha256' in entry) || (await this.#contents.bytesOf(entry.sha256)) === entry.bytes) continue;
      throw contentDiffers(`The content of ${JSON.stringify(entry.path)}`);
    }
  }
}

/** Writes the contents of a pack while the rest of it is on its way. */
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
    if (this.#got > this.#bytes) throw badPack('it is longer than was announced');
    for (const content of this.#reader.push(bytes)) {
      while (this.#writing.size >= atATime) await Promise.race(this.#writing);
      this.#throwFailure();
      this.#start(content.sha256, content.bytes);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#writing);
    this.#throwFailure();
    if (this.#got !== this.#bytes) throw badPack('it is shorter than was announced');
    this.#reader.end();
  }

  /** The contents that were whole are kept. */
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
