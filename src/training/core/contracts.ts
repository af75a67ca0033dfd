/** Interfaces between the parts of a GPU host and of its client, which the wire connects. */
import type { CancellationToken } from '../../base/core/cancellation.ts';
import type { Disposable } from '../../base/core/disposable.ts';
import type { Event } from '../../base/core/event.ts';
import type { EffectiveConfig, GpuSample, Checkpoint, RunOrder, RunRecord } from './protocol/runs.ts';
import type {
  FileEntry,
  Finding,
  HostParams,
  HostResults,
  HostStatus,
  SnapshotManifest,
} from './protocol/hostRpc.ts';

export interface ByteSink {
  /** The number of bytes that it has already, from a lost connection. Default: 0. */
  readonly held?: number;
  /** Rejects if the disk is full or the bytes differ from the announced ones. */
  write(bytes: Uint8Array, offset: number): Promise<void>;
  /** Checks the bytes and keeps them. */
  end(): Promise<void>;
  abort(): Promise<void>;
}

/** Provides bytes at the speed of the consumer. */
export interface ByteSource {
  readonly bytes: number;
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Returns the bytes from an offset on. Absent: they can only be read from the start. */
  readonly from?: (offset: number) => AsyncIterable<Uint8Array>;
}

export interface EventBlock {
  /**
   * A `run.events` message as UTF-8, at most about 256 KiB; undefined if the block has no requested events. Readers
   * may share the bytes, so they must not change.
   */
  readonly message: Uint8Array | undefined;
  /** The number of the last event that the block covers. */
  readonly upTo: number;
  /** Frees the memory of the message for reuse. Calling it is optional. */
  readonly release?: (() => void) | undefined;
}

/** The events of one run for one reader. It holds one block at a time, however slow the reader is. */
export interface EventReader extends Disposable {
  /** Resolves to undefined if there is nothing new. */
  next(): Promise<EventBlock | undefined>;
  readonly onMore: Event<void>;
}

/** The runs of a host: queue, processes, records and events. Failures are `CodedError`s, `host/no-run` among them. */
export interface HostRuns {
  /** @param key of the owner's request. A repeated key returns the existing run. */
  start(order: RunOrder, owner: string, key?: string): Promise<RunRecord>;
  list(): readonly RunRecord[];
  get(run: string): RunRecord;
  /** Starts a Tinker server that the owner allows, or returns its active run. */
  serve(wanted: TinkerRequest, owner: string, key: string): Promise<RunRecord>;
  /** Resolves once the run was asked to end. Its state shows when it has. */
  cancel(run: string, by: string): Promise<RunRecord>;
  remove(run: string, options: { readonly checkpoints: boolean }): Promise<void>;
  follow(run: string, after: number, sources?: readonly string[]): EventReader;
  readonly onChanged: Event<RunRecord>;
  readonly onRemoved: Event<string>;
}

/** A Tinker server and a model. Either can be left out if there is only one choice. */
export type TinkerRequest = Pick<HostParams<'tinker.start'>, 'server' | 'model'>;

/** Identifies a call of the Tinker server of a run. Clients with another token cannot read it. */
export interface TinkerCallId {
  readonly run: string;
  readonly key: string;
  /** The name of the token. */
  readonly owner: string;
}

/** The HTTP requests to the Tinker servers of a host. They outlive connections. Failures are `CodedError`s. */
export interface HostTinkerCalls {
  call(
    id: TinkerCallId,
    request: Omit<HostParams<'tinker.call'>, 'run' | 'key'>,
  ): Promise<HostResults['tinker.call']>;
  /** Receives the body of a later call. */
  send(id: TinkerCallId, bytes: number): ByteSink;
  receive(id: TinkerCallId, offset: number): ByteSource;
  stop(id: TinkerCallId): null;
}

