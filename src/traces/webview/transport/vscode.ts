import type { GoMessage } from '../../core/viewerPage.ts';
import { isTraceReply, type Transport } from './transport.ts';

/** The object that VS Code gives each webview once. */
export interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** Requests and replies as the messages of a webview. */
export function editorTransport(editor: EditorApi, page: Window): Transport {
  return {
    send: (call) => editor.postMessage(call),
    onReply: (listener) =>
      page.addEventListener('message', (event: MessageEvent<unknown>) => {
        if (isTraceReply(event.data)) listener(event.data);
      }),
  };
}

/** Calls `go` when the editor sends a location as parameters of an address. */
export function onNavigate(page: Window, go: (route: URLSearchParams) => void): void {
  page.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (isGoMessage(data)) go(new URLSearchParams(data.go));
  });
}

function isGoMessage(data: unknown): data is GoMessage {
  return typeof data === 'object' && data !== null && 'go' in data && typeof data.go === 'string';
}
