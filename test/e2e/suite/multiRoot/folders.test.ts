import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { backboneProcesses, Conversation } from '../debugging.ts';
import { folder, inFolder } from './roots.ts';

/** Both folders hold the same example: only the right folder tells a right run from a wrong one. */
describe('a workspace of two folders', () => {
  let debug: Conversation;

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(async () => {
    await debug.dispose();
    await debug.until('no process of a run is left', () => backboneProcesses().length === 0);
  });

  it('runs the config in front in its own folder', async () => {
    await breakInBoth();
    await vscode.window.showTextDocument(inFolder('second', 'math_agent.yaml'));
    await vscode.commands.executeCommand('agentjet.debug');
    await stoppedIn('second');
  });

  it('runs the config that a menu names, whatever is in front', async () => {
    await breakInBoth();
    await vscode.window.showTextDocument(inFolder('first', 'math_agent.yaml'));
    await vscode.commands.executeCommand('agentjet.debug', inFolder('second', 'math_agent.yaml'));
    await stoppedIn('second');
  });

  it('finds the config of the workflow in front in its own folder', async () => {
    await breakInBoth();
    await vscode.window.showTextDocument(inFolder('second', 'workflow.ts'));
    await vscode.commands.executeCommand('agentjet.debug');
    await stoppedIn('second');
  });

  it('starts what F5 starts in the folder of the file in front', async () => {
    await breakInBoth();
    await vscode.window.showTextDocument(inFolder('second', 'math_agent.yaml'));
    await vscode.commands.executeCommand('workbench.action.debug.start');
    await stoppedIn('second');
  });

  it("takes a launch.json's workspaceFolder to be the folder it lies in", async () => {
    await breakInBoth();
    const launch = {
      type: 'agentjet',
      request: 'launch',
      name: 'Second',
      config: '${workspaceFolder}/math_agent.yaml',
      expDir: '${workspaceFolder}/runs',
    };
    await vscode.workspace.fs.writeFile(
      inFolder('second', '.vscode/launch.json'),
      new TextEncoder().encode(JSON.stringify({ version: '0.2.0', configurations: [launch] })),
    );
    await started('second', 'Second');
    await stoppedIn('second');
    await vscode.workspace.fs.stat(inFolder('second', 'runs'));
  });

  it('resolves a relative config against the folder of the launch', async () => {
    await breakInBoth();
    const launch = { type: 'agentjet', request: 'launch', name: 'Relative', config: 'math_agent.yaml' };
    await started('second', launch);
    await stoppedIn('second');
  });

  async function stoppedIn(name: string): Promise<void> {
    const frame = await debug.stopped();
    const { fsPath } = folder(name).uri;
    assert.equal(frame.file, path.join(fsPath, 'workflow.ts'));
    assert.equal(await debug.evaluate(frame, 'process.cwd()'), `'${fsPath}'`);
  }
});

async function started(name: string, launch: string | vscode.DebugConfiguration): Promise<void> {
  assert.equal(await vscode.debug.startDebugging(folder(name), launch), true);
}

async function breakInBoth(): Promise<void> {
  for (const name of ['first', 'second']) {
    const uri = inFolder(name, 'workflow.ts');
    const lines = (await vscode.workspace.openTextDocument(uri)).getText().split('\n');
    const line = lines.findIndex((text) => text.includes('const completion = await'));
    const location = new vscode.Location(uri, new vscode.Position(line, 0));
    vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(location)]);
  }
}
