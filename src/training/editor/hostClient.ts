import * as l10n from '@vscode/l10n';
import { neverCancelled } from '../../base/core/cancellation.ts';
import { DisposableStore, toDisposable, type Disposable } from '../../base/core/disposable.ts';
import { Emitter, type Event } from '../../base/core/event.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { HostStatus } from '../core/protocol/hostRpc.ts';
import { finalStates, type RunRecord } from '../core/protocol/runs.ts';
import type { ConnectionState } from '../core/contracts.ts';
import type { ClientConnection } from '../core/wire/clientConnection.ts';
import type { KnownHost } from './knownHosts.ts';

export interface ChosenRun {
  readonly host: KnownHost;
  readonly client: HostClient;
  readonly run: RunRecord;
}

export const isRunning = ({ state }: RunRecord): boolean => !finalStates.includes(state);
/** Milliseconds between two status requests while the GPUs of a host are visible. */
const statusEvery = 5_000;

/** The connection of this window to one host, with its runs and GPUs, which are kept up to date while it is connected. */
export class HostClient implements Disposable {
  readonly connection: ClientConnection;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<undefined>());
  readonly #runs = new Map<string, RunRecord>();
  /** The ids of removed runs. A late response may still contain them. */
  readonly #gone = new Set<string>();
  status: HostStatus | undefined;
  /** The number of views that show its GPUs. */
  #watchers = 0;
  #isAsking = false;
  isTunnelled = false;
  readonly onChanged = this.#changed.event;

  constructor(connection: ClientConnection, clock: Clock) {
    this.connection = this.#store.add(connection);
    this.#store.add(
      connection.on('run.changed', ({ run }) => {
        const before = this.#runs.get(run.id)?.state;
        this.#runs.set(run.id, run);
        // The run may have received or released GPUs.
        if (before !== run.state && this.#watchers > 0) void this.#look();
        this.#changed.fire(undefined);
      }),
    );
    this.#store.add(connection.on('run.removed', ({ run }) => this.removeRun(run)));
    this.#store.add(
      connection.onState((state) => {
        if (state.kind === 'connected') {
          // A host that was killed during a removal still has the run.
          this.#gone.clear();
          void this.#list();
        }
        this.#changed.fire(undefined);
      }),
    );
    this.#store.add(
      clock.every(statusEvery, () => {
        if (this.#watchers > 0) void this.#look();
      }),
    );
    connection.ask('run.watch', {}).catch(() => undefined);
    if (connection.state.kind === 'connected') void this.#list();
  }

  get state(): ConnectionState {
    return this.connection.state;
  }

  /** The newest first. */
  get runs(): readonly RunRecord[] {
    return [...this.#runs.values()].sort((a, b) => b.createdAt - a.createdAt);
  }

  run(id: string): RunRecord | undefined {
    return this.#runs.get(id);
  }

  /** Stores the record of a run unless the run was removed or a newer record is known. */
  upsertRun(run: RunRecord): void {
    if (this.#gone.has(run.id)) return;
    const known = this.#runs.get(run.id);
    if (known !== undefined && known.events > run.events) return;
    this.#runs.set(run.id, run);
    this.#changed.fire(undefined);
  }

  removeRun(run: string): void {
    this.#gone.add(run);
    this.#runs.delete(run);
    this.#changed.fire(undefined);
  }

  /** Takes ownership of the SSH tunnel of this host, and reconnects each time the tunnel opens again. */
  useTunnel(tunnel: Disposable & { readonly onOpened: Event<void> }): void {
    this.isTunnelled = true;
    this.#store.add(tunnel);
    this.#store.add(tunnel.onOpened(() => this.connection.retryNow()));
  }

  /** Polls the status of the GPUs until disposed. */
  watch(): Disposable {
    this.#watchers += 1;
    void this.#look();
    return toDisposable(() => (this.#watchers -= 1));
  }

  async refresh(): Promise<void> {
    await Promise.all([this.#list(), this.#look()]);
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #list(): Promise<void> {
    const runs = await this.connection.ask('run.list', {}).catch(() => undefined);
    if (runs === undefined) return;
    this.#runs.clear();
    for (const run of runs) if (!this.#gone.has(run.id)) this.#runs.set(run.id, run);
    this.#changed.fire(undefined);
    await this.#look();
  }

  async #look(): Promise<void> {
    if (this.#isAsking || this.connection.state.kind !== 'connected') return;
    this.#isAsking = true;
    try {
      this.status = await this.connection.ask('status', {}, neverCancelled);
      this.#changed.fire(undefined);
    } catch {
      // The state of the connection has the reason.
    } finally {
      this.#isAsking = false;
    }
  }
}

export function connectionText(state: ConnectionState): string {
  if ('reason' in state) return state.reason;
  return state.kind === 'connected' ? l10n.t('connected') : l10n.t('connecting …');
}
