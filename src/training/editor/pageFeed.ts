import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { toReport } from '../../base/core/errors.ts';
import type { Clock } from '../../base/core/ports.ts';
import { finalStates, type RunEvent, type RunRecord } from '../core/protocol/runs.ts';
import type { HostState, RunRef, RunPageMessage, PageRun } from '../core/page/trainingRunRpc.ts';
import type { ConnectionState } from '../core/contracts.ts';
import type { ChosenRun, HostClient } from './hostClient.ts';
import type { HostClients } from './hostClients.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';
import { backoff } from '../../base/core/backoff.ts';
import { CancellationSource } from '../../base/core/cancellation.ts';
import type { ClientConnection } from '../core/wire/clientConnection.ts';

interface RunFollowParts {
  readonly connection: Pick<ClientConnection, 'follow' | 'state'>;
  readonly run: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly take: (events: readonly RunEvent[]) => void;
  /** Receives the reason why no events arrive, and null once they arrive again. */
  readonly onProblem: (problem: string | null) => void;
  /** The host has no such run. */
  readonly gone: (error: unknown) => void;
}

/** A log source that does not exist: the page shows metrics and needs no log lines. */
const noLog = ['-'];

/** Milliseconds before the first retry and the longest delay. */
const pauses = { first: 5_000, most: 60_000 } as const;
/** Milliseconds without failure after which a retry counts as successful. */
const good = 2_000;

/** Follows the events of a run for a page. After a failure it continues from the last event. */
class RunFollow implements Disposable {
  readonly #parts: RunFollowParts;
  readonly #cancellation = new CancellationSource();
  #state: 'idle' | 'following' | 'waiting' = 'idle';
  #last = 0;
  #failures = 0;
  #timer: Disposable | undefined;
  #problem: string | null = null;

  constructor(parts: RunFollowParts) {
    this.#parts = parts;
  }

