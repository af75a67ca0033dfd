import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import {
  backboneProcesses,
  breakAt,
  Conversation,
  inConversation,
  fileUri,
  lineOf,
  workspaceFolder,
} from './debugging.ts';
import { stackOf } from './runs.ts';

const insideExecute = 'const completion = await client.chat.completions.create({';

describe('debugging a workflow', () => {
  let debug: Conversation;

  inConversation((one) => (debug = one));

  it('stops inside the workflow, reads the task, and runs on to the rewards', async () => {
    const line = await lineOf('workflow.ts', insideExecute);
    breakAt('workflow.ts', line);
    await debug.launch({ tasks: 1, repeat: 2 });
    const frame = await debug.stopped();
    assert.equal(frame.file, fileUri('workflow.ts').fsPath);
    assert.equal(frame.line, line + 1);
    assert.match(frame.name, /execute/);
    const query = await debug.evaluate(frame, 'workflowTask.task.main_query');
    assert.match(query, /14 \+ 9 - 6/);
    const stack = await stackOf(frame);
    assert.equal(stack.at(-1)?.name, frame.name, 'nothing is below the code of the user');
    await debug.until(
      'the session has the name of the episode',
      () => frame.session.name === 'train-001 · repeat 0',
    );
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    await debug.request(frame, 'continue');
    await debug.ended();
    assert.match(debug.output(), /task train-001, repeat 0: reward [01]/);
    assert.match(debug.output(), /task train-001, repeat 1: reward [01]/);
    assert.match(debug.output(), /mean reward/);
    assert.deepEqual(
      debug
        .sessions()
        .map((session) => session.type)
        .sort(),
      ['agentjet', 'pwa-node', 'pwa-node'],
    );
  });

  it('keeps to one episode at a time, and lists it as a thread', async () => {
    breakAt('workflow.ts', await lineOf('workflow.ts', insideExecute));
    await debug.launch({ tasks: 2, repeat: 1 });
    await debug.stopped();
    const parent = debug.sessions().find((session) => session.type === 'agentjet');
    const { threads } = (await parent?.customRequest('threads')) as { threads: { name: string }[] };
    assert.deepEqual(
      threads.map(({ name }) => name),
      ['train-001 · repeat 0'],
    );
  });

  it('stops where a condition holds', async () => {
    breakAt('workflow.ts', await lineOf('workflow.ts', insideExecute), {
      condition: 'workflowTask.taskThreadIndex === 2',
    });
    await debug.launch({ tasks: 2, repeat: 2 });
    const frame = await debug.stopped();
    assert.equal(await debug.evaluate(frame, 'workflowTask.taskTag'), "'Ttrain-002#R0'");
  });

  it('prints a logpoint once and does not stop', async () => {
    breakAt('workflow.ts', await lineOf('workflow.ts', 'const reply = completion.choices[0]'), {
      log: 'call {call} of episode {workflowTask.taskThreadIndex}',
    });
    await debug.launch({ tasks: 1, repeat: 1 });
    await debug.ended();
    assert.equal(debug.events('stopped').length, 0);
    assert.equal(debug.output().split('call 1 of episode 0').length - 1, 1, debug.output());
  });

  it('steps into a tool', async () => {
    breakAt('workflow.ts', await lineOf('workflow.ts', '? runCalculate(toolCall'));
    await debug.launch({ tasks: 1, repeat: 1 });
    const frame = await debug.stopped();
    await debug.request(frame, 'stepIn');
    const inside = await debug.stopped(2);
    assert.equal(inside.file, fileUri('tools.ts').fsPath);
    assert.match(inside.name, /runCalculate/);
  });

  it('stops in the judge', async () => {
    breakAt('judge.ts', await lineOf('judge.ts', 'const isSuccess = given === expected'));
    await debug.launch({ tasks: 1, repeat: 1 });
    const frame = await debug.stopped();
    assert.equal(frame.file, fileUri('judge.ts').fsPath);
    assert.match(await debug.evaluate(frame, 'expected'), /17/);
  });

  it('stops in the judge that scores a trace again', async () => {
    await debug.launch({ tasks: 1, repeat: 1 }, true);
    await debug.ended();
    // Runs of other tests, which they stopped, have left traces as well.
    const trace = /^trace: (.+\.ajtrace)$/m.exec(debug.output())?.[1];
    assert.ok(trace, 'the run left a trace');
    breakAt('judge.ts', await lineOf('judge.ts', 'const isSuccess = given === expected'));
    const again = new Conversation();
    try {
      await again.launch({ judgeTrace: trace });
      const frame = await again.stopped();
      assert.equal(frame.file, fileUri('judge.ts').fsPath);
      assert.match(await again.evaluate(frame, 'expected'), /^'\d+'$/);
      vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
      await again.request(frame, 'continue');
      await again.ended();
      assert.match(again.output(), /recorded +reward +difference/);
    } finally {
      await again.dispose();
    }
  });

  it('sees a saved edit after a restart', async () => {
    const line = await lineOf('workflow.ts', insideExecute);
    // Breakpoints move with the text of an open editor.
    await vscode.window.showTextDocument(fileUri('workflow.ts'));
    breakAt('workflow.ts', line);
    await debug.launch({ tasks: 1, repeat: 1 });
    await debug.stopped();
    await edit('workflow.ts', line, '      const edited = 6 * 7;\n');
    try {
      await vscode.commands.executeCommand('workbench.action.debug.restart');
      const frame = await debug.stopped(2);
      assert.equal(frame.line, line + 2);
      assert.equal(await debug.evaluate(frame, 'edited'), '42');
    } finally {
      await edit('workflow.ts', line, undefined);
    }
  });

  it('leaves no process behind when it is stopped at a breakpoint', async () => {
    breakAt('workflow.ts', await lineOf('workflow.ts', insideExecute));
    await debug.launch();
    await debug.stopped();
    assert.ok(backboneProcesses().length > 0);
    await vscode.debug.stopDebugging();
    await debug.ended();
    await debug.until('no process of a run is left', () => backboneProcesses().length === 0);
  });

  it('says what is wrong with a workflow that is not there', async () => {
    const config = await vscode.workspace.openTextDocument(fileUri('math_agent.yaml'));
    const broken = config.getText().replace('workflow.ts->', 'nowhere.ts->');
    await vscode.workspace.fs.writeFile(fileUri('broken.yaml'), new TextEncoder().encode(broken));
    await debug.launch({ config: fileUri('broken.yaml').fsPath });
    await debug.ended();
    assert.match(debug.output(), /nowhere\.ts/);
    assert.match(debug.output(), /broken\.yaml:21/);
    assert.deepEqual(
      debug.events('exited').map((event) => (event.body as { exitCode: number }).exitCode),
      [2],
    );
  });

  it('runs without debugging', async () => {
    breakAt('workflow.ts', await lineOf('workflow.ts', insideExecute));
    await debug.launch({ tasks: 1 }, true);
    await debug.ended();
    assert.equal(debug.events('stopped').length, 0);
    assert.match(debug.output(), /mean reward/);
  });
});

/** Inserts a line before `line`, or takes the one there away, and saves. */
async function edit(name: string, line: number, text: string | undefined): Promise<void> {
  const change = new vscode.WorkspaceEdit();
  if (text === undefined) change.delete(fileUri(name), new vscode.Range(line, 0, line + 1, 0));
  else change.insert(fileUri(name), new vscode.Position(line, 0), text);
  assert.ok(await vscode.workspace.applyEdit(change));
  const document = await vscode.workspace.openTextDocument(fileUri(name));
  assert.ok(await document.save(), `${workspaceFolder().name}/${name} is saved`);
}