export interface HostSync {
  lacks(contents: readonly string[]): Promise<readonly string[]>;
  /** @param resumes continues an upload of a lost connection */
  put(sha256: string, bytes: number, resumes?: boolean): Promise<ByteSink>;
  /** Receives contents in sequence, each after its header. `bytes` is their total size. */
  pack(bytes: number): Promise<ByteSink>;
  /**
   * Resolves to true once the last page was checked and stored. `client` identifies the upload, which cancellation ends.
   */
  manifest(
    client: string,
    page: HostParams<'sync.manifest'>,
    cancellation: CancellationToken,
  ): Promise<boolean>;
  has(snapshot: string): Promise<boolean>;
  entries(snapshot: string): Promise<SnapshotManifest>;
  get(sha256: string, offset: number): Promise<ByteSource>;
  /** Writes the files of a snapshot into an empty folder. */
  materialize(snapshot: string, folder: string, cancellation: CancellationToken): Promise<void>;
}

export interface RunFiles {
  /** Sorted by path. */
  list(run: string, path: string): AsyncIterable<FileEntry>;
  open(run: string, path: string, offset: number, length: number): Promise<ByteSource>;
  sum(
    run: string,
    path: string,
    cancellation: CancellationToken,
  ): Promise<{ readonly sha256: string; readonly bytes: number }>;
}

export interface HostFiles extends RunFiles {
  checkpoints(run: string, cancellation: CancellationToken): Promise<readonly Checkpoint[]>;
}

export interface HostServices {
  readonly identity: HostResults['hello']['host'];
  readonly runs: HostRuns;
  readonly sync: HostSync;
  readonly files: HostFiles;
  /** Rollout logs of AgentJet in the working folders of launchers. */
  readonly rolloutLogs: RunFiles;
  readonly tinkerCalls: HostTinkerCalls;
  status(): Promise<HostStatus>;
  /** Returns the GPU load of a run, oldest sample first. */
  gpus(run: string): Promise<readonly GpuSample[]>;
  /** Returns the effective config of a run. Rejects with `host/no-config` if none is kept. */
  config(run: string): Promise<EffectiveConfig>;
  preflight(order: RunOrder, configText: string): Promise<readonly Finding[]>;
}

export type ConnectionState =
  | { readonly kind: 'connecting'; readonly attempt: number }
  | { readonly kind: 'connected'; readonly hello: HostResults['hello'] }
  | {
      readonly kind: 'waiting';
      readonly reason: string;
      readonly retryAt: number;
      readonly isBusy?: boolean | undefined;
    }
  /** No further attempts: the token is wrong, the versions are incompatible, or the connection was closed. */
  | ({ readonly kind: 'ended' } & Omit<CloseReason, 'isFinal' | 'isBusy'>);

/** An open connection over any transport. Messages and the end go to the handlers of its creator. */
export interface WireSocket {
  /**
   * @param text bytes are UTF-8, and must not change until they are sent
   * @param sent called once the text was passed on or dropped
   */
  sendText(text: string | Uint8Array, sent?: () => void): void;
  sendBytes(bytes: Uint8Array): void;
  /** Bytes that wait to be sent. */
  readonly buffered: number;
  /** Resolves once some waiting bytes are sent, or the connection has ended. */
  drained(): Promise<void>;
  /** Sets whether messages are read. Those in transit may still arrive. */
  setReading(reads: boolean): void;
  close(code: number, reason: string): void;
}

export interface CloseReason {
  /** One sentence. */
  readonly reason: string;
  /** True if another attempt would fail in the same way. */
  readonly isFinal: boolean;
  /** True if the host refused the connection because it has too many. */
  readonly isBusy?: boolean | undefined;
  readonly hint?: string | undefined;
  /** The credential that the user must provide first. */
  readonly lacks?: 'token' | undefined;
}

export interface DialHandlers {
  opened(): void;
  text(text: string): void;
  bytes(frame: Uint8Array): void;
  /** Called once, even if the connection never opened. */
  closed(why: CloseReason): void;
}

/** Starts to connect. The socket can be used once it is open. Closing it earlier cancels the attempt. */
export type Dial = (handlers: DialHandlers) => WireSocket;
