/** The command that chooses which model answers the LLM calls of runs. */
import path from 'node:path';
import * as vscode from 'vscode';
import { CancellationSource } from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { withCancellableProgress } from '../../../base/editor/progress.ts';
import { createEndpointModel } from '../../node/model-tuner/endpointModel.ts';
import { writeUrl } from '../../../base/core/httpTexts.ts';
import {
  findLocalServers,
  listModels,
  type FoundServer,
  type ModelList,
} from '../../node/model-tuner/modelList.ts';
import type { ApiKeys } from './apiKeys.ts';
import {
  configuredModel,
  describeModel,
  saveModel,
  type ChosenEndpoint,
  type ChosenModel,
} from './modelSettings.ts';

const title = (): string => vscode.l10n.t('AgentJet: Choose Model');
const recentKey = 'agentjet.recentEndpoints';
const recentLimit = 5;
const exampleUrl = 'http://127.0.0.1:8000/v1';

export interface ChoiceParts {
  readonly apiKeys: ApiKeys;
  /** Remembers the endpoints that were chosen in this workspace. */
  readonly state: vscode.Memento;
  readonly log: vscode.LogOutputChannel;
}

interface Choice extends vscode.QuickPickItem {
  /** Resolves to undefined if the user cancels. */
  readonly choose?: () => Promise<ChosenModel | undefined>;
}

/** Asks for a model, saves it in the settings and sends it one request. */
export async function chooseModel(parts: ChoiceParts): Promise<void> {
  const scope = vscode.window.activeTextEditor?.document.uri;
  const current = configuredModel(scope);
  const choice = await pickModel(parts, current);
  const chosen = await choice?.choose?.();
  if (chosen === undefined) return;
  // One that was written by hand stays in the list.
  if (current.endpoint !== undefined) await remember(current.endpoint, parts.state);
  await saveModel(chosen, scope);
  if (chosen.endpoint !== undefined) {
    await remember(chosen.endpoint, parts.state);
    await tryModel(chosen.endpoint, parts.apiKeys);
  }
}

/** Shows the models at once, and those of servers on this machine as soon as the servers respond. */
async function pickModel(parts: ChoiceParts, current: ChosenModel): Promise<Choice | undefined> {
  const picker = vscode.window.createQuickPick<Choice>();
  const source = new CancellationSource();
  const found: FoundServer[] = [];
  let ofEditor: readonly vscode.LanguageModelChat[] = [];
  picker.title = title();
  picker.placeholder = vscode.l10n.t('Select the model that answers the LLM calls of runs');
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  const draw = (): void => {
    // Rows are added while the user moves. The editor then selects the first row that fits the filter.
    const [first] = rowsOf(picker.items);
    const [active] = picker.activeItems;
    picker.items = choices(parts, current, { found, ofEditor });
    const again = rowsOf(picker.items).find(({ label }) => label === active?.label);
    const hasMoved = picker.value === '' && active !== undefined && active.label !== first?.label;
    if (hasMoved && again !== undefined) picker.activeItems = [again];
  };
  try {
    draw();
    picker.show();
    picker.busy = true;
    const searching = findLocalServers((server) => {
      found.push(server);
      draw();
    }, source.token);
    const listing = vscode.lm.selectChatModels().then((models) => {
      ofEditor = models;
      if (!source.token.isCancelled) draw();
    });
    void Promise.allSettled([searching, listing]).then(() => {
      if (!source.token.isCancelled) picker.busy = false;
    });
    return await new Promise((resolve) => {
      picker.onDidAccept(() => resolve(picker.selectedItems[0]));
      picker.onDidHide(() => resolve(undefined));
    });
  } finally {
    source.cancel();
    picker.dispose();
  }
}

function rowsOf(items: readonly Choice[]): readonly Choice[] {
  return items.filter(({ kind }) => kind !== vscode.QuickPickItemKind.Separator);
}

interface Offered {
  readonly found: readonly FoundServer[];
  readonly ofEditor: readonly vscode.LanguageModelChat[];
}

