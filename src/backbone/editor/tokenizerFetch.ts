import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import * as vscode from 'vscode';
import { compose } from '../../configs/core/compose.ts';
import { localFiles } from '../../base/node/files.ts';
import { fetchTokenizer, type FetchProgress } from '../node/tokenizer/fetch.ts';
import { isModelId, ownCache } from '../node/tokenizer/modelCaches.ts';
import { withCancellableProgress } from '../../base/editor/progress.ts';
import { workingFolder } from '../../configs/editor/choose/configIndex.ts';
import { targetOf } from '../../configs/editor/choose/target.ts';

const hub = 'https://huggingface.co';
const modelForExample = 'Qwen/Qwen2.5-7B-Instruct';

/**
 * Asks which model's tokenizer to fetch and brings it to where runs look for it.
 *
 * @param config the file of a config whose model is offered; other values: the active config
 */
export async function fetchModelTokenizer(config: unknown): Promise<void> {
  const model = await vscode.window.showInputBox({
    title: vscode.l10n.t('AgentJet: Fetch Tokenizer'),
    prompt: vscode.l10n.t('The id of the model on the hub, as in ajet.model.path'),
    placeHolder: modelForExample,
    value: await modelOf(typeof config === 'string' ? await configAt(config) : activeConfig()),
    validateInput: (text) =>
      isModelId(text.trim()) ? undefined : vscode.l10n.t('Enter an id, for example {0}.', modelForExample),
    ignoreFocusOut: true,
  });
  if (model === undefined) return;
  const folder = await fetchWithProgress(model.trim());
  if (folder === undefined) return;
  void vscode.window.showInformationMessage(
    vscode.l10n.t(
      'The tokenizer of {0} is in {1}. Runs whose ajet.model.path is {0} use it.',
      model.trim(),
      folder,
    ),
  );
}

/** Fetches a tokenizer with a progress message. Resolves to undefined on cancellation. */
function fetchWithProgress(model: string): Thenable<string | undefined> {
  const title = vscode.l10n.t('Fetching the tokenizer of {0}', model);
  return withCancellableProgress(title, ({ cancellation, report }) => {
    const places = { env: process.env, home: homedir(), platform: process.platform };
    return fetchTokenizer({
      model,
      endpoint: hubAddress(),
      token: process.env['HF_TOKEN'],
      to: path.join(ownCache(places), ...model.split('/')),
      cancellation,
      progress: (state) => report({ message: worded(state) }),
    });
  });
}

/** Returns the address of the hub, or of the mirror that the environment names. */
function hubAddress(): string {
  const own = process.env['HF_ENDPOINT'];
  return own === undefined || own === '' ? hub : own;
}

function worded({ file, received, total }: FetchProgress): string {
  const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
  return total === undefined
    ? vscode.l10n.t('{0}: {1} MB', file, megabytes(received))
    : vscode.l10n.t('{0}: {1} of {2} MB', file, megabytes(received), megabytes(total));
}

interface ConfigText {
  readonly uri: vscode.Uri;
  readonly text: string;
}

function activeConfig(): ConfigText | undefined {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || targetOf(document)?.kind !== 'config') return undefined;
  return { uri: document.uri, text: document.getText() };
}

async function configAt(file: string): Promise<ConfigText | undefined> {
  const text = await localFiles.readText(file).catch(() => undefined); // the user enters the model
  return text === undefined ? undefined : { uri: vscode.Uri.file(file), text };
}

/** Returns the id of the model of a config; empty: it has none. */
async function modelOf(of: ConfigText | undefined): Promise<string> {
  if (of === undefined) return '';
  const { config } = await compose({
    file: of.uri.fsPath,
    text: of.text,
    cwd: workingFolder(of.uri),
    files: localFiles,
    paths: path,
    environment: (name) => process.env[name],
  });
  const model = config.get('ajet.model.path')?.value;
  return typeof model === 'string' && isModelId(model) ? model : '';
}
