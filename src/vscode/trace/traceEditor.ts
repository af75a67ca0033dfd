import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { CodedError } from '../../base/errors.ts';
import { DisposableStore } from '../../base/disposable.ts';
import type { TraceClient } from '../../protocol/traceRpc.ts';
import { viewerPage } from '../../trace/viewerPage.ts';
import { TraceRelay } from './traceRelay.ts';

/** Shows `*.ajtrace` files. Nothing is read here: the page asks, and the trace server answers. */
export class TraceEditorProvider implements vscode.CustomReadonlyEditorProvider {
  readonly #client: TraceClient;
  readonly #webFolder: vscode.Uri;

  /** @param webFolder that of the viewer's script and style, and all that its page may load from */
  constructor(client: TraceClient, webFolder: vscode.Uri) {
    this.#client = client;
    this.#webFolder = webFolder;
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    if (uri.scheme !== 'file') throw notOnDisk(uri);
    return { uri, dispose: () => undefined };
  }

  resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): void {
    const { webview } = panel;
    const store = new DisposableStore();
    const relay = new TraceRelay(this.#client, uri.fsPath, (reply) => void webview.postMessage(reply));
    store.add(relay);
    store.add(webview.onDidReceiveMessage((message: unknown) => relay.receive(message)));
    store.add(
      panel.onDidChangeViewState(() => {
        if (!panel.visible) relay.pageGone();
      }),
    );
    panel.onDidDispose(() => store.dispose());
    webview.options = { enableScripts: true, localResourceRoots: [this.#webFolder] };
    webview.html = this.#page(webview, uri.fsPath);
  }

  #page(webview: vscode.Webview, trace: string): string {
    const asset = (name: string): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(this.#webFolder, name)).toString();
    return viewerPage({
      nonce: randomBytes(16).toString('base64url'),
      cspSource: webview.cspSource,
      scriptUri: asset('trace.js'),
      styleUri: asset('trace.css'),
      boot: { transport: 'vscode', trace },
    });
  }
}

function notOnDisk(uri: vscode.Uri): CodedError {
  return new CodedError({
    code: 'trace/not-on-disk',
    message: `A trace can only be shown from disk, and ${uri.toString(true)} is not on this machine's.`,
    hint: 'Save it to a folder of this machine and open it from there.',
  });
}