  /** Does nothing if it is already following or waiting to retry. */
  start(): void {
    if (this.#state === 'idle') void this.#follow();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#cancellation.cancel();
  }

  async #follow(): Promise<void> {
    const { connection, run, take } = this.#parts;
    this.#state = 'following';
    const from = { after: this.#last, sources: noLog };
    try {
      for await (const events of connection.follow(run, from, this.#cancellation.token)) {
        this.#last = events.at(-1)?.seq ?? this.#last;
        this.#succeeded();
        take(events);
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
    const { connection, clock, gone } = this.#parts;
    this.#timer?.dispose();
    const { code, message, hint } = toReport(error, 'hosts/run');
    // The state of an ended connection has the reason. The next connection gets a new RunFollow.
    if (this.#cancellation.token.isCancelled || connection.state.kind === 'ended') return;
    if (code === 'host/no-run') {
      this.#state = 'idle'; // a restarted host can have the run again
      gone(error);
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

  #report(problem: string | null): void {
    if (this.#problem === problem) return;
    this.#problem = problem;
    this.#parts.onProblem(problem);
  }
}

interface FeedEntry {
  readonly host: KnownHost;
  readonly client: HostClient;
  readonly store: DisposableStore;
  /** True while the host is asked for the run. */
  isAsking: boolean;
  readonly follow: RunFollow;
  isGone: boolean;
  /** True once the GPU history was requested. */
  hasGpuHistory: boolean;
}

interface FeedParts {
  readonly hosts: KnownHosts;
  readonly clients: HostClients;
  /** The page's own run. */
  readonly own: RunRef;
  readonly clock: Pick<Clock, 'after'>;
  readonly send: (message: RunPageMessage) => void;
}

/** Sends a page its run, and the runs that are compared with it, whenever they change. */
export class PageFeed implements Disposable {
  readonly #parts: FeedParts;
  readonly #store = new DisposableStore();
  /** The runs of the page, its own first, even if their hosts cannot be reached. */
  #shown: readonly RunRef[];
  /** The runs that it receives, by id. */
  readonly #entries = new Map<string, FeedEntry>();
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
      for (const { store } of this.#entries.values()) store.dispose();
    });
  }

  /**
   * Starts sending. Called when the page listens for the first time and after each reload.
   *
   * @param compared the runs that the page showed next to its own
   */
  async start(compared: readonly RunRef[]): Promise<void> {
    for (const { store } of this.#entries.values()) store.dispose();
    this.#entries.clear();
    this.#listens = true;
    const { own, hosts } = this.#parts;
    // Keep runs that were added before the page listened.
    const others = [...compared, ...this.#shown].filter(
      ({ host, run }) => run !== own.run && hosts.find(host) !== undefined,
    );
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
    this.#entries.get(run)?.store.dispose();
    this.#entries.delete(run);
    this.#sendRuns();
  }

  async chosen(run: string): Promise<ChosenRun | undefined> {
    const host = this.#entries.get(run)?.host;
    return host && this.#parts.clients.choose(host, run);
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Returns the runs without a connection, or with a connection that their host has replaced. */
  #disconnected(): readonly RunRef[] {
    const { clients } = this.#parts;
    return this.#shown.filter(({ host, run }) => {
      const client = this.#entries.get(run)?.client;
      return client === undefined || clients.peek(host) !== client;
    });
  }

  /** Starts sending a run, or sends it from the new connection of its host. */
  async #feed({ host: name, run }: RunRef): Promise<void> {
    const host = this.#parts.hosts.find(name);
    if (host === undefined) return;
    const client = await this.#parts.clients.get(host).catch(() => undefined);
    if (this.#store.isDisposed || !this.has(run)) return;
    if (client === undefined) {
      this.#sendProblem(name);
      return;
    }
    const before = this.#entries.get(run);
    if (before?.client === client) return;
    before?.store.dispose();
    const store = new DisposableStore();
    const follow = store.add(this.#followOf(run, client, (error) => this.#failed(run, fed, error)));
    const fed: FeedEntry = {
      host,
      client,
      store,
      follow,
      isAsking: false,
      isGone: false,
      hasGpuHistory: false,
    };
    this.#entries.set(run, fed);
    const sendState = (): void =>
      this.#parts.send({ type: 'connection', host: name, state: stateOf(client.state) });
    store.add(client.onChanged(() => this.#update(run, fed)));
    store.add(
      client.connection.onState(({ kind }) => {
        sendState();
        if (kind === 'connected') void this.#sendGpuHistory(run, fed);
      }),
    );
    store.add(client.watch());
    sendState();
    this.#update(run, fed);
  }

  /** Handles a change on the host of a run. */
  #update(run: string, fed: FeedEntry): void {
    if (fed.client.run(run) === undefined) void this.#request(run, fed);
    else fed.isGone = false; // a restarted host can have the run again
    this.#sendRuns();
    this.#sendGpus(run);
  }

  /** Requests a run that the host has not reported. It can be removed, or its report can be on the way. */
  async #request(run: string, fed: FeedEntry): Promise<void> {
    if (fed.isAsking || fed.isGone) return;
    fed.isAsking = true;
    try {
      fed.client.upsertRun(await fed.client.connection.ask('run.get', { run }));
    } catch (error) {
      this.#failed(run, fed, error);
    } finally {
      fed.isAsking = false;
    }
  }

  /** Handles a run that no longer exists. The state of the connection covers other failures. */
  #failed(run: string, fed: FeedEntry, error: unknown): void {
    if (fed.isGone || this.#entries.get(run) !== fed) return;
    if (toReport(error, 'hosts/run').code !== 'host/no-run') return;
    fed.isGone = true;
    if (run === this.#parts.own.run) this.#parts.send({ type: 'gone', host: fed.host.name, run });
    else this.remove(run);
    fed.client.removeRun(run);
  }

  #followOf(run: string, client: HostClient, gone: (error: unknown) => void): RunFollow {
    return new RunFollow({
      connection: client.connection,
      run,
      clock: this.#parts.clock,
      gone,
      take: (events) => {
        this.#parts.send({ type: 'events', run, events: [...events] });
        if (events.some(changesCheckpoints)) void this.#sendCheckpoints(run, client);
      },
      onProblem: (problem) => this.#parts.send({ type: 'unheard', run, problem }),
    });
  }

  async #sendCheckpoints(run: string, client: HostClient): Promise<void> {
    const checkpoints = await client.connection.ask('checkpoint.list', { run }).catch(() => undefined);
    if (checkpoints === undefined || !this.#entries.has(run)) return;
    this.#parts.send({ type: 'checkpoints', run, checkpoints: [...checkpoints] });
  }

  #sendRuns(): void {
    const runs = this.#shown.flatMap(({ run }): PageRun[] => {
      const { host, client } = this.#entries.get(run) ?? {};
      const record = client?.run(run);
      return host === undefined || client === undefined || record === undefined
        ? []
        : [shownRun(host, client, record)];
    });
    if (runs[0]?.record.id !== this.#parts.own.run) return;
    const awaited = this.#shown.filter(({ run }) => !runs.some(({ record }) => record.id === run));
    this.#parts.send({ type: 'runs', runs, awaited });
    // The page ignores events of unknown runs, so events start after the records.
    for (const { record } of runs) {
      const fed = this.#entries.get(record.id);
      fed?.follow.start();
      if (fed?.hasGpuHistory === false) void this.#sendGpuHistory(record.id, fed);
    }
  }

  /** Sends the GPU history. Hosts of earlier versions do not have one. */
  async #sendGpuHistory(run: string, fed: FeedEntry): Promise<void> {
    if (fed.client.run(run) === undefined) return;
    fed.hasGpuHistory = true;
    const samples = await fed.client.connection.ask('run.gpus', { run }).catch(() => []);
    if (samples.length === 0 || this.#entries.get(run) !== fed) return;
    this.#parts.send({ type: 'gpuHistory', run, samples: [...samples] });
  }

  #sendGpus(run: string): void {
    const { client } = this.#entries.get(run) ?? {};
    const record = client?.run(run);
    if (client?.status === undefined || record === undefined || finalStates.includes(record.state)) return;
    const { gpus, now } = client.status;
    this.#parts.send({ type: 'gpus', run, at: now, gpus });
  }

  /** Sends the reason why a host has no connection. */
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

function shownRun(host: KnownHost, client: HostClient, record: RunRecord): PageRun {
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

function changesCheckpoints(event: RunEvent): boolean {
  return event.type === 'checkpoint' || event.type === 'state';
}

function stateOf(state: ConnectionState): HostState {
  if (state.kind === 'connected') return { kind: 'connected' };
  if (state.kind !== 'ended') return state;
  return { kind: 'ended', reason: [state.reason, state.hint ?? ''].join(' ').trim() };
}
