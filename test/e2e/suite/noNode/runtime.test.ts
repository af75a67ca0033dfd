import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { backboneProcesses, breakAt, Conversation, lineOf } from '../debugging.ts';

describe('a machine without Node on its PATH', () => {
  let debug: Conversation;

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(async () => {
    await setRuntime(undefined);
    await debug.dispose();
    await debug.until('no process of a run is left', () => backboneProcesses().length === 0);
  });

  it("runs workflows on the editor's own", async () => {
    breakAt('workflow.ts', await lineOf('workflow.ts', 'const completion = await'));
    await debug.launch({ tasks: 1, repeat: 1 });
    const frame = await debug.stopped();
    assert.equal(await debug.evaluate(frame, 'process.execPath'), `'${process.execPath}'`);
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    await debug.request(frame, 'continue');
    await debug.ended();
    assert.match(debug.output(), /mean reward/);
  });

  it('says that the Node of the setting is not there, and runs no other', async () => {
    await setRuntime('/nowhere/node');
    const refused = debug.launch({ tasks: 1, repeat: 1 });
    await assert.rejects(
      refused,
      /The configured Node\.js, \/nowhere\/node, does not exist\. .* Set 'agentjet\.runtimeExecutable' in the settings/s,
    );
    assert.equal(debug.output(), '');
    assert.deepEqual(backboneProcesses(), []);
  });

  it('takes the Node of the launch configuration over that of the setting', async () => {
    await setRuntime('/nowhere/node');
    await debug.launch({ tasks: 1, repeat: 1, runtimeExecutable: process.execPath }, true);
    await debug.ended();
    assert.match(debug.output(), /mean reward/);
  });
});

async function setRuntime(executable: string | undefined): Promise<void> {
  const target = vscode.ConfigurationTarget.Workspace;
  await vscode.workspace.getConfiguration('agentjet').update('runtimeExecutable', executable, target);
}
