import { boot } from './boot.ts'; // first: what follows has its texts made as it loads
import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import type { ErrorReport } from '../../base/core/errors.ts';
import { tokenParameter } from '../core/viewerPage.ts';
import { App } from './App.tsx';
import { browserMemory, editorMemory } from './state/memory.ts';
import { browserNavigator, editorNavigator, fragmentOf } from './state/navigator.ts';
import { parseRoute } from './state/route.ts';
import {
  createTraceClient,
  editorTransport,
  onHeld,
  onNavigate,
  type EditorApi,
} from './transport/transport.ts';
import { httpTransport } from './transport/http.ts';
import { Failure } from '../../base/webview/ui/Notices.tsx';
import './styles/index.css';

/** VS Code's function, which exists only in a webview. */
declare function acquireVsCodeApi(): EditorApi;

const noToken: ErrorReport = {
  code: 'viewer/no-token',
  message: l10n.t('The token of the trace server is missing from this address.'),
  hint: l10n.t(
    'Open the full address that the server printed when it started, including everything after the #.',
  ),
};

function start(root: HTMLElement): void {
  const { trace, transport } = boot;
  if (transport === 'vscode') {
    const editor = acquireVsCodeApi();
    const client = createTraceClient(editorTransport(editor, window));
    const memory = editorMemory(editor);
    const navigator = editorNavigator(memory);
    onNavigate(window, (route) => navigator.go(parseRoute(route)));
    const followHeld = (tell: (held: boolean) => void) => onHeld(window, tell);
    render(<App {...{ client, trace, navigator, memory, followHeld }} />, root);
    return;
  }
  const token = fragmentOf(window).get(tokenParameter);
  if (token === null) {
    render(<Failure report={noToken} />, root);
    return;
  }
  const client = createTraceClient(httpTransport({ token, trace }));
  const memory = browserMemory(window, trace);
  const navigator = browserNavigator(window, memory);
  render(<App client={client} trace={trace} navigator={navigator} memory={memory} />, root);
}

const root = document.getElementById('agentjet-viewer');
if (root) start(root);