function choices(parts: ChoiceParts, current: ChosenModel, { found, ofEditor }: Offered): Choice[] {
  const { label } = describeModel(current);
  const recent = recentEndpoints(parts.state);
  const listed = new Set(found.map(({ baseUrl }) => baseUrl));
  const others = recent.filter(({ baseUrl }) => !listed.has(baseUrl));
  return [
    separator(vscode.l10n.t('Now: {0}', label)),
    {
      label: vscode.l10n.t('$(circuit-board) Built-in model'),
      description: vscode.l10n.t('No network, no key, deterministic. It is not clever.'),
      choose: () => Promise.resolve({ model: 'embedded' }),
    },
    {
      label: vscode.l10n.t('$(person) You'),
      description: vscode.l10n.t('Each LLM call opens as a document for your answer.'),
      choose: () => Promise.resolve({ model: 'human' }),
    },
    {
      label: vscode.l10n.t('$(file-code) Script…'),
      description: vscode.l10n.t('A JavaScript, TypeScript or JSON file with the answers.'),
      choose: chooseScript,
    },
    ...(found.length > 0 ? [separator(vscode.l10n.t('Servers on this machine'))] : []),
    ...found.flatMap((server) => ofServer(server, parts)),
    ...(ofEditor.length > 0
      ? [separator(vscode.l10n.t("The editor's models, without token ids and log probabilities"))]
      : []),
    ...ofEditor.map(ofEditorModel),
    ...(others.length > 0 ? [separator(vscode.l10n.t('Recently used servers'))] : []),
    ...others.map((endpoint) => ofEndpoint(endpoint, writeUrl(endpoint.baseUrl))),
    separator(vscode.l10n.t('Other servers')),
    {
      label: vscode.l10n.t('$(add) Another Server…'),
      description: vscode.l10n.t('The URL of any OpenAI-compatible server.'),
      choose: () => chooseServer(parts),
    },
  ];
}

function separator(label: string): Choice {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function ofServer({ name, baseUrl, list }: FoundServer, parts: ChoiceParts): Choice[] {
  const place = `${name}, ${new URL(baseUrl).host}`;
  if (list.kind === 'models') {
    return list.models.map((model) => ofEndpoint({ baseUrl, model }, place));
  }
  return [
    {
      label: `$(key) ${name}…`,
      description: vscode.l10n.t('{0} requires an API key.', place),
      choose: () => chooseServer(parts, baseUrl),
    },
  ];
}

function ofEndpoint(endpoint: ChosenEndpoint, place: string): Choice {
  return {
    label: `$(server) ${endpoint.model ?? vscode.l10n.t('The only model of the server')}`,
    description: place,
    choose: () => Promise.resolve({ model: 'endpoint', endpoint }),
  };
}

function ofEditorModel({ id, name, vendor }: vscode.LanguageModelChat): Choice {
  return {
    label: `$(sparkle) ${name}`,
    description: `${vendor}, ${id}`,
    choose: () => Promise.resolve({ model: 'editor', editorModel: id }),
  };
}

async function chooseScript(): Promise<ChosenModel | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    openLabel: vscode.l10n.t('Choose'),
    filters: { [vscode.l10n.t('Scripts')]: ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts', 'json'] },
  });
  const [file] = chosen ?? [];
  if (file === undefined) return undefined;
  const folder = vscode.workspace.getWorkspaceFolder(file);
  const relative = folder === undefined ? undefined : path.relative(folder.uri.fsPath, file.fsPath);
  return { model: 'script', script: relative?.split(path.sep).join('/') ?? file.fsPath };
}

/** Asks for a server, its key if it needs one, and one of its models. */
async function chooseServer({ apiKeys }: ChoiceParts, known?: string): Promise<ChosenModel | undefined> {
  const asked = known ?? (await askUrl());
  if (asked === undefined) return undefined;
  const listed = await askServer(asked, apiKeys);
  if (listed === undefined) return undefined;
  const { baseUrl, list } = listed;
  const model = list.kind === 'models' ? await chooseListed(list.models, baseUrl) : await askModel(baseUrl);
  return model === undefined ? undefined : { model: 'endpoint', endpoint: { baseUrl, model } };
}

async function askUrl(): Promise<string | undefined> {
  const url = await vscode.window.showInputBox({
    title: title(),
    prompt: vscode.l10n.t('Base URL of an OpenAI-compatible server. Most end in /v1.'),
    placeHolder: exampleUrl,
    validateInput: (text) =>
      /^https?:\/\//i.test(text.trim()) && URL.canParse(text.trim())
        ? undefined
        : vscode.l10n.t('Enter a URL, such as {0}', exampleUrl),
    ignoreFocusOut: true,
  });
  return url?.trim().replace(/\/+$/, '');
}

interface Listed {
  readonly baseUrl: string;
  readonly list: ModelList;
}

