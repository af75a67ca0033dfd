import { CancellationSource } from '../../../base/core/cancellation.ts';
import type { Disposable } from '../../../base/core/disposable.ts';
import {
  type FileEntry,
  type FilesOf,
  type SnapshotEntry,
  type HostMethod,
  type HostNotice,
  type HostNotices,
  type HostParams,
  type HostResults,
  type Scope,
} from '../protocol/hostRpc.ts';
import { wireLimits } from '../protocol/wire.ts';
import type { ByteSink, ByteSource, HostServices, HostSync, RunFiles, WireSocket } from '../contracts.ts';
import { wireErrors } from './failures.ts';
import type { TokenUse } from './tokenUse.ts';
import {
  downloadStream,
  eventStream,
  runChangeStream,
  type OutgoingStream,
  type Sender,
} from './outgoingStreams.ts';
import { reportOf, type Uploads } from './uploads.ts';

export interface WireClient {
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly connection: string;
  /** Shared by all connections with the same token. */
  readonly use: TokenUse;
}

export interface AnswerOptions {
  readonly services: HostServices;
  readonly client: WireClient;
  readonly socket: WireSocket;
  readonly sender: Sender;
  readonly uploads: Uploads;
  readonly notify: <N extends HostNotice>(notice: N, params: HostNotices[N]) => void;
}

type Answers = {
  readonly [M in Exclude<HostMethod, 'hello'>]: (
    params: HostParams<M>,
  ) => HostResults[M] | Promise<HostResults[M]>;
};

const mostFollows = 64;

/** Answers the methods of one connection. Its streams end with it. */
export class HostAnswers implements Disposable {
  readonly #options: AnswerOptions;
  readonly #follows = new Map<string, OutgoingStream>();
  readonly #downloads = new Map<number, OutgoingStream>();
  readonly #table: Answers;
  readonly #ended = new CancellationSource();
  #watch: OutgoingStream | undefined;
  #transfers = 0;
  #opening = 0;

