import { isTraceReply, type Transport } from './transport.ts';

/** What the editor gives each webview, once. */
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