/** Lists the models of a server. Asks for a key until the server accepts it. Throws if the server cannot be reached. */
async function askServer(asked: string, apiKeys: ApiKeys): Promise<Listed | undefined> {
  let apiKey = await apiKeys.get(asked);
  for (;;) {
    const listed = await listWithProgress(asked, apiKey);
    if (listed === undefined) return undefined;
    const { baseUrl, list } = listed;
    if (list.kind === 'failed' && !list.responded) throw unreachable(baseUrl, list.reason);
    if (list.kind !== 'unauthorized') {
      if (apiKey !== undefined) await apiKeys.save(baseUrl, apiKey);
      return listed;
    }
    apiKey = await apiKeys.ask(asked);
    if (apiKey === undefined) return undefined;
  }
}

/** Lists the models at the URL, or below `/v1` of it. */
function listWithProgress(asked: string, apiKey: string | undefined): Thenable<Listed | undefined> {
  const progress = vscode.l10n.t('Asking {0} for its models', writeUrl(asked));
  return withCancellableProgress(progress, async ({ cancellation }) => {
    const list = await listModels({ baseUrl: asked, apiKey }, { cancellation });
    const listed = { baseUrl: asked, list };
    if (list.kind !== 'failed' || !list.responded || asked.endsWith('/v1')) return listed;
    const baseUrl = `${asked}/v1`;
    const below = await listModels({ baseUrl, apiKey }, { cancellation });
    return below.kind === 'failed' ? listed : { baseUrl, list: below };
  });
}

function unreachable(baseUrl: string, reason: string): CodedError {
  return new CodedError({
    code: 'model/unreachable',
    message: vscode.l10n.t('The model server at {0} cannot be reached: {1}.', writeUrl(baseUrl), reason),
    hint: vscode.l10n.t('Start the server, or correct the URL.'),
  });
}

async function chooseListed(models: readonly string[], baseUrl: string): Promise<string | undefined> {
  const [only, ...others] = models;
  if (only === undefined) return askModel(baseUrl);
  if (others.length === 0) return only;
  return vscode.window.showQuickPick([...models], {
    title: title(),
    placeHolder: vscode.l10n.t('Select a model of {0}', writeUrl(baseUrl)),
    ignoreFocusOut: true,
  });
}

async function askModel(baseUrl: string): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title: title(),
    prompt: vscode.l10n.t('{0} does not list its models. Name of the model:', writeUrl(baseUrl)),
    ignoreFocusOut: true,
  });
  return name?.trim() === '' ? undefined : name?.trim();
}

/** Lists the models of an endpoint without a model and asks for one if there are several. */
export async function completeEndpoint(
  endpoint: ChosenEndpoint,
  apiKeys: ApiKeys,
): Promise<ChosenEndpoint | undefined> {
  const apiKey = await apiKeys.get(endpoint.baseUrl);
  const list = await listModels({ baseUrl: endpoint.baseUrl, apiKey });
  if (list.kind !== 'models' || list.models.length < 2) return endpoint; // the run says what is wrong
  const model = await chooseListed(list.models, endpoint.baseUrl);
  return model === undefined ? undefined : { ...endpoint, model };
}

/** Sends one request, so that a wrong name, key or server shows now and not in the next run. */
async function tryModel(endpoint: ChosenEndpoint, apiKeys: ApiKeys): Promise<void> {
  const { baseUrl, model, apiKeyEnv } = endpoint;
  if (model === undefined) return; // the next run asks for it
  const place = writeUrl(baseUrl);
  const apiKey = apiKeyEnv === undefined ? await apiKeys.get(baseUrl) : process.env[apiKeyEnv];
  const logger = { log: () => undefined };
  const reply = await withCancellableProgress(
    vscode.l10n.t('Trying {0} at {1}', model, place),
    ({ cancellation }) =>
      createEndpointModel({ baseUrl, model, apiKey, logger, details: false }).respond(
        { model, messages: [{ role: 'user', content: 'Reply with the word OK.' }] },
        cancellation,
        { episode: 0, call: 0, agentName: '', targetTag: '' },
      ),
  );
  if (reply === undefined) return;
  if (reply.kind === 'error') throw reply.report ?? new Error(reply.error.message);
  void vscode.window.showInformationMessage(
    vscode.l10n.t('{0} at {1} answers the runs of this workspace.', model, place),
  );
}

function recentEndpoints(state: vscode.Memento): readonly ChosenEndpoint[] {
  return state.get<readonly ChosenEndpoint[]>(recentKey, []);
}

async function remember(endpoint: ChosenEndpoint, state: vscode.Memento): Promise<void> {
  const others = recentEndpoints(state).filter(
    ({ baseUrl, model }) => baseUrl !== endpoint.baseUrl || model !== endpoint.model,
  );
  await state.update(recentKey, [endpoint, ...others].slice(0, recentLimit));
}
