/** What the parts of a GPU host, and of its client, are to each other; the wire joins them. */
import type { CancellationToken } from '../../base/core/cancellation.ts';
import type { Disposable } from '../../base/core/disposable.ts';
import type { Event } from '../../base/core/event.ts';
import type { EffectiveConfig } from './protocol/effectiveConfig.ts';
import type { GpuSample } from './protocol/gpuSamples.ts';
import type {
  FileEntry,
  Finding,
  HostMethod,
  HostNotice,
  HostNotices,
  HostParams,
  HostResults,
  HostStatus,
} from './protocol/hostRpc.ts';
import type { Checkpoint, RunOrder, RunRecord } from './protocol/runs.ts';
import type { SnapshotEntry, SnapshotManifest } from './protocol/sync.ts';

/** Bytes on their way in. */
export interface ByteSink {
  /** Rejects where the place is full or the bytes are not those that were told of. */
  write(bytes: Uint8Array, offset: number): Promise<void>;
  /** Checks and keeps them. */
  end(): Promise<void>;
  abort(): Promise<void>;
}

/** Bytes on their way out, as fast as whoever iterates takes them. */
export interface ByteSource {
  /** How many there will be. */
  readonly bytes: number;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Some events of a run, one after another. */
export interface EventBlock {
  /**
   * `run.events`, as UTF-8, at most about 256 KiB; undefined: none that was asked for. Readers at the same place may get
   * the same bytes: nobody changes them.
   */
  readonly message: Uint8Array | undefined;
  /** The number up to which it tells. */
  readonly upTo: number;
  /** Told by who is through with the message, and looks at it no more: its memory is used again. May be left untold. */
  readonly release?: (() => void) | undefined;
}

/** The events of one run, for one reader; it holds a block at a time, however far behind the reader is. */
export interface EventReader extends Disposable {
  /** Undefined: nothing new. */
  next(): Promise<EventBlock | undefined>;
  readonly onMore: Event<void>;
}

/** The runs of a host: queue, processes, records and events. Failures are `CodedError`s, `host/no-run` among them. */
export interface HostRuns {
  /** @param key of the owner's request: who asks again under it is answered with the run that there is */
  start(order: RunOrder, owner: string, key?: string): Promise<RunRecord>;
  list(): readonly RunRecord[];
  get(run: string): RunRecord;
  /** Resolves once the run is asked to end; that it has is told by its state. */
  cancel(run: string, by: string): Promise<RunRecord>;
  remove(run: string, options: { readonly checkpoints: boolean }): Promise<void>;
  follow(run: string, after: number, sources?: readonly string[]): EventReader;
  readonly onChanged: Event<RunRecord>;
  /** Told with its id, once it is no longer among the runs. */
  readonly onRemoved: Event<string>;
}

/** Contents and snapshots. */
export interface HostSync {
  lacks(contents: readonly string[]): Promise<readonly string[]>;
  put(sha256: string, bytes: number): Promise<ByteSink>;
  /** Contents one behind the other, each after its header; `bytes` of all of it. */
  pack(bytes: number): Promise<ByteSink>;
  /** A page of a manifest; resolves to true once the last one is there, checked and kept. `client` tells uploads apart. */
  manifest(
    client: string,
    page: {
      readonly snapshot: string;
      readonly from: number;
      readonly entries: readonly SnapshotEntry[];
      readonly done: boolean;
    },
  ): Promise<boolean>;
  has(snapshot: string): Promise<boolean>;
  entries(snapshot: string): Promise<SnapshotManifest>;
  get(sha256: string, offset: number): Promise<ByteSource>;
  /** Puts a snapshot's files into an empty folder. */
  materialize(snapshot: string, folder: string, cancellation: CancellationToken): Promise<void>;
}

/** What may be seen of a folder that each run has. */
export interface RunFiles {
  list(run: string, path: string): Promise<readonly FileEntry[]>;
  open(run: string, path: string, offset: number, length: number): Promise<ByteSource>;
  sum(run: string, path: string): Promise<{ readonly sha256: string; readonly bytes: number }>;
}

/** What training left in a run's job folder. */
export interface HostFiles extends RunFiles {
  checkpoints(run: string): Promise<readonly Checkpoint[]>;
}

/** All that a host does for who is connected. */
export interface HostServices {
  readonly identity: HostResults['hello']['host'];
  readonly runs: HostRuns;
  readonly sync: HostSync;
  /** Of job folders. */
  readonly files: HostFiles;
  /** What AgentJet's logger has of rollouts, in the working folders of launchers. */
  readonly rolloutLogs: RunFiles;
  status(): Promise<HostStatus>;
  /** What the GPUs of a run did while it went on, in time's order. */
  gpus(run: string): Promise<readonly GpuSample[]>;
  /** What a run was started with. Rejects with `host/no-config` where none is kept. */
  config(run: string): Promise<EffectiveConfig>;
  preflight(order: RunOrder, configText: string): Promise<readonly Finding[]>;
}

export type ConnectionState =
  | { readonly kind: 'connecting'; readonly attempt: number }
  | { readonly kind: 'connected'; readonly hello: HostResults['hello'] }
  | { readonly kind: 'waiting'; readonly reason: string; readonly retryAt: number }
  /** It will not be tried again: the token is wrong, the versions do not meet, it was closed. */
  | {
      readonly kind: 'ended';
      readonly reason: string;
      readonly hint?: string | undefined;
      readonly lacks?: 'token' | undefined;
    };

/**
 * A host, however often the network goes meanwhile: requests that only read, and follows, are made again on the next
 * connection; what changes something is not, and rejects with `host/connection-lost`.
 */
export interface HostConnection extends Disposable {
  readonly state: ConnectionState;
  readonly onState: Event<ConnectionState>;
  /** Rejects with a `CodedError` made of the host's report. */
  ask<M extends HostMethod>(
    method: M,
    params: HostParams<M>,
    cancellation?: CancellationToken,
  ): Promise<HostResults[M]>;
  /** Events of runs go to who follows them. */
  on<N extends Exclude<HostNotice, 'run.events'>>(
    notice: N,
    listener: (params: HostNotices[N]) => void,
  ): Disposable;
  /** Every event after `after` once, in order, whatever happens to the connection; ends with the run's final state. */
  follow(
    run: string,
    options: { readonly after: number; readonly sources?: readonly string[] },
    cancellation: CancellationToken,
  ): AsyncIterable<HostNotices['run.events']['events']>;
  /** Opens a transfer to the host, sends all of `source` and waits until the host has kept it. */
  upload(
    request:
      | { readonly method: 'sync.put'; readonly params: HostParams<'sync.put'> }
      | { readonly method: 'sync.pack'; readonly params: HostParams<'sync.pack'> },
    source: ByteSource,
    cancellation: CancellationToken,
  ): Promise<void>;
  download(
    request: {
      readonly method: 'sync.get' | 'file.get';
      readonly params: HostParams<'sync.get'> | HostParams<'file.get'>;
    },
    cancellation: CancellationToken,
  ): Promise<ByteSource>;
}
