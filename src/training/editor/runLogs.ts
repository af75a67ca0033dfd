import * as vscode from 'vscode';
import { CancellationSource } from '../../base/core/cancellation.ts';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { formatReport, toReport } from '../../base/core/errors.ts';
import type { RunRecord } from '../core/protocol/runs.ts';
import type { RunRef } from '../core/page/trainingRunRpc.ts';
import type { ClientConnection } from '../core/wire/clientConnection.ts';
import { runTitle } from './hostText.ts';
import { LogTexts, mainSource, type LoggedRun } from './logTexts.ts';

/** The editor's language for logs, which colors levels, times and errors. */
const logLanguage = 'log';

interface FollowedHost {
  readonly connection: Pick<ClientConnection, 'follow'>;
}

type ShownRun = LoggedRun & Pick<RunRecord, 'id' | 'name'>;

/** The output channels of runs, one per actor. They receive events as long as the window is open. */
export class RunLogs implements Disposable {
  readonly #store = new DisposableStore();
  readonly #runs = new Map<string, RunLog>();
  readonly #log: vscode.LogOutputChannel;

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
  }

  show(host: string, link: FollowedHost, run: ShownRun): void {
    const key = `${host} ${run.id}`;
    let log = this.#runs.get(key);
    if (log === undefined || log.isOver) {
      log?.dispose();
      log = this.#store.add(new RunLog(host, run, this.#log));
      this.#runs.set(key, log);
      void log.follow(link);
    }
    log.show();
  }

  shownBy(document: vscode.Uri): RunRef | undefined {
    return [...this.#runs.values()].find((log) => log.has(document))?.shown;
  }

  dispose(): void {
    this.#store.dispose();
  }
}

class RunLog implements Disposable {
  readonly shown: RunRef;
  readonly #run: ShownRun;
  readonly #log: vscode.LogOutputChannel;
  readonly #channels = new Map<string, vscode.OutputChannel>();
  readonly #cancellation = new CancellationSource();
  /** True after a failure. The next `show` starts again. */
  isOver = false;

  constructor(host: string, run: ShownRun, log: vscode.LogOutputChannel) {
    this.shown = { host, run: run.id };
    this.#run = run;
    this.#log = log;
  }

  show(): void {
    this.#channel(mainSource).show(true);
  }

  has(document: vscode.Uri): boolean {
    // The path of such a document ends with the name of its channel, after a number.
    return [...this.#channels.values()].some((channel) => document.path.endsWith(`-${channel.name}`));
  }

  dispose(): void {
    this.#cancellation.cancel();
    for (const channel of this.#channels.values()) channel.dispose();
    this.#channels.clear();
  }

  async follow({ connection }: FollowedHost): Promise<void> {
    const texts = new LogTexts(this.#run);
    const cancellation = this.#cancellation.token;
    try {
      for await (const events of connection.follow(this.shown.run, { after: 0 }, cancellation)) {
        this.#append(texts.add(events));
      }
      this.#append(texts.end());
    } catch (error) {
      this.isOver = true;
      if (cancellation.isCancelled) return;
      const report = formatReport(toReport(error, 'hosts/log'));
      this.#log.error(report);
      this.#channel(mainSource).appendLine(report);
    }
  }

  #append(texts: ReadonlyMap<string, string>): void {
    for (const [source, text] of texts) this.#channel(source).append(text);
  }

  #channel(source: string): vscode.OutputChannel {
    const known = this.#channels.get(source);
    if (known !== undefined) return known;
    const { id, name } = this.#run;
    const label = source === mainSource ? name : `${name} · ${source}`;
    const channel = vscode.window.createOutputChannel(runTitle({ name: label, id }), logLanguage);
    this.#channels.set(source, channel);
    return channel;
  }
}

export function registerLogLinks(logs: RunLogs, linksIn: LogLinker): Disposable {
  const provider: vscode.DocumentLinkProvider = {
    provideDocumentLinks: (document) => {
      const shown = logs.shownBy(document.uri);
      return shown && linksIn(document, shown);
    },
  };
  return vscode.languages.registerDocumentLinkProvider({ scheme: 'output', language: logLanguage }, provider);
}

export type LogLinker = (
  document: vscode.TextDocument,
  shown: RunRef,
) => vscode.ProviderResult<vscode.DocumentLink[]>;
