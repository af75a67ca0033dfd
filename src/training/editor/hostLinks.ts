import * as l10n from '@vscode/l10n';
import { backoff } from '../../base/core/backoff.ts';
import { CancellationSource } from '../../base/core/cancellation.ts';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { CodedError, toReport, type ErrorReport } from '../../base/core/errors.ts';
import { Emitter } from '../../base/core/event.ts';
import type { Clock } from '../../base/core/ports.ts';
import { isSshAddress } from '../node/client/ssh/target.ts';
import { HostLink } from './hostLink.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';
import type { SshWays } from './sshWays.ts';

/** Milliseconds that a command waits for a host before it says that there is none: one not tried before, and one lost. */
const patience = { first: 20_000, lost: 5_000 } as const;

/**
 * Milliseconds before ssh is called again by itself: at first and at most, doubled with each failure in a row; and where the
 * network is not what kept it: machines ban who is refused often.
 */
const delays = { first: 2_000, most: 60_000, seldom: 600_000 } as const;

/** Why there is not even a connection that could be waited for. */
export interface LinkProblem {
  readonly report: ErrorReport;
  /** Milliseconds since the epoch; null: not before something changes. */
  readonly retryAt: number | null;
}

/** The code of the problem that there is no token. */
export const lacksToken = 'hosts/no-token';

interface Failing extends LinkProblem {
  /** In a row. */
  readonly failures: number;
  readonly retry: Disposable | undefined;
}

/** Connections to hosts, made when the first one asks for a host and kept until it is taken off the list. */
export class HostLinks implements Disposable {
  readonly #hosts: KnownHosts;
  readonly #ssh: SshWays;
  readonly #clock: Clock;
  readonly #version: string;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<undefined>());
  /** By the host's name, with the address that it was made with. */
  readonly #links = new Map<string, { readonly address: string; readonly link: Promise<HostLink> }>();
  readonly #made = new Map<string, HostLink>();
  readonly #problems = new Map<string, Failing>();
  /** While the view is seen. */
  #watching: DisposableStore | undefined;

  readonly onChanged = this.#changed.event;

  constructor(hosts: KnownHosts, ssh: SshWays, clock: Clock, version: string) {
    this.#hosts = hosts;
    this.#ssh = ssh;
    this.#clock = clock;
    this.#version = version;
    this.#store.add(hosts.onChanged(() => this.#follow()));
  }

  /** What is known of a host, where it was asked for before. */
  known(name: string): HostLink | undefined {
    return this.#made.get(name);
  }

  /** Why there is no link to a host; undefined: there is, or it was not asked for. */
  problem(name: string): LinkProblem | undefined {
    return this.#problems.get(name);
  }

  /**
   * For who looks again at every change, and must not try a host each time: one that was not reached is tried again by
   * itself, ever more seldom.
   */
  async seen(host: KnownHost): Promise<HostLink | undefined> {
    if (this.#problems.has(host.name)) return undefined;
    return this.link(host).catch(() => undefined);
  }

  /** The link to a host, connected or not; rejects where the editor has no token of it, or ssh does not get there. */
  async link(host: KnownHost): Promise<HostLink> {
    const address = addressOf(host);
    const known = this.#links.get(host.name);
    if (known?.address === address) return known.link;
    this.#drop(host.name);
    this.#problems.get(host.name)?.retry?.dispose();
    const link = this.#connect(host);
    this.#links.set(host.name, { address, link });
    const isWanted = (): boolean => this.#links.get(host.name)?.link === link;
    link.then(
      (made) => {
        if (isWanted()) this.#take(host.name, made);
      },
      (error: unknown) => {
        if (!isWanted()) return;
        this.#links.delete(host.name);
        this.#failed(host.name, toReport(error, 'hosts/link'));
      },
    );
    return link;
  }

  /**
   * The same, connected. It is tried now, whatever became of it before, and rejects with why it is not once that has
   * failed; where ssh opens the way again, later.
   */
  async connected(host: KnownHost): Promise<HostLink> {
    if (this.#made.get(host.name)?.state.kind === 'ended') this.#drop(host.name);
    const link = await this.link(host);
    const { connection, isTunnelled } = link;
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
      const { state } = link;
      if (state.kind === 'ended') throw error;
      throw notReached(host, state.kind === 'waiting' ? state.reason : l10n.t('It does not answer.'));
    } finally {
      timer.dispose();
      failing.dispose();
    }
    return link;
  }

  /** Whether the view is seen: then GPUs are looked at. */
  setWatched(isWatched: boolean): void {
    this.#watching?.dispose();
    this.#watching = isWatched ? new DisposableStore() : undefined;
    for (const link of this.#made.values()) this.#watching?.add(link.watch());
  }

  dispose(): void {
    this.#forgive();
    for (const name of [...this.#links.keys()]) this.#drop(name);
    this.#store.dispose();
  }

  async #connect(host: KnownHost): Promise<HostLink> {
    const token = await this.#hosts.token(host.name);
    if (token === undefined) throw noToken(host);
    // Its libraries are loaded by the first who needs them.
    const { connectHost } = await import('../node/client/connectHost.ts');
    const client = { name: 'vscode', version: this.#version };
    const way = isSshAddress(host.url) ? await this.#ssh.open(host.url, null, host.start) : undefined;
    const { url, fingerprint } = way ?? host;
    const connection = connectHost({ url, fingerprint, token, route: way?.route }, { client });
    const link = new HostLink(connection, this.#clock);
    if (way !== undefined) link.over(way);
    if (this.#store.isDisposed) link.dispose();
    return link;
  }

  #take(name: string, link: HostLink): void {
    this.#problems.delete(name);
    this.#made.set(name, link);
    link.onChanged(() => this.#changed.fire(undefined));
    this.#watching?.add(link.watch());
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
    if (host !== undefined) this.link(host).catch(() => undefined);
  }

  /** Whatever kept hosts from being reached is no longer held against them. */
  #forgive(): void {
    for (const { retry } of this.#problems.values()) retry?.dispose();
    this.#problems.clear();
  }

  /** The list of hosts changed. */
  #follow(): void {
    this.#forgive();
    for (const [name, { address }] of [...this.#links]) {
      const host = this.#hosts.find(name);
      if (host === undefined || addressOf(host) !== address || this.#made.get(name)?.state.kind === 'ended') {
        this.#drop(name);
      }
    }
    this.#changed.fire(undefined);
  }

  #drop(name: string): void {
    this.#links.get(name)?.link.then(
      (link) => link.dispose(),
      () => undefined,
    );
    this.#links.delete(name);
    this.#made.delete(name);
  }
}

function noToken({ name }: KnownHost): CodedError {
  return new CodedError({
    code: lacksToken,
    message: l10n.t('The editor has no token of the GPU host {0}.', name),
    hint: l10n.t('Run "AgentJet: Enter Token of GPU Host".'),
  });
}

/** Null: a token does not come by waiting, and one that is entered is heard of. */
function delayAfter({ code }: ErrorReport, failures: number): number | null {
  if (code === lacksToken) return null;
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
