import { render } from 'preact';
import type { ErrorReport } from '../base/errors.ts';
import { bootElementId, tokenParameter, type ViewerBoot } from '../trace/viewerPage.ts';
import { App } from './App.tsx';
import { browserNavigator, editorNavigator, fragmentOf } from './state/navigator.ts';
import { createTraceClient } from './transport/client.ts';
import { httpTransport } from './transport/http.ts';
import { editorTransport, type EditorApi } from './transport/vscode.ts';
import { Failure } from './ui/Notices.tsx';
import './styles/index.css';

/** The editor's own function, in the page of a webview only. */
declare function acquireVsCodeApi(): EditorApi;

const noToken: ErrorReport = {
  code: 'viewer/no-token',
  message: 'This address lacks the token of the trace server.',
  hint: 'Open the whole address that it printed when it started, with everything after the #.',
};

function start(root: HTMLElement): void {
  const { trace, transport } = bootOf(document);
  if (transport === 'vscode') {
    const editor = acquireVsCodeApi();
    const client = createTraceClient(editorTransport(editor, window));
    render(<App client={client} trace={trace} navigator={editorNavigator(editor)} />, root);
    return;
  }
  const token = fragmentOf(window).get(tokenParameter);
  if (token === null) {
    render(<Failure report={noToken} />, root);
    return;
  }
  const client = createTraceClient(httpTransport({ token, trace }));
  render(<App client={client} trace={trace} navigator={browserNavigator(window)} />, root);
}

function bootOf(page: Document): ViewerBoot {
  // Written by the page's own maker.
  return JSON.parse(page.getElementById(bootElementId)?.textContent ?? '') as ViewerBoot;
}

const root = document.getElementById('agentjet-viewer');
if (root) start(root);
