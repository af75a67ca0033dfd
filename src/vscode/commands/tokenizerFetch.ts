import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import * as vscode from 'vscode';
import { CancellationSource } from '../../base/cancellation.ts';
import { compose } from '../../config/compose.ts';
import { localFiles } from '../../node/files.ts';
import { fetchTokenizer, type FetchProgress } from '../../node/tokenizer/fetch.ts';
import { isModelId, ownCache } from '../../node/tokenizer/places.ts';
import { workingFolder } from '../debug/configIndex.ts';
import { targetOf } from '../debug/target.ts';

const hub = 'https://huggingface.co';

/** Asks which model's tokenizer to fetch and brings it to where runs look for it. */
export async function fetchModelTokenizer(): Promise<void> {
  const model = await vscode.window.showInputBox({
    title: 'AgentJet: Fetch Tokenizer',
    prompt: 'The id of the model on the hub, as in ajet.model.path',
    placeHolder: 'Qwen/Qwen2.5-7B-Instruct',
    value: await modelOfActiveConfig(),
    validateInput: (text) =>
      isModelId(text.trim()) ? undefined : 'An id such as Qwen/Qwen2.5-7B-Instruct is needed.',
    ignoreFocusOut: true,
  });
  if (model === undefined) return;
  const folder = await fetchWithProgress(model.trim());
  if (folder === undefined) return;
  void vscode.window.showInformationMessage(
    `The tokenizer of ${model.trim()} is in ${folder}. Runs whose ajet.model.path is ${model.trim()} use it.`,
  );
}

/** Undefined when cancelled. */
function fetchWithProgress(model: string): Thenable<string | undefined> {
  const title = `Fetching the tokenizer of ${model}`;
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
    const cancellation = new CancellationSource();
    const listening = token.onCancellationRequested(() => cancellation.cancel());
    try {
      const places = { env: process.env, home: homedir(), platform: process.platform };
      return await fetchTokenizer({
        model,
        endpoint: hubAddress(),
        token: process.env['HF_TOKEN'],
        to: path.join(ownCache(places), ...model.split('/')),
        cancellation: cancellation.token,
        progress: (state) => progress.report({ message: worded(state) }),
      });
    } finally {
      listening.dispose();
    }
  });
}

/** A mirror's, where the environment names one. */
function hubAddress(): string {
  const own = process.env['HF_ENDPOINT'];
  return own === undefined || own === '' ? hub : own;
}

function worded({ file, received, total }: FetchProgress): string {
  const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
  return `${file}: ${megabytes(received)}${total === undefined ? '' : ` of ${megabytes(total)}`} MB`;
}

/** Empty where no config is in front, or its model is a folder. */
async function modelOfActiveConfig(): Promise<string> {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || targetOf(document)?.kind !== 'config') return '';
  const { config } = await compose({
    file: document.uri.fsPath,
    text: document.getText(),
    cwd: workingFolder(document.uri),
    files: localFiles,
    paths: path,
    environment: (name) => process.env[name],
  });
  const model = config.get('ajet.model.path')?.value;
  return typeof model === 'string' && isModelId(model) ? model : '';
}
