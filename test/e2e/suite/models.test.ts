import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import { Conversation, fileUri } from './debugging.ts';

describe('what answers the LLM calls', () => {
  let debug: Conversation;

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(async () => {
    await debug.dispose();
  });

  it('is the person at the keyboard', async () => {
    await debug.launch({ tasks: 1, repeat: 1, model: 'human' });
    await debug.until('a place for the answer is in front', () => answerInFront() !== undefined);
    const answer = answerInFront();
    assert.ok(answer);
    const shown = vscode.window.visibleTextEditors.map(({ document }) => document.getText()).join('\n');
    assert.match(shown, /### user\n[^]*14 \+ 9 - 6/);
    await write(answer, 'tool guess {}');
    await vscode.commands.executeCommand('agentjet.sendAnswer');
    const problems = (): vscode.Diagnostic[] => vscode.languages.getDiagnostics(answer.document.uri);
    await debug.until('the answer is refused', () => problems().length === 1);
    assert.match(problems()[0]?.message ?? '', /no tool "guess"/);
    await write(answer, 'I give up: \\boxed{0}');
    await vscode.commands.executeCommand('agentjet.sendAnswer');
    await debug.ended();
    assert.match(debug.output(), /task train-001, repeat 0: reward 0/);
    await debug.until('its documents are closed', () => answerTabs() === 0);
  });

  it('is a recording, when the server that was recorded has gone', async () => {
    const file = fileUri('recorded-calls.jsonl').fsPath;
    const server = await answeringServer();
    const { port } = server.address() as AddressInfo;
    const configuration = {
      ...{ tasks: 1, repeat: 1, model: 'endpoint' },
      endpoint: { baseUrl: `http://127.0.0.1:${port}/v1`, model: 'tiny' },
    };
    try {
      await debug.launch({ ...configuration, record: file }, true);
      await debug.ended();
      server.close();
      server.closeAllConnections();
      const lived = debug.output();
      await debug.launch({ ...configuration, replay: file });
      await debug.until('the replay runs', () => debug.sessions().length > 1);
      await debug.ended();
      const rewards = debug.output().match(/repeat 0: reward [^,]*/g);
      assert.equal(rewards?.length, 2, debug.output());
      assert.equal(rewards[0], rewards[1]);
      assert.match(debug.output().slice(lived.length), /model recording recorded-calls\.jsonl/);
    } finally {
      server.close();
      await rm(file, { force: true });
    }
  });
});

function answerInFront(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor?.document.uri.scheme === 'agentjet-answer' && editor.document.getText() === ''
    ? editor
    : undefined;
}

function answerTabs(): number {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter(
    ({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === 'agentjet-answer',
  ).length;
}

async function write({ document }: vscode.TextEditor, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  assert.equal(await vscode.workspace.applyEdit(edit), true);
}

async function answeringServer(): Promise<Server> {
  const message = { role: 'assistant', content: 'It is \\boxed{7}.' };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const completion = { id: 'c', object: 'chat.completion', created: 1, model: 'tiny', choices };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(completion));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
