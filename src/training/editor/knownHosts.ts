import type * as vscode from 'vscode';
import type { HostStart } from '../core/protocol/sshHost.ts';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { Emitter } from '../../base/core/event.ts';

/** A GPU host that the user added. Its token is in the secret storage, under the host's name. */
export interface KnownHost {
  readonly name: string;
  readonly url: string;
  /** SHA-256 of its certificate in hex. Absent if a trusted authority signed it, or if there is no TLS. */
  readonly fingerprint?: string | undefined;
  /** The options to start a host over SSH with. Absent if there are none. */
  readonly start?: HostStart;
}

const stateKey = 'agentjet.gpuHosts';
const secretKey = (name: string): string => `agentjet.gpuHost.${name}`;

/** The hosts that the user added. All windows share them. */
export class KnownHosts implements Disposable {
  readonly #state: vscode.Memento;
  readonly #secrets: vscode.SecretStorage;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<undefined>());
  readonly onChanged = this.#changed.event;

  constructor(state: vscode.Memento, secrets: vscode.SecretStorage) {
    this.#state = state;
    this.#secrets = secrets;
    // Another window may have added one.
    this.#store.add(
      secrets.onDidChange(({ key }) => {
        if (key.startsWith(secretKey(''))) this.#changed.fire(undefined);
      }),
    );
  }

  list(): readonly KnownHost[] {
    return this.#state.get<readonly KnownHost[]>(stateKey, []);
  }

  find(name: string): KnownHost | undefined {
    return this.list().find((host) => host.name === name);
  }

  token(name: string): Thenable<string | undefined> {
    return this.#secrets.get(secretKey(name));
  }

  /** Adds a host. It replaces a host with the same name. */
  async add(host: KnownHost, token: string): Promise<void> {
    const others = this.list().filter(({ name }) => name !== host.name);
    await this.#state.update(stateKey, [...others, host]);
    await this.setToken(host.name, token);
  }

  async setToken(name: string, token: string): Promise<void> {
    await this.#secrets.store(secretKey(name), token);
    this.#changed.fire(undefined);
  }

  async remove(name: string): Promise<void> {
    await this.#state.update(
      stateKey,
      this.list().filter((host) => host.name !== name),
    );
    await this.#secrets.delete(secretKey(name));
    this.#changed.fire(undefined);
  }

  dispose(): void {
    this.#store.dispose();
  }
}
