import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { toReport } from '../../base/core/errors.ts';
import type { Clock } from '../../base/core/ports.ts';
import { finalStates, type RunEvent, type RunRecord } from '../core/protocol/runs.ts';
import type { HostState, RunRef, RunPageMessage, PageRun } from '../core/page/trainingRunRpc.ts';
import type { ConnectionState } from '../core/contracts.ts';
import type { HostClient } from './hostClient.ts';
import type { HostClients } from './hostClients.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';
import { RunFollow } from './runFollow.ts';
import type { ChosenRun } from './trainingActions.ts';

interface Fed {
  readonly host: KnownHost;
  readonly client: HostClient;
  readonly store: DisposableStore;
  /** Its host is asked whether there is such a run. */
  isAsked: boolean;
  readonly follow: RunFollow;
  isGone: boolean;
  /** Its host was asked what its GPUs did before. */
  knowsGpus: boolean;
}

interface FeedParts {
  readonly hosts: KnownHosts;
  readonly clients: HostClients;
  /** The page's own run. */
  readonly own: RunRef;
  readonly clock: Pick<Clock, 'after'>;
  readonly send: (message: RunPageMessage) => void;
}

/** What one page is told: its run and those compared with it, as they go on. */
export class PageFeed implements Disposable {
  readonly #parts: FeedParts;
  readonly #store = new DisposableStore();
  /** Runs that the page is to show, its own first, whether or not their hosts can be reached. */
  #shown: readonly RunRef[];
  /** Those that it is told of, by run. */
  readonly #fed = new Map<string, Fed>();
  #listens = false;

