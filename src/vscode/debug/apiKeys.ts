import * as vscode from 'vscode';
import { settings, settingsSection } from '../ids.ts';

const knownKey = 'agentjet.endpointsWithKey';
const title = 'AgentJet: API Key';

/** API keys of endpoints, in the editor's secret storage and nowhere else. Which endpoints have one is no secret. */
export class ApiKeys {
  readonly #secrets: vscode.SecretStorage;
  readonly #state: vscode.Memento;

  constructor(secrets: vscode.SecretStorage, state: vscode.Memento) {
    this.#secrets = secrets;
    this.#state = state;
  }

  async get(baseUrl: string): Promise<string | undefined> {
    return this.#secrets.get(secretName(baseUrl));
  }

  /** Asks for the endpoint and its key, and saves it. */
  async ask(): Promise<void> {
    const baseUrl = await vscode.window.showInputBox({
      title,
      prompt: 'Base URL of the endpoint',
      value: configuredBaseUrl() ?? '',
      validateInput: (text) =>
        URL.canParse(text) ? undefined : 'Enter a URL, such as https://host.example/v1',
      ignoreFocusOut: true,
    });
    if (baseUrl === undefined) return;
    const key = await vscode.window.showInputBox({
      title,
      prompt: `API key for ${baseUrl}`,
      password: true,
      ignoreFocusOut: true,
    });
    if (key === undefined || key.trim() === '') return;
    await this.#secrets.store(secretName(baseUrl), key.trim());
    await this.#setKnown([...new Set([...this.#known(), normalise(baseUrl)])]);
    void vscode.window.showInformationMessage(`The API key for ${baseUrl} is saved in the secret storage.`);
  }

  /** Asks which endpoint's key to forget, and forgets it. */
  async forget(): Promise<void> {
    const known = this.#known();
    if (known.length === 0) {
      void vscode.window.showInformationMessage(
        'No API key is saved. Save one with "AgentJet: Set API Key".',
      );
      return;
    }
    const baseUrl = await vscode.window.showQuickPick(known, { title, placeHolder: 'Whose key to forget' });
    if (baseUrl === undefined) return;
    await this.#secrets.delete(secretName(baseUrl));
    await this.#setKnown(known.filter((other) => other !== baseUrl));
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
