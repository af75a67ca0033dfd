import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { commands, settings, settingsSection } from '../../../base/core/ids.ts';

const knownKey = 'agentjet.endpointsWithKey';
const title = (): string => vscode.l10n.t('AgentJet: API Key');

/** The API keys of endpoints, only in the editor's secret storage. The names of their endpoints are not secret. */
export class ApiKeys {
  readonly #secrets: vscode.SecretStorage;
  readonly #state: vscode.Memento;

  constructor(secrets: vscode.SecretStorage, state: vscode.Memento) {
    this.#secrets = secrets;
    this.#state = state;
  }

  registerCommands(): Disposable {
    const store = new DisposableStore();
    store.add(vscode.commands.registerCommand(commands.setApiKey, () => this.#set()));
    store.add(vscode.commands.registerCommand(commands.deleteApiKey, () => this.#forget()));
    return store;
  }

  async get(baseUrl: string): Promise<string | undefined> {
    return this.#secrets.get(secretName(baseUrl));
  }

  /** Asks for the key of an endpoint. Resolves to undefined if the user cancels or enters nothing. */
  async ask(baseUrl: string): Promise<string | undefined> {
    const key = await vscode.window.showInputBox({
      title: title(),
      prompt: vscode.l10n.t('API key for {0}', baseUrl),
      password: true,
      ignoreFocusOut: true,
    });
    return key?.trim() === '' ? undefined : key?.trim();
  }

  async save(baseUrl: string, key: string): Promise<void> {
    await this.#secrets.store(secretName(baseUrl), key);
    await this.#setKnown([...new Set([...this.#known(), normalise(baseUrl)])]);
  }

  async #set(): Promise<void> {
    const baseUrl = await vscode.window.showInputBox({
      title: title(),
      prompt: vscode.l10n.t('Base URL of the endpoint'),
      value: configuredBaseUrl() ?? '',
      validateInput: (text) =>
        URL.canParse(text) ? undefined : vscode.l10n.t('Enter a URL, such as {0}', 'https://host.example/v1'),
      ignoreFocusOut: true,
    });
    const key = baseUrl === undefined ? undefined : await this.ask(baseUrl);
    if (baseUrl === undefined || key === undefined) return;
    await this.save(baseUrl, key);
    void vscode.window.showInformationMessage(
      vscode.l10n.t('The API key for {0} is saved in the secret storage.', baseUrl),
    );
  }

  async #forget(): Promise<void> {
    const known = this.#known();
    if (known.length === 0) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('No API key is saved. Save one with "AgentJet: Set API Key".'),
      );
      return;
    }
    const baseUrl = await vscode.window.showQuickPick(known, {
      title: title(),
      placeHolder: vscode.l10n.t('Select the key to delete'),
    });
    if (baseUrl === undefined) return;
    await this.#secrets.delete(secretName(baseUrl));
    await this.#setKnown(known.filter((other) => other !== baseUrl));
    void vscode.window.showInformationMessage(vscode.l10n.t('The API key for {0} is deleted.', baseUrl));
  }

  #known(): string[] {
    return [...this.#state.get<readonly string[]>(knownKey, [])];
  }

  async #setKnown(baseUrls: readonly string[]): Promise<void> {
    await this.#state.update(knownKey, baseUrls);
  }
}

function configuredBaseUrl(): string | undefined {
  const endpoint = vscode.workspace
    .getConfiguration(settingsSection)
    .get<{ baseUrl?: unknown }>(settings.endpoint);
  return typeof endpoint?.baseUrl === 'string' ? endpoint.baseUrl : undefined;
}

function secretName(baseUrl: string): string {
  return `agentjet.apiKey:${normalise(baseUrl)}`;
}

function normalise(baseUrl: string): string {
  return baseUrl.trim().replace(/\/+$/, '');
}
