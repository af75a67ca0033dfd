import { CancellationSource } from '../../base/cancellation.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { toReport } from '../../base/errors.ts';
import { finalStates, type RunEvent } from '../../protocol/host/runs.ts';
import type { HostState, RunPageMessage, ShownRun } from '../../protocol/trainingRunRpc.ts';
import type { ConnectionState } from '../../remote/contracts.ts';
import type { HostLink } from './hostLink.ts';
import type { HostLinks } from './hostLinks.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';
import type { Chosen } from './trainingActions.ts';

interface Fed {
  readonly host: KnownHost;
  readonly link: HostLink;
  readonly store: DisposableStore;
}

interface FeedParts {
  readonly hosts: KnownHosts;
  readonly links: HostLinks;
  /** The page's own run. */
  readonly own: { readonly host: string; readonly run: string };
  readonly send: (message: RunPageMessage) => void;
}

/** Of the log, no line: a page shows what was measured. There is no source of that name. */
const noLog = ['-'];

/** What one page is told: its run and those compared with it, as they go on. */
export class PageFeed implements Disposable {
  readonly #parts: FeedParts;
  readonly #store = new DisposableStore();
  readonly #fed = new Map<string, Fed>();
  /** A run whose host has no token, until it has one. */
  #lacking: FeedParts['own'] | undefined;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#store.add(
      parts.hosts.onChanged(() => {
        const lacking = this.#lacking;
        this.#lacking = undefined;
        if (lacking !== undefined) void this.add(lacking);
      }),
    );
    this.#store.defer(() => {
      for (const { store } of this.#fed.values()) store.dispose();
    });
  }

  /** The page listens, for the first time or after it was loaded again. */
  async start(compared: readonly string[]): Promise<void> {
    for (const { store } of this.#fed.values()) store.dispose();
    this.#fed.clear();
    const { own, hosts, links } = this.#parts;
    await this.add(own);
    for (const run of compared) {
      const host = hosts.list().find(({ name }) => links.known(name)?.run(run) !== undefined) ?? {
        name: own.host,
      };
      if (run !== own.run) await this.add({ host: host.name, run });
    }
  }

  has(run: string): boolean {
    return this.#fed.has(run);
  }

  async add({ host: name, run }: { readonly host: string; readonly run: string }): Promise<void> {
    const host = this.#parts.hosts.find(name);
    if (host === undefined || this.#fed.has(run)) return;
    const link = await this.#parts.links.link(host).catch((error: unknown) => {
      const { message, hint = '' } = toReport(error, 'hosts/link');
      const reason = `${message} ${hint}`.trim();
      this.#parts.send({ type: 'connection', host: name, state: { kind: 'ended', reason } });
      this.#lacking = { host: name, run };
    });
    if (link === undefined) return;
    if (this.#store.isDisposed || this.#fed.has(run)) return;
    const store = new DisposableStore();
    this.#fed.set(run, { host, link, store });
    const tellState = (): void =>
      this.#parts.send({ type: 'connection', host: name, state: stateOf(link.state) });
    store.add(
      link.onChanged(() => {
        this.#tellRuns();
        this.#tellGpus(run);
      }),
    );
    store.add(link.connection.onState(tellState));
    store.add(link.watch());
    tellState();
    if (link.run(run) === undefined) {
      link.connection.ask('run.get', { run }).then(
        (record) => link.learn(record),
        () => undefined, // the connection's state tells why, or the run was removed
      );
    }
    this.#tellRuns();
    this.#tellGpus(run);
    void this.#follow(run, link, store);
  }

  remove(run: string): void {
    if (run === this.#parts.own.run) return;
    this.#fed.get(run)?.store.dispose();
    this.#fed.delete(run);
    this.#tellRuns();
  }

  async chosen(run: string): Promise<Chosen | undefined> {
    const fed = this.#fed.get(run);
    if (fed === undefined) return undefined;
    const { host } = fed;
    const link = await this.#parts.links.connected(host);
    return { host, link, run: link.run(run) ?? (await link.connection.ask('run.get', { run })) };
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #follow(run: string, link: HostLink, store: DisposableStore): Promise<void> {
    const cancellation = new CancellationSource();
    store.defer(() => cancellation.cancel());
    const follow = { after: 0, sources: noLog };
    try {
      for await (const events of link.connection.follow(run, follow, cancellation.token)) {
        this.#parts.send({ type: 'events', run, events: [...events] });
        if (events.some(changesCheckpoints)) void this.#tellCheckpoints(run, link);
      }
    } catch {
      // Cancelled, or the host is gone for good: the connection's state tells it.
    }
  }

  async #tellCheckpoints(run: string, link: HostLink): Promise<void> {
    const checkpoints = await link.connection.ask('checkpoint.list', { run }).catch(() => undefined);
    if (checkpoints === undefined || !this.#fed.has(run)) return;
    this.#parts.send({ type: 'checkpoints', run, checkpoints: [...checkpoints] });
  }

  #tellRuns(): void {
    const runs = [...this.#fed].flatMap(([run, { host, link }]): ShownRun[] => {
      const record = link.run(run);
      if (record === undefined) return [];
      const scopes = link.state.kind === 'connected' ? link.state.hello.scopes : [];
      const before = link.runs.filter(
        ({ state, createdAt }) => state === 'queued' && createdAt < record.createdAt,
      );
      return [
        {
          host: host.name,
          record,
          ahead: record.state === 'queued' ? before.length : null,
          may: { start: scopes.includes('start'), cancel: scopes.includes('cancel') },
          rollouts: record.jobFolder !== null,
        },
      ];
    });
    if (runs[0]?.record.id === this.#parts.own.run) this.#parts.send({ type: 'runs', runs });
  }

  #tellGpus(run: string): void {
    const { link } = this.#fed.get(run) ?? {};
    const record = link?.run(run);
    if (link?.status === undefined || record === undefined || finalStates.includes(record.state)) return;
    const { gpus, now } = link.status;
    this.#parts.send({ type: 'gpus', run, at: now, gpus });
  }
}

function changesCheckpoints(event: RunEvent): boolean {
  return event.type === 'checkpoint' || event.type === 'state';
}

function stateOf(state: ConnectionState): HostState {
  return state.kind === 'connected' ? { kind: 'connected' } : state;
}
