import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { toReport } from '../../base/core/errors.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { RunRecord } from '../core/protocol/runs.ts';
import { thisMachine } from '../core/page/localRun.ts';
import {
  type HostState,
  type RunRef,
  type RunPageMessage,
  type PageRun,
} from '../core/page/trainingRunRpc.ts';
import type { ConnectionState } from '../core/contracts.ts';
import { FolderFeed } from './folderFeed.ts';
import { isRunning, type ChosenRun, type HostClient } from './hostClient.ts';
import type { HostClients } from './hostClients.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';
import { backoff } from '../../base/core/backoff.ts';
import { CancellationSource } from '../../base/core/cancellation.ts';

/** A log source that does not exist: the page shows metrics and needs no log lines. */
const noLog = ['-'];
/** Milliseconds before the first retry and the longest delay. */
const pauses = { first: 5_000, most: 60_000 } as const;
/** Milliseconds without failure after which a retry counts as successful. */
const good = 2_000;

interface FeedParts {
  readonly hosts: KnownHosts;
  readonly clients: HostClients;
  readonly own: RunRef;
  readonly clock: Pick<Clock, 'after'>;
  readonly send: (message: RunPageMessage) => void;
  /** Returns true if the page may show the training in this folder, which it names after a reload. */
  readonly mayRead: (folder: string) => boolean;
}

interface RunFeedParts extends Pick<FeedParts, 'clock' | 'send'> {
  readonly host: KnownHost;
  readonly client: HostClient;
  readonly run: string;
  readonly changed: () => void;
  readonly gone: () => void;
}

/** Sends a page one of its runs over a connection of its host. After a failure it continues from the last event. */
class RunFeed implements Disposable {
  readonly parts: RunFeedParts;
  readonly #store = new DisposableStore();
  readonly #cancellation = new CancellationSource();
  #state: 'idle' | 'following' | 'waiting' = 'idle';
  #last = 0;
  #failures = 0;
  #timer: Disposable | undefined;
  #problem: string | null = null;
  #isAsking = false;
  #isGone = false;
  #hasGpuHistory = false;

