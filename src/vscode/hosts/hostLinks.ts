import * as l10n from '@vscode/l10n';
import { CancellationSource } from '../../base/cancellation.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { CodedError, toReport, type ErrorReport } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import type { Clock } from '../../base/ports.ts';
import { isSshAddress } from '../../node/remote/ssh/target.ts';
import { HostLink } from './hostLink.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';
import type { SshWays } from './sshWays.ts';

/** Milliseconds that a command waits for a host before it says that there is none. */
const patience = 20_000;

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
  /** Why there is not even a connection that could be waited for, by host. */
  readonly #problems = new Map<string, ErrorReport>();
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
  problem(name: string): ErrorReport | undefined {
    return this.#problems.get(name);
  }

  /** The link to a host, connected or not; rejects where the editor has no token of it, or ssh does not get there. */
  async link(host: KnownHost): Promise<HostLink> {
    const address = addressOf(host);
    const known = this.#links.get(host.name);
    if (known?.address === address) return known.link;
    this.#drop(host.name);
    const link = this.#connect(host);
    this.#links.set(host.name, { address, link });
    link.then(
      () => this.#problems.delete(host.name),
      (error: unknown) => {
        this.#links.delete(host.name);
        this.#problems.set(host.name, toReport(error, 'hosts/link'));
        this.#changed.fire(undefined);
      },
    );
    return link;
  }

  /** The same, connected; rejects with why it is not. */
  async connected(host: KnownHost): Promise<HostLink> {
    const link = await this.link(host);
    const { whenConnected } = await import('../../remote/wire/clientConnection.ts');
    const patient = new CancellationSource();
    const timer = this.#clock.after(patience, () => patient.cancel());
    try {
      await whenConnected(link.connection, patient.token);
    } catch (error) {
      const { state } = link;
      throw state.kind === 'waiting' ? notReached(host, state.reason) : error;
    } finally {
      timer.dispose();
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
    for (const name of [...this.#links.keys()]) this.#drop(name);
    this.#store.dispose();
  }

  async #connect(host: KnownHost): Promise<HostLink> {
    const token = await this.#hosts.token(host.name);
    if (token === undefined) throw noToken(host);
    // Its libraries are loaded by the first who needs them.
    const { connectHost } = await import('../../node/remote/connectHost.ts');
    const client = { name: 'vscode', version: this.#version };
    const way = isSshAddress(host.url) ? await this.#ssh.open(host.url, null) : undefined;
    const { url, fingerprint } = way ?? host;
    const connection = connectHost({ url, fingerprint, token }, { client });
    const link = new HostLink(connection, this.#clock);
    if (way !== undefined) link.over(way, () => connection.retryNow());
    if (this.#store.isDisposed) link.dispose();
    this.#made.set(host.name, link);
    link.onChanged(() => this.#changed.fire(undefined));
    this.#watching?.add(link.watch());
    return link;
  }

  /** The list of hosts changed. */
  #follow(): void {
    this.#problems.clear();
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
    code: 'hosts/no-token',
    message: l10n.t('The editor has no token of the GPU host {0}.', name),
    hint: l10n.t('Run "AgentJet: Enter Token of GPU Host".'),
  });
}

const addressOf = ({ url, fingerprint = '' }: KnownHost): string => `${url} ${fingerprint}`;

function notReached({ name, url }: KnownHost, reason: string): CodedError {
  return new CodedError({
    code: 'hosts/not-reached',
    message: l10n.t('The GPU host {0} at {1} cannot be reached: {2}', name, url, reason),
    hint: l10n.t('See that `agentjet host` runs there; it is tried again in the background.'),
  });
}
