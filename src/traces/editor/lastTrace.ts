import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { partsOf } from '../node/store/fileParts.ts';

const key = 'agentjet.lastTrace';

/** Finds the newest trace among the runs of this window, in any folder, and the traces in its folders. */
export class LastTrace {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  async remember(trace: string): Promise<void> {
    await this.#state.update(key, trace);
  }

  async find(): Promise<vscode.Uri | undefined> {
    const remembered = this.#state.get<string>(key);
    const found = await vscode.workspace.findFiles('**/*.ajtrace', '**/node_modules/**');
    const files = found.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
    const candidates = [...files, ...(remembered === undefined ? [] : [remembered])];
    const dated = await Promise.all(candidates.map(async (file) => ({ file, time: await changedAt(file) })));
    const newest = dated.filter(({ time }) => time > 0).sort((a, b) => b.time - a.time)[0];
    return newest && vscode.Uri.file(newest.file);
  }
}

/** Returns milliseconds since the Unix epoch; 0: the file is gone. While a run is active, its journal changes. */
async function changedAt(file: string): Promise<number> {
  const [own = 0, ...others] = await Promise.all(partsOf(file).map(writtenAt));
  return own === 0 ? 0 : Math.max(own, ...others);
}

async function writtenAt(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return 0; // not there, or out of reach
  }
}
