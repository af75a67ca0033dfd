import * as l10n from '@vscode/l10n';
import { backoff } from '../../base/core/backoff.ts';
import { CancellationSource } from '../../base/core/cancellation.ts';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { CodedError, toReport, type ErrorReport } from '../../base/core/errors.ts';
import { Emitter } from '../../base/core/event.ts';
import type { Clock } from '../../base/core/ports.ts';
import { isSshAddress } from '../node/client/ssh/target.ts';
import { HostClient } from './hostClient.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';
import type { SshTunnels } from './sshTunnels.ts';

/** Milliseconds that a command waits for a host before it says that there is none: one not tried before, and one lost. */
const patience = { first: 20_000, lost: 5_000 } as const;

/**
 * Milliseconds before ssh is called again by itself: at first and at most, doubled with each failure in a row; and where the
 * network is not what kept it: machines ban who is refused often.
 */
const delays = { first: 2_000, most: 60_000, seldom: 600_000 } as const;

/** Why there is not even a connection that could be waited for. */
export interface ConnectionProblem {
  readonly report: ErrorReport;
  /** Milliseconds since the epoch; null: not before something changes. */
  readonly retryAt: number | null;
}

/** The code of the problem that there is no token. */
export const missingToken = 'hosts/no-token';

interface Failing extends ConnectionProblem {
  /** In a row. */
  readonly failures: number;
  readonly retry: Disposable | undefined;
}

/** Connections to hosts, made when the first one asks for a host and kept until it is taken off the list. */
export class HostClients implements Disposable {
  readonly #hosts: KnownHosts;
  readonly #ssh: SshTunnels;
  readonly #clock: Clock;
  readonly #version: string;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<undefined>());
  /** By the host's name, with the address that it was made with. */
  readonly #clients = new Map<string, { readonly address: string; readonly client: Promise<HostClient> }>();
  readonly #made = new Map<string, HostClient>();
  readonly #problems = new Map<string, Failing>();
  /** While the view is seen. */
  #watching: DisposableStore | undefined;

  readonly onChanged = this.#changed.event;

  constructor(hosts: KnownHosts, ssh: SshTunnels, clock: Clock, version: string) {
    this.#hosts = hosts;
    this.#ssh = ssh;
    this.#clock = clock;
    this.#version = version;
    this.#store.add(hosts.onChanged(() => this.#follow()));
  }

  /** What is known of a host, where it was asked for before. */
  peek(name: string): HostClient | undefined {
    return this.#made.get(name);
  }

  /** Why there is no client for a host; undefined: there is, or it was not asked for. */
  problem(name: string): ConnectionProblem | undefined {
    return this.#problems.get(name);
  }

  /**
   * For who looks again at every change, and must not try a host each time: one that was not reached is tried again by
   * itself, ever more seldom.
   */
  async tryConnect(host: KnownHost): Promise<HostClient | undefined> {
    if (this.#problems.has(host.name)) return undefined;
    return this.get(host).catch(() => undefined);
  }

  /** The client of a host, connected or not; rejects where the editor has no token of it, or ssh does not get there. */
  async get(host: KnownHost): Promise<HostClient> {
    const address = addressOf(host);
    const known = this.#clients.get(host.name);
    if (known?.address === address) return known.client;
    this.#drop(host.name);
    this.#problems.get(host.name)?.retry?.dispose();
    const client = this.#connect(host);
    this.#clients.set(host.name, { address, client });
    const isWanted = (): boolean => this.#clients.get(host.name)?.client === client;
    client.then(
      (made) => {
        if (isWanted()) this.#take(host.name, made);
      },
      (error: unknown) => {
        if (!isWanted()) return;
        this.#clients.delete(host.name);
        this.#failed(host.name, toReport(error, 'hosts/link'));
      },
    );
    return client;
  }

  /**
   * The same, connected. It is tried now, whatever became of it before, and rejects with why it is not once that has
   * failed; where ssh opens the way again, later.
   */
  async connect(host: KnownHost): Promise<HostClient> {
    if (this.#made.get(host.name)?.state.kind === 'ended') this.#drop(host.name);
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
      throw notReached(host, state.kind === 'waiting' ? state.reason : l10n.t('It does not answer.'));
    } finally {
      timer.dispose();
      failing.dispose();
    }
    return client;
  }

  /** Whether the view is seen: then GPUs are looked at. */
  setWatched(isWatched: boolean): void {
    this.#watching?.dispose();
    this.#watching = isWatched ? new DisposableStore() : undefined;
    for (const client of this.#made.values()) this.#watching?.add(client.watch());
  }

  dispose(): void {
    this.#forgive();
    for (const name of [...this.#clients.keys()]) this.#drop(name);
    this.#store.dispose();
  }

  async #connect(host: KnownHost): Promise<HostClient> {
    const token = await this.#hosts.token(host.name);
    if (token === undefined) throw noToken(host);
    // Its libraries are loaded by the first who needs them.
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

  #take(name: string, client: HostClient): void {
    this.#problems.delete(name);
    this.#made.set(name, client);
    client.onChanged(() => this.#changed.fire(undefined));
    this.#watching?.add(client.watch());
    this.#changed.fire(undefined);
  }

  #failed(name: string, report: ErrorReport): void {
    const failures = (this.#problems.get(name)?.failures ?? 0) + 1;
    const delay = delayAfter(report, failures);
    this.#problems.set(name, {
      report,
      failures,
      retryAt: delay === null ? null : this.#clock.now() + delay,
      retry: delay === null ? undefined : this.#clock.after(delay, () => this.#again(name)),
    });
    this.#changed.fire(undefined);
  }

  #again(name: string): void {
    const host = this.#hosts.find(name);
    // What comes of it is told as it was the first time.
    if (host !== undefined) this.get(host).catch(() => undefined);
  }

  /** Whatever kept hosts from being reached is no longer held against them. */
  #forgive(): void {
    for (const { retry } of this.#problems.values()) retry?.dispose();
    this.#problems.clear();
  }

  /** The list of hosts changed. */
  #follow(): void {
    this.#forgive();
    for (const [name, { address }] of [...this.#clients]) {
      const host = this.#hosts.find(name);
      if (host === undefined || addressOf(host) !== address || this.#made.get(name)?.state.kind === 'ended') {
        this.#drop(name);
      }
    }
    this.#changed.fire(undefined);
  }

  #drop(name: string): void {
    this.#clients.get(name)?.client.then(
      (client) => client.dispose(),
      () => undefined,
    );
    this.#clients.delete(name);
    this.#made.delete(name);
  }
}

function noToken({ name }: KnownHost): CodedError {
  return new CodedError({
    code: missingToken,
    message: l10n.t('The editor has no token of the GPU host {0}.', name),
    hint: l10n.t('Run "AgentJet: Enter Token of GPU Host".'),
  });
}

/** Null: a token does not come by waiting, and one that is entered is heard of. */
function delayAfter({ code }: ErrorReport, failures: number): number | null {
  if (code === missingToken) return null;
  if (code !== 'ssh/failed') return delays.seldom;
  return backoff(failures, delays);
}

const addressOf = ({ url, fingerprint = '' }: KnownHost): string => `${url} ${fingerprint}`;

function notReached({ name, url }: KnownHost, reason: string): CodedError {
  return new CodedError({
    code: 'hosts/not-reached',
    message: l10n.t('The GPU host {0} at {1} cannot be reached: {2}', name, url, reason),
    hint: l10n.t('See that `agentjet host` runs there, and that the address is right.'),
  });
}