  constructor(parts: RunFeedParts) {
    const { host, client, send } = parts;
    this.parts = parts;
    const sendState = (): void => send({ type: 'connection', host: host.name, state: stateOf(client.state) });
    this.#store.add(client.onChanged(() => this.update()));
    this.#store.add(
      client.connection.onState(({ kind }) => {
        sendState();
        if (kind === 'connected') void this.#sendGpuHistory();
      }),
    );
    this.#store.add(client.watch());
    this.#store.defer(() => {
      this.#timer?.dispose();
      this.#cancellation.cancel();
    });
    sendState();
  }

  get record(): RunRecord | undefined {
    return this.parts.client.run(this.parts.run);
  }

  get shown(): PageRun | undefined {
    return pageRunOf(this);
  }

  /** Starts to send events and the GPU history, once the page has the record of the run. */
  start(): void {
    if (this.#state === 'idle') void this.#follow();
    if (!this.#hasGpuHistory) void this.#sendGpuHistory();
  }

  update(): void {
    const { client, run, send } = this.parts;
    if (this.record === undefined) void this.#request();
    else this.#isGone = false; // a restarted host can have the run again
    this.parts.changed();
    const { record } = this;
    if (client.status === undefined || record === undefined || !isRunning(record)) return;
    const { gpus, now } = client.status;
    send({ type: 'gpus', run, at: now, gpus });
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #follow(): Promise<void> {
    const { client, run, send } = this.parts;
    this.#state = 'following';
    const from = { after: this.#last, sources: noLog };
    try {
      for await (const events of client.connection.follow(run, from, this.#cancellation.token)) {
        this.#last = events.at(-1)?.seq ?? this.#last;
        this.#succeeded();
        send({ type: 'events', run, events: [...events] });
        if (events.some(({ type }) => type === 'checkpoint' || type === 'state'))
          void this.#sendCheckpoints();
      }
      this.#succeeded();
    } catch (error) {
      this.#failed(error);
    }
  }

  #succeeded(): void {
    this.#failures = 0;
    this.#report(null);
  }

  #failed(error: unknown): void {
    const { client, clock } = this.parts;
    this.#timer?.dispose();
    // The state of an ended connection has the reason. The next connection gets a new feed.
    if (this.#store.isDisposed || client.state.kind === 'ended') return;
    const { code, message, hint } = toReport(error, 'hosts/run');
    if (code === noRun) {
      this.#state = 'idle'; // a restarted host can have the run again
      this.#lost();
      return;
    }
    this.#state = 'waiting';
    this.#report(`${message} ${hint ?? ''}`.trim());
    this.#failures += 1;
    this.#timer = clock.after(backoff(this.#failures, pauses), () => {
      void this.#follow();
      this.#timer = clock.after(good, () => this.#report(null));
    });
  }

  /** Sends the reason why no events arrive, and null once they arrive again. */
  #report(problem: string | null): void {
    if (this.#problem === problem) return;
    this.#problem = problem;
    this.parts.send({ type: 'unheard', run: this.parts.run, problem });
  }

  /** Requests a run that the host has not reported. It can be removed, or its report can be on the way. */
  async #request(): Promise<void> {
    const { client, run } = this.parts;
    if (this.#isAsking || this.#isGone) return;
    this.#isAsking = true;
    try {
      client.upsertRun(await client.connection.ask('run.get', { run }));
    } catch (error) {
      // The state of the connection covers other failures.
      if (toReport(error, 'hosts/run').code === noRun) this.#lost();
    } finally {
      this.#isAsking = false;
    }
  }

  #lost(): void {
    if (this.#isGone || this.#store.isDisposed) return;
    this.#isGone = true;
    this.parts.gone();
    this.parts.client.removeRun(this.parts.run);
  }

  async #sendCheckpoints(): Promise<void> {
    const { client, run, send } = this.parts;
    const checkpoints = await client.connection.ask('checkpoint.list', { run }).catch(() => undefined);
    if (checkpoints === undefined || this.#store.isDisposed) return;
    send({ type: 'checkpoints', run, checkpoints: [...checkpoints] });
  }

  /** Sends the GPU history. Hosts of earlier versions do not have one. */
  async #sendGpuHistory(): Promise<void> {
    const { client, run, send } = this.parts;
    if (this.record === undefined) return;
    this.#hasGpuHistory = true;
    const samples = await client.connection.ask('run.gpus', { run }).catch(() => []);
    if (samples.length > 0 && !this.#store.isDisposed)
      send({ type: 'gpuHistory', run, samples: [...samples] });
  }
}

const noRun = 'host/no-run';

/** Sends a page its run, and the runs that are compared with it, whenever they change. */
export class PageFeed implements Disposable {
  readonly #parts: FeedParts;
  readonly #store = new DisposableStore();
  /** The runs of the page, its own first, even if their hosts cannot be reached. */
  #shown: readonly RunRef[];
  readonly #feeds = new Map<string, RunFeed | FolderFeed>();
  #listens = false;

