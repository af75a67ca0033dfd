import * as l10n from '@vscode/l10n';
import { backoff } from '../../base/core/backoff.ts';
import { CancellationSource } from '../../base/core/cancellation.ts';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { CodedError, toReport, type ErrorReport } from '../../base/core/errors.ts';
import { Emitter } from '../../base/core/event.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { HostStatus } from '../core/protocol/hostRpc.ts';
import { isSshAddress } from '../node/client/ssh/target.ts';
import { HostClient, type ChosenRun } from './hostClient.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';
import type { SshTunnels } from './sshTunnels.ts';

/** Milliseconds that a command waits for a host: for a new connection, and for a lost one. */
const patience = { first: 20_000, lost: 5_000 } as const;

/**
 * Milliseconds before ssh is started again: at first and at most, doubled with each failure in a row. `seldom` is for
 * failures other than the network, because machines ban clients that they refuse often.
 */
const delays = { first: 2_000, most: 60_000, seldom: 600_000 } as const;

export interface ConnectionProblem {
  readonly report: ErrorReport;
  /** Milliseconds since the epoch; null if only a change by the user starts another try. */
  readonly retryAt: number | null;
}

export const missingToken = 'hosts/no-token';

type Releases = NonNullable<HostStatus['launchers'][number]['releases']>;

interface Failing extends ConnectionProblem {
  /** In a row. */
  readonly failures: number;
  readonly retry: Disposable | undefined;
}

interface Entry {
  readonly address: string;
  readonly client: Promise<HostClient>;
  made?: HostClient;
}

/** The clients of all hosts. Each is created on first use and kept until its host leaves the list. */
export class HostClients implements Disposable {
  readonly #hosts: KnownHosts;
  readonly #ssh: SshTunnels;
  readonly #clock: Clock;
  readonly #version: string;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<undefined>());
  /** By the name of the host, as the problems. */
  readonly #clients = new Map<string, Entry>();
  readonly #problems = new Map<string, Failing>();
  /** Set while the view is visible. */
  #watching: DisposableStore | undefined;
  readonly onChanged = this.#changed.event;

  constructor(hosts: KnownHosts, ssh: SshTunnels, clock: Clock, version: string) {
    this.#hosts = hosts;
    this.#ssh = ssh;
    this.#clock = clock;
    this.#version = version;
    this.#store.add(hosts.onChanged(() => this.#follow()));
  }

  /** Returns the client of a host if it is already connected; it starts no connection. */
  peek(name: string): HostClient | undefined {
    return this.#clients.get(name)?.made;
  }

  /** Returns the releases of the first connected host that reports them. */
  releases(): { readonly name: string; readonly releases: Releases } | undefined {
    for (const [name, { made }] of this.#clients) {
      const reported = made?.status?.launchers.flatMap(({ releases }) => releases ?? []) ?? [];
      if (reported.length > 0)
        return { name, releases: Object.assign({}, ...reported.toReversed()) as Releases };
    }
    return undefined;
  }

  /** Returns why a host has no client; undefined if it has one or none was requested. */
  problem(name: string): ConnectionProblem | undefined {
    return this.#problems.get(name);
  }