  constructor(parts: FeedParts) {
    const { hosts, clients, own } = parts;
    this.#parts = parts;
    this.#shown = [own];
    this.#store.add(
      hosts.onChanged(() => {
        if (this.#listens) for (const place of this.#left()) void this.#feed(place);
      }),
    );
    this.#store.add(
      clients.onChanged(() => {
        if (!this.#listens) return;
        for (const place of this.#left()) {
          if (clients.peek(place.host)) void this.#feed(place);
          else this.#tellProblem(place.host);
        }
      }),
    );
    this.#store.defer(() => {
      for (const { store } of this.#fed.values()) store.dispose();
    });
  }

  /**
   * The page listens, for the first time or after it was loaded again.
   *
   * @param compared what it showed beside its own run
   */
  async start(compared: readonly RunRef[]): Promise<void> {
    for (const { store } of this.#fed.values()) store.dispose();
    this.#fed.clear();
    this.#listens = true;
    const { own, hosts } = this.#parts;
    // What was added here before the page listened stays.
    const others = [...compared, ...this.#shown].filter(
      ({ host, run }) => run !== own.run && hosts.find(host) !== undefined,
    );
    this.#shown = [own, ...new Map(others.map((place) => [place.run, place])).values()];
    await Promise.all(this.#shown.map((place) => this.#feed(place)));
  }

  has(run: string): boolean {
    return this.#shown.some((place) => place.run === run);
  }

  /** Another run beside the page's own, as soon as the page listens. */
  async add(place: RunRef): Promise<void> {
    if (this.has(place.run)) return;
    this.#shown = [...this.#shown, place];
    if (this.#listens) await this.#feed(place);
  }

  remove(run: string): void {
    if (run === this.#parts.own.run) return;
    this.#shown = this.#shown.filter((place) => place.run !== run);
    this.#fed.get(run)?.store.dispose();
    this.#fed.delete(run);
    this.#tellRuns();
  }

  async chosen(run: string): Promise<ChosenRun | undefined> {
    const fed = this.#fed.get(run);
    if (fed === undefined) return undefined;
    const { host } = fed;
    const client = await this.#parts.clients.connect(host);
    return { host, client, run: client.run(run) ?? (await client.connection.ask('run.get', { run })) };
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Runs that nobody tells of, or by a connection which is no longer that of their host: it had ended, and there is another token. */
  #left(): readonly RunRef[] {
    const { clients } = this.#parts;
    return this.#shown.filter(({ host, run }) => {
      const client = this.#fed.get(run)?.client;
      return client === undefined || clients.peek(host) !== client;
    });
  }

  /** In the place of what it was fed by, where its host has another connection meanwhile. */
  async #feed({ host: name, run }: RunRef): Promise<void> {
    const host = this.#parts.hosts.find(name);
    if (host === undefined) return;
    const client = await this.#parts.clients.get(host).catch(() => undefined);
    if (this.#store.isDisposed || !this.has(run)) return;
    if (client === undefined) {
      this.#tellProblem(name);
      return;
    }
    const before = this.#fed.get(run);
    if (before?.client === client) return;
    before?.store.dispose();
    const store = new DisposableStore();
    const follow = store.add(this.#followOf(run, client, (error) => this.#failed(run, fed, error)));
    const fed: Fed = { host, client, store, follow, isAsked: false, isGone: false, knowsGpus: false };
    this.#fed.set(run, fed);
    const tellState = (): void =>
      this.#parts.send({ type: 'connection', host: name, state: stateOf(client.state) });
    store.add(client.onChanged(() => this.#look(run, fed)));
    store.add(
      client.connection.onState(({ kind }) => {
        tellState();
        if (kind === 'connected') void this.#tellGpuHistory(run, fed);
      }),
    );
    store.add(client.watch());
    tellState();
    this.#look(run, fed);
  }

  /** Something changed on its host. */
  #look(run: string, fed: Fed): void {
    if (fed.client.run(run) === undefined) void this.#seek(run, fed);
    else fed.isGone = false; // a host that is started anew can have it again
    this.#tellRuns();
    this.#tellGpus(run);
  }

  /** What the host did not tell of can be one that it has removed, or one that it has yet to tell of. */
  async #seek(run: string, fed: Fed): Promise<void> {
    if (fed.isAsked || fed.isGone) return;
    fed.isAsked = true;
    try {
      fed.client.upsertRun(await fed.client.connection.ask('run.get', { run }));
    } catch (error) {
      this.#failed(run, fed, error);
    } finally {
      fed.isAsked = false;
    }
  }

  /** Of all else than a run that is gone, the connection's state tells. */
  #failed(run: string, fed: Fed, error: unknown): void {
    if (fed.isGone || this.#fed.get(run) !== fed) return;
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
        if (events.some(changesCheckpoints)) void this.#tellCheckpoints(run, client);
      },
      tellProblem: (problem) => this.#parts.send({ type: 'unheard', run, problem }),
    });
  }

  async #tellCheckpoints(run: string, client: HostClient): Promise<void> {
    const checkpoints = await client.connection.ask('checkpoint.list', { run }).catch(() => undefined);
    if (checkpoints === undefined || !this.#fed.has(run)) return;
    this.#parts.send({ type: 'checkpoints', run, checkpoints: [...checkpoints] });
  }

  #tellRuns(): void {
    const runs = this.#shown.flatMap(({ run }): PageRun[] => {
      const { host, client } = this.#fed.get(run) ?? {};
      const record = client?.run(run);
      return host === undefined || client === undefined || record === undefined
        ? []
        : [shownRun(host, client, record)];
    });
    if (runs[0]?.record.id !== this.#parts.own.run) return;
    const awaited = this.#shown.filter(({ run }) => !runs.some(({ record }) => record.id === run));
    this.#parts.send({ type: 'runs', runs, awaited });
    // The page takes no events of a run that it knows nothing of.
    for (const { record } of runs) {
      const fed = this.#fed.get(record.id);
      fed?.follow.start();
      if (fed?.knowsGpus === false) void this.#tellGpuHistory(record.id, fed);
    }
  }

  /** A host of an earlier version tells of its GPUs now alone. */
  async #tellGpuHistory(run: string, fed: Fed): Promise<void> {
    if (fed.client.run(run) === undefined) return;
    fed.knowsGpus = true;
    const samples = await fed.client.connection.ask('run.gpus', { run }).catch(() => []);
    if (samples.length === 0 || this.#fed.get(run) !== fed) return;
    this.#parts.send({ type: 'gpuHistory', run, samples: [...samples] });
  }

  #tellGpus(run: string): void {
    const { client } = this.#fed.get(run) ?? {};
    const record = client?.run(run);
    if (client?.status === undefined || record === undefined || finalStates.includes(record.state)) return;
    const { gpus, now } = client.status;
    this.#parts.send({ type: 'gpus', run, at: now, gpus });
  }

  /** Why there is no connection to a host that could tell its own state. */
  #tellProblem(host: string): void {
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
