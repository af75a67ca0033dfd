import './boot.ts'; // first, because other modules create texts when they load
import { render } from 'preact';
import { isRecord } from '../../base/core/isRecord.ts';
import type { RunPageMessage } from '../core/page/trainingRunRpc.ts';
import { editorMemory } from '../../traces/webview/state/memory.ts';
import type { EditorApi } from '../../traces/webview/transport/transport.ts';
import { App } from './App.tsx';
import { RunPageModel } from './data/model.ts';
import './styles/index.css';

declare function acquireVsCodeApi(): EditorApi;

const types: readonly unknown[] = [
  'runs',
  'events',
  'rewound',
  'checkpoints',
  'gpus',
  'gpuHistory',
  'unheard',
  'gone',
  'connection',
];

/** Returns true for messages of the extension. A webview also receives other messages. */
function isPageMessage(data: unknown): data is RunPageMessage {
  return isRecord(data) && types.includes(data['type']);
}

function start(root: HTMLElement): void {
  const editor = acquireVsCodeApi();
  const model = new RunPageModel(() => Date.now());
  window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (isPageMessage(data)) model.take(data);
  });
  render(
    <App model={model} memory={editorMemory(editor)} ask={(message) => editor.postMessage(message)} />,
    root,
  );
}

const root = document.getElementById('agentjet-viewer');
if (root) start(root);