  constructor(options: AnswerOptions) {
    this.#options = options;
    const { services, client } = options;
    const { use } = client;
    const { token: ended } = this.#ended;
    const { runs, sync, files, rolloutLogs } = services;
    const filesOf = (of: FilesOf): RunFiles => (of === 'rollouts' ? rolloutLogs : files);
    this.#table = {
      status: () => services.status(),
      preflight: ({ order, configText }) => services.preflight(order, configText),
      'sync.lacks': async ({ contents }) => ({ contents: [...(await sync.lacks(contents))] }),
      'sync.put': ({ sha256, bytes, resumes }) => this.#upload(bytes, () => sync.put(sha256, bytes, resumes)),
      'sync.pack': ({ bytes }) => this.#upload(bytes, () => sync.pack(bytes)),
      'sync.manifest': async (page) => ({ kept: await sync.manifest(client.connection, page, ended) }),
      'sync.has': async ({ snapshot }) => ({ has: await sync.has(snapshot) }),
      'sync.entries': async ({ snapshot, from }) => {
        const open = (): AsyncIterable<SnapshotEntry> => entriesOf(sync, snapshot);
        const { items: entries, total } = await use.page(snapshot, from, open, ended);
        return { entries, total };
      },
      'sync.get': ({ sha256, offset }) => this.#download(() => sync.get(sha256, offset)),
      'run.start': ({ order, key }) => runs.start(order, options.client.name, key),
      'run.list': () => runs.list(),
      'run.get': ({ run }) => runs.get(run),
      'run.cancel': ({ run }) => runs.cancel(run, options.client.name),
      'run.remove': async ({ run, checkpoints }) => {
        await runs.remove(run, { checkpoints });
        return null;
      },
      'run.follow': ({ run, after, sources }) => this.#follow(run, after, sources),
      'run.unfollow': ({ run }) => this.#unfollow(run),
      'run.gpus': ({ run }) => services.gpus(run),
      'run.config': ({ run }) => services.config(run),
      'run.watch': () => {
        this.#watch ??= runChangeStream(options.sender, runs, (run, record) => {
          if (record === undefined) options.notify('run.removed', { run });
          else options.notify('run.changed', { run: record });
        });
        return null;
      },
      ...this.#tinkerAnswers(),
      'checkpoint.list': ({ run }) =>
        use.inTurn('checkpoint.list', ended, () => files.checkpoints(run, ended)),
      'file.list': async ({ run, of, path, from }) => {
        const list = `${of ?? ''} ${run} ${path}`;
        const open = (): AsyncIterable<FileEntry> => filesOf(of).list(run, path);
        const { items, total } = await use.page(list, from, open, ended);
        return { files: items, total };
      },
      'file.get': ({ run, of, path, offset, length }) =>
        this.#download(() => filesOf(of).open(run, path, offset, length)),
      'file.sum': ({ run, of, path }) =>
        use.inTurn('file.sum', ended, () => filesOf(of).sum(run, path, ended)),
      'transfer.stop': ({ transfer }) => this.#stop(transfer),
    };
  }

  #tinkerAnswers(): Pick<Answers, Extract<HostMethod, `tinker.${string}`>> {
    const { runs, tinkerCalls } = this.#options.services;
    const { name: owner } = this.#options.client;
    return {
      'tinker.start': ({ key, ...wanted }) => runs.serve(wanted, owner, key),
      'tinker.call': ({ run, key, ...request }) => tinkerCalls.call({ run, key, owner }, request),
      'tinker.send': ({ run, key, bytes }) =>
        this.#upload(bytes, () => Promise.resolve(tinkerCalls.send({ run, key, owner }, bytes))),
      'tinker.receive': ({ run, key, offset }) =>
        this.#download(() => Promise.resolve(tinkerCalls.receive({ run, key, owner }, offset))),
      'tinker.stop': ({ run, key }) => tinkerCalls.stop({ run, key, owner }),
    };
  }

  /** @param params decoded by the schema of the method */
  answer(method: Exclude<HostMethod, 'hello'>, params: unknown): unknown {
    const answer = this.#table[method] as (params: unknown) => unknown;
    return answer(params);
  }

  /** Starts the stream that an answer opened. Call it once the answer is sent. */
  answered(method: HostMethod, result: unknown): void {
    if (method !== 'sync.get' && method !== 'file.get' && method !== 'tinker.receive') return;
    const stream = this.#downloads.get((result as HostResults['file.get']).transfer);
    if (stream !== undefined) this.#options.sender.wake(stream);
  }

  isTransfer(transfer: number): boolean {
    return transfer < this.#transfers;
  }

  dispose(): void {
    this.#ended.cancel();
    this.#watch?.dispose();
    for (const stream of [...this.#follows.values(), ...this.#downloads.values()]) stream.dispose();
    this.#follows.clear();
    this.#downloads.clear();
  }

  async #upload(
    bytes: number,
    open: () => Promise<ByteSink>,
  ): Promise<{ readonly transfer: number; readonly held?: number }> {
    return this.#opened(async () => {
      const sink = await open();
      if (this.#ended.token.isCancelled) {
        await sink.abort();
        return { transfer: 0 };
      }
      const transfer = this.#transfers++;
      this.#options.uploads.add(transfer, sink, bytes);
      return { transfer, ...(sink.held !== undefined && { held: sink.held }) };
    });
  }

  async #download(open: () => Promise<ByteSource>): Promise<{ transfer: number; bytes: number }> {
    return this.#opened(async () => {
      const source = await open();
      const transfer = this.#transfers++;
      const { socket, notify } = this.#options;
      const stream = downloadStream(socket, transfer, source, (error) => {
        this.#downloads.delete(transfer);
        if (error !== undefined) notify('transfer.ended', { transfer, error: reportOf(error) });
      });
      if (this.#ended.token.isCancelled) stream.dispose();
      else this.#downloads.set(transfer, stream);
      return { transfer, bytes: source.bytes };
    });
  }

  async #opened<T>(open: () => Promise<T>): Promise<T> {
    const { uploads } = this.#options;
    if (uploads.size + this.#downloads.size + this.#opening >= wireLimits.transfers) {
      throw wireErrors.tooManyTransfers(wireLimits.transfers);
    }
    this.#opening += 1;
    try {
      return await open();
    } finally {
      this.#opening -= 1;
    }
  }

  async #stop(transfer: number): Promise<null> {
    const download = this.#downloads.get(transfer);
    this.#downloads.delete(transfer);
    if (download !== undefined) {
      this.#options.sender.forget(download);
      download.dispose();
    }
    await this.#options.uploads.stop(transfer);
    return null;
  }

  #follow(run: string, after: number, sources?: readonly string[]): null {
    const { services, sender, socket, notify } = this.#options;
    if (this.#follows.size >= mostFollows && !this.#follows.has(run)) {
      throw wireErrors.tooManyFollows(mostFollows);
    }
    const reader = services.runs.follow(run, after, sources);
    this.#unfollow(run);
    const stream = eventStream(sender, socket, reader, (error) => {
      this.#unfollow(run);
      notify('follow.ended', { run, error: reportOf(error) });
    });
    this.#follows.set(run, stream);
    return null;
  }

  #unfollow(run: string): null {
    this.#follows.get(run)?.dispose();
    this.#follows.delete(run);
    return null;
  }
}

async function* entriesOf(sync: HostSync, snapshot: string): AsyncGenerator<SnapshotEntry> {
  yield* await sync.entries(snapshot);
}