  constructor(parts: FeedParts) {
    const { hosts, clients, own } = parts;
    this.#parts = parts;
    this.#shown = [own];
    this.#store.add(
      hosts.onChanged(() => {
        if (this.#listens) for (const ref of this.#disconnected()) void this.#feed(ref);
      }),
    );
    this.#store.add(
      clients.onChanged(() => {
        if (!this.#listens) return;
        for (const ref of this.#disconnected()) {
          if (clients.peek(ref.host)) void this.#feed(ref);
          else this.#sendProblem(ref.host);
        }
      }),
    );
    this.#store.defer(() => {
      for (const feed of this.#feeds.values()) feed.dispose();
    });
  }

  /** Called when the page listens, also after a reload. `compared` are the runs that it showed next to its own. */
  async start(compared: readonly RunRef[]): Promise<void> {
    for (const feed of this.#feeds.values()) feed.dispose();
    this.#feeds.clear();
    this.#listens = true;
    const { own, hosts, mayRead } = this.#parts;
    const isKnown = ({ host, run }: RunRef): boolean =>
      host === thisMachine ? mayRead(run) : hosts.find(host) !== undefined;
    // Keep runs that were added before the page listened.
    const others = [...compared, ...this.#shown].filter((ref) => ref.run !== own.run && isKnown(ref));
    this.#shown = [own, ...new Map(others.map((ref) => [ref.run, ref])).values()];
    await Promise.all(this.#shown.map((ref) => this.#feed(ref)));
  }

  has(run: string): boolean {
    return this.#shown.some((ref) => ref.run === run);
  }

  /** Adds a run to compare with. It is sent as soon as the page listens. */
  async add(ref: RunRef): Promise<void> {
    if (this.has(ref.run)) return;
    this.#shown = [...this.#shown, ref];
    if (this.#listens) await this.#feed(ref);
  }

  remove(run: string): void {
    if (run === this.#parts.own.run) return;
    this.#shown = this.#shown.filter((ref) => ref.run !== run);
    this.#feeds.get(run)?.dispose();
    this.#feeds.delete(run);
    this.#sendRuns();
  }

  async chosen(run: string): Promise<ChosenRun | undefined> {
    const host = this.#feeds.get(run)?.parts.host;
    return host && this.#parts.clients.choose(host, run);
  }

  /** Returns true if the page shows a training of this machine with that id. */
  isFolder(run: string): boolean {
    return this.#feeds.get(run) instanceof FolderFeed;
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Returns the runs without a connection, or with a connection that their host has replaced. */
  #disconnected(): readonly RunRef[] {
    const { clients } = this.#parts;
    return this.#shown.filter(({ host, run }) => {
      if (host === thisMachine) return false;
      const client = this.#feeds.get(run)?.parts.client;
      return client === undefined || clients.peek(host) !== client;
    });
  }

  /** Starts sending a run, or sends it from the new connection of its host. */
  async #feed({ host: name, run }: RunRef): Promise<void> {
    if (name === thisMachine) {
      this.#keep(new FolderFeed(this.#feedParts({ host: name, run })));
      return;
    }
    const host = this.#parts.hosts.find(name);
    if (host === undefined) return;
    const client = await this.#parts.clients.get(host).catch(() => undefined);
    if (this.#store.isDisposed || !this.has(run)) return;
    if (client === undefined) {
      this.#sendProblem(name);
      return;
    }
    const before = this.#feeds.get(run);
    if (before?.parts.client === client) return;
    before?.dispose();
    this.#keep(new RunFeed({ host, client, ...this.#feedParts({ host: name, run }) }));
  }

  #keep(feed: RunFeed | FolderFeed): void {
    this.#feeds.set(feed.parts.run, feed);
    feed.update();
  }

  #feedParts({ host, run }: RunRef): Omit<RunFeedParts, 'host' | 'client'> {
    const { own, clock, send } = this.#parts;
    return {
      ...{ run, clock, send },
      changed: () => this.#sendRuns(),
      gone: () => {
        if (run === own.run) send({ type: 'gone', host, run });
        else this.remove(run);
      },
    };
  }

  #sendRuns(): void {
    const feeds = this.#shown.flatMap(({ run }) => this.#feeds.get(run) ?? []);
    const known = feeds.filter(({ shown }) => shown !== undefined);
    const { own, send } = this.#parts;
    if (known[0]?.parts.run !== own.run) return;
    const awaited = this.#shown.filter(({ run }) => !known.some(({ parts }) => parts.run === run));
    send({ type: 'runs', runs: known.flatMap(({ shown }) => shown ?? []), awaited });
    // The page ignores events of unknown runs, so events start after the records.
    for (const feed of known) feed.start();
  }

  #sendProblem(host: string): void {
    const problem = this.#parts.clients.problem(host);
    if (problem === undefined) return;
    const { report, retryAt } = problem;
    const reason = `${report.message} ${report.hint ?? ''}`.trim();
    const state: HostState =
      retryAt === null ? { kind: 'ended', reason } : { kind: 'waiting', reason, retryAt };
    this.#parts.send({ type: 'connection', host, state });
  }
}

function pageRunOf({ record, parts: { host, client } }: RunFeed): PageRun | undefined {
  if (record === undefined) return undefined;
  const scopes = client.state.kind === 'connected' ? client.state.hello.scopes : [];
  const before = client.runs.filter(
    ({ state, createdAt }) => state === 'queued' && createdAt < record.createdAt,
  );
  return {
    host: host.name,
    record,
    ahead: record.state === 'queued' ? before.length : null,
    may: { start: scopes.includes('start'), cancel: scopes.includes('cancel') },
    rollouts: record.startedAt !== null,
  };
}

function stateOf(state: ConnectionState): HostState {
  if (state.kind === 'connected') return { kind: 'connected' };
  if (state.kind !== 'ended') return state;
  return { kind: 'ended', reason: [state.reason, state.hint ?? ''].join(' ').trim() };
}
