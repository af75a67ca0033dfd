import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { CodedError, messageOf } from '../../base/core/errors.ts';
import { DisposableStore, toDisposable, type Disposable } from '../../base/core/disposable.ts';
import type { SourceView } from '../core/protocol/codeRpc.ts';
import { commands } from '../../base/core/ids.ts';
import { viewerPage, type ViewerTexts } from '../core/viewerPage.ts';
import { debugEpisode, type DebugParts } from './debugEpisode.ts';
import { HeldRuns } from './heldRuns.ts';
import { newestTraces, type ComparedRuns } from './comparedRuns.ts';
import { openViewers, showTrace } from './showTrace.ts';
import { TraceRelay } from './traceRelay.ts';

/** Shows `*.ajtrace` files. It reads nothing itself: the page sends requests, and the trace server answers. */
export class TraceEditorProvider implements vscode.CustomReadonlyEditorProvider, Disposable {
  readonly #parts: DebugParts;
  readonly #webFolder: vscode.Uri;
  readonly #compared: ComparedRuns;
  readonly #relays = new Map<string, Set<TraceRelay>>();
  readonly #places = new Map<string, string>();
  readonly #held = new HeldRuns((trace, held) => {
    for (const relay of this.#relays.get(trace) ?? []) relay.setHeld(held);
  });

  /** @param webFolder the folder of the viewer's script and style, which is all that its page may load from */
  constructor(parts: DebugParts, webFolder: vscode.Uri, compared: ComparedRuns) {
    this.#parts = parts;
    this.#compared = compared;
    this.#webFolder = webFolder;
  }

  dispose(): void {
    this.#held.dispose();
  }

  /** @param place parameters of the viewer's address */
  go(trace: string, place: string): void {
    const relays = this.#relays.get(trace) ?? new Set();
    if (relays.size === 0) this.#places.set(trace, place);
    for (const relay of relays) relay.go(place);
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    if (uri.scheme !== 'file') throw notOnDisk(uri);
    return { uri, dispose: () => undefined };
  }

  resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): void {
    const { webview } = panel;
    const store = new DisposableStore();
    const relay = new TraceRelay(this.#parts.client, uri.fsPath, (reply) => void webview.postMessage(reply), {
      show: showSource,
      debug: (trace, episode, call) => debugEpisode(this.#parts, { trace, episode, call }),
      otherRun: (trace) => this.#compared.ask(trace),
      mayRead: (trace) => this.#compared.has(trace),
      runs: (trace) => newestTraces(trace),
      openRun: (trace) => showTrace(vscode.Uri.file(trace), { beside: false }),
    });
    store.add(relay);
    store.add(this.#keep(uri.fsPath, relay));
    store.add(webview.onDidReceiveMessage((message: unknown) => relay.receive(message)));
    store.add(
      panel.onDidChangeViewState(() => {
        if (!panel.visible) relay.pageGone();
      }),
    );
    panel.onDidDispose(() => store.dispose());
    webview.options = {
      enableScripts: true,
      localResourceRoots: [this.#webFolder],
      enableCommandUris: [commands.fetchTokenizer],
    };
    webview.html = this.#page(webview, uri.fsPath);
  }

  #keep(trace: string, relay: TraceRelay): Disposable {
    const relays = this.#relays.get(trace) ?? new Set();
    this.#relays.set(trace, relays.add(relay));
    relay.setHeld(this.#held.isHeld(trace));
    const place = this.#places.get(trace);
    if (place !== undefined) relay.go(place);
    this.#places.delete(trace);
    return toDisposable(() => relays.delete(relay));
  }

  #page(webview: vscode.Webview, trace: string): string {
    const asset = (name: string): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(this.#webFolder, name)).toString();
    return viewerPage({
      nonce: randomBytes(16).toString('base64url'),
      cspSource: webview.cspSource,
      scriptUri: asset('trace.js'),
      styleUri: asset('trace.css'),
      boot: { transport: 'vscode', trace, texts: viewerTexts() },
    });
  }
}

function viewerTexts(): ViewerTexts | undefined {
  const { bundle } = vscode.l10n;
  return bundle && { language: vscode.env.language, bundle };
}

function notOnDisk(uri: vscode.Uri): CodedError {
  return new CodedError({
    code: 'trace/not-on-disk',
    message: vscode.l10n.t(
      'A trace can only be opened from a local disk, and {0} is not on one.',
      uri.toString(true),
    ),
    hint: vscode.l10n.t('Save it to a local folder, and open it from there.'),
  });
}

/** Opens source code of a workflow next to the viewer. Other files are refused: traces come from anywhere. */
async function showSource({ file, line, column, state }: SourceView): Promise<void> {
  if (!/\.(?:py|pyw|[cm]?[jt]sx?)$/i.test(file)) throw notCode(file);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file)).then(
    (opened) => opened,
    (error: unknown) => Promise.reject(cannotOpen(file, error)),
  );
  const at = new vscode.Position(Math.min(line, document.lineCount) - 1, Math.max((column ?? 1) - 1, 0));
  await vscode.window.showTextDocument(document, {
    viewColumn: columnBesideViewers(),
    selection: new vscode.Range(at, at),
  });
  if (state === 'changed') {
    vscode.window.setStatusBarMessage(
      vscode.l10n.t('The file has changed since the run: the line may have moved.'),
      messageTime,
    );
  }
}

/** Milliseconds. */
const messageTime = 8_000;

/** Returns the column with the user's code; otherwise a column next to the viewers. */
function columnBesideViewers(): vscode.ViewColumn {
  const taken = new Set(openViewers().map(({ column }) => column));
  const free = vscode.window.tabGroups.all.find(({ viewColumn }) => !taken.has(viewColumn));
  return free?.viewColumn ?? vscode.ViewColumn.Beside;
}

function notCode(file: string): CodedError {
  return new CodedError({
    code: 'trace/not-code',
    message: vscode.l10n.t(
      'The trace names {0}, which is not a TypeScript, JavaScript or Python file.',
      file,
    ),
    hint: vscode.l10n.t('If you trust the trace, open the file yourself.'),
  });
}

function cannotOpen(file: string, cause: unknown): CodedError {
  return new CodedError({
    code: 'trace/source-gone',
    message: vscode.l10n.t('{0} cannot be opened: {1}', file, messageOf(cause)),
    hint: vscode.l10n.t('Restore the file to its location during the run.'),
    cause,
  });
}