  /**
   * Returns the client of a host; undefined if the last try failed. Callers may call it at every change: failed hosts are
   * retried in the background with growing delays.
   */
  async tryConnect(host: KnownHost): Promise<HostClient | undefined> {
    if (this.#problems.has(host.name)) return undefined;
    return this.get(host).catch(() => undefined);
  }

  /** Returns the client of a host, connected or not. Rejects if the token is missing or ssh fails. */
  async get(host: KnownHost): Promise<HostClient> {
    const address = addressOf(host);
    const known = this.#clients.get(host.name);
    if (known?.address === address) return known.client;
    this.#drop(host.name);
    this.#problems.get(host.name)?.retry?.dispose();
    const entry: Entry = { address, client: this.#connect(host) };
    this.#clients.set(host.name, entry);
    entry.client.then(
      (client) => {
        if (this.#clients.get(host.name) === entry) this.#take(host.name, entry, client);
      },
      (error: unknown) => {
        if (this.#clients.get(host.name) !== entry) return;
        this.#clients.delete(host.name);
        this.#failed(host, toReport(error, 'hosts/link'));
      },
    );
    return entry.client;
  }

  /**
   * Returns the connected client of a host. It tries at once, even after earlier failures, and rejects with the reason of
   * the failure. A host behind an SSH tunnel gets more time, because ssh may reopen the tunnel.
   */
  async connect(host: KnownHost): Promise<HostClient> {
    if (this.peek(host.name)?.state.kind === 'ended') this.#drop(host.name);
    const client = await this.get(host);
    const { connection, isTunnelled } = client;
    const { whenConnected } = await import('../core/wire/clientConnection.ts');
    const patient = new CancellationSource();
    const isLost = connection.state.kind === 'waiting';
    connection.retryNow();
    const timer = this.#clock.after(isLost ? patience.lost : patience.first, () => patient.cancel());
    const failing = connection.onState(({ kind }) => {
      if (kind === 'waiting' && !isTunnelled) patient.cancel();
    });
    try {
      await whenConnected(connection, patient.token);
    } catch (error) {
      const { state } = client;
      if (state.kind === 'ended') throw error;
      throw notReached(host, state.kind === 'waiting' ? state.reason : l10n.t('It does not respond.'));
    } finally {
      timer.dispose();
      failing.dispose();
    }
    return client;
  }

  /** Returns a run with its connected host. Rejects like {@link connect}, or if the host does not have the run. */
  async choose(host: KnownHost, id: string): Promise<ChosenRun> {
    const client = await this.connect(host);
    return { host, client, run: client.run(id) ?? (await client.connection.ask('run.get', { run: id })) };
  }

  /** Starts or stops the polling of GPUs, with the visibility of the view. */
  setWatched(isWatched: boolean): void {
    this.#watching?.dispose();
    this.#watching = isWatched ? new DisposableStore() : undefined;
    for (const { made } of this.#clients.values()) if (made) this.#watching?.add(made.watch());
  }

  dispose(): void {
    this.#forgive();
    for (const name of [...this.#clients.keys()]) this.#drop(name);
    this.#store.dispose();
  }

  async #connect(host: KnownHost): Promise<HostClient> {
    const token = await this.#hosts.token(host.name);
    if (token === undefined) throw noToken(host);
    // Loaded on first use, to keep activation fast.
    const { connectHost } = await import('../node/client/connectHost.ts');
    const self = { name: 'vscode', version: this.#version };
    const tunnel = isSshAddress(host.url) ? await this.#ssh.open(host.url, null, host.start) : undefined;
    const { url, fingerprint } = tunnel ?? host;
    const connection = connectHost({ url, fingerprint, token, route: tunnel?.route }, { client: self });
    const client = new HostClient(connection, this.#clock);
    if (tunnel !== undefined) client.useTunnel(tunnel);
    if (this.#store.isDisposed) client.dispose();
    return client;
  }

  #take(name: string, entry: Entry, client: HostClient): void {
    this.#problems.delete(name);
    entry.made = client;
    client.onChanged(() => this.#changed.fire(undefined));
    this.#watching?.add(client.watch());
    this.#changed.fire(undefined);
  }

  #failed({ name }: KnownHost, report: ErrorReport): void {
    const failures = (this.#problems.get(name)?.failures ?? 0) + 1;
    const delay = delayAfter(report, failures);
    const again = (): void => {
      const host = this.#hosts.find(name);
      // get() reports the outcome.
      if (host !== undefined) this.get(host).catch(() => undefined);
    };
    this.#problems.set(name, {
      report,
      failures,
      retryAt: delay === null ? null : this.#clock.now() + delay,
      retry: delay === null ? undefined : this.#clock.after(delay, again),
    });
    this.#changed.fire(undefined);
  }

  #forgive(): void {
    for (const { retry } of this.#problems.values()) retry?.dispose();
    this.#problems.clear();
  }

  #follow(): void {
    this.#forgive();
    for (const [name, { address, made }] of [...this.#clients]) {
      const host = this.#hosts.find(name);
      const isSame = host !== undefined && addressOf(host) === address;
      if (!isSame || made?.state.kind === 'ended') this.#drop(name);
    }
    this.#changed.fire(undefined);
  }

  #drop(name: string): void {
    this.#clients.get(name)?.client.then(
      (client) => client.dispose(),
      () => undefined,
    );
    this.#clients.delete(name);
  }
}

function noToken({ name }: KnownHost): CodedError {
  return new CodedError({
    code: missingToken,
    message: l10n.t('No token is stored for the GPU host {0}.', name),
    hint: l10n.t('Run "AgentJet: Enter Token of GPU Host".'),
  });
}

/** Null if waiting cannot help: a missing token must be entered, which is a change of the list. */
function delayAfter({ code }: ErrorReport, failures: number): number | null {
  if (code === missingToken) return null;
  if (code !== 'ssh/failed') return delays.seldom;
  return backoff(failures, delays);
}

const addressOf = ({ url, fingerprint = '' }: KnownHost): string => `${url} ${fingerprint}`;

function notReached({ name, url }: KnownHost, reason: string): CodedError {
  return new CodedError({
    code: 'hosts/not-reached',
    message: l10n.t('Cannot connect to the GPU host {0} at {1}: {2}', name, url, reason),
    hint: l10n.t('Check that `agentjet host` is running on the machine and that the address is correct.'),
  });
}
