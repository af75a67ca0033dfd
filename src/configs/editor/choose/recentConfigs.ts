import type * as vscode from 'vscode';

const key = 'agentjet.recentConfigs';
const mostRemembered = 20;

/** The configs this workspace has launched, most recent first, as URIs. */
export class RecentConfigs {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  list(): readonly string[] {
    return this.#state.get<readonly string[]>(key, []);
  }

  async remember(config: vscode.Uri): Promise<void> {
    const uri = config.toString();
    const others = this.list().filter((other) => other !== uri);
    await this.#state.update(key, [uri, ...others].slice(0, mostRemembered));
  }
}
