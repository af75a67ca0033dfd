import { existsSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';

export interface DispatchedRun {
  readonly root: string;
  /** The config, absolute. */
  readonly config: string;
}

const stateKey = 'agentjet.sentRuns';
const most = 500;

/** Stores the local sources of runs that this editor dispatched, by run id. */
export class DispatchedRuns {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  async add(run: string, sent: DispatchedRun): Promise<void> {
    const all = Object.entries(this.#all()).slice(1 - most);
    await this.#state.update(stateKey, Object.fromEntries([...all, [run, sent]]));
  }

  of(run: string): DispatchedRun | undefined {
    return this.#all()[run];
  }

  /** Returns the stored source, or else the first workspace folder that contains a config of that path. */
  find(run: string, config: string): DispatchedRun | undefined {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const places = folders.map(({ uri: { fsPath: root } }) => ({ root, config: path.join(root, config) }));
    return this.of(run) ?? places.find((place) => existsSync(place.config));
  }

  #all(): Readonly<Record<string, DispatchedRun>> {
    return this.#state.get<Readonly<Record<string, DispatchedRun>>>(stateKey, {});
  }
}
