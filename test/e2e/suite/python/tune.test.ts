/** A script that calls `tune` of AgentScope's tuner, debugged: its functions run on the debug backbone. */
import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { breakAt, type Conversation, inConversation, fileUri, lineOf } from '../debugging.ts';

describe('debugging a script that calls tune', () => {
  let debug: Conversation;

  inConversation((one) => (debug = one));

  async function commandsAbove(file: string, line: number): Promise<string[]> {
    const uri = fileUri(file);
    await vscode.window.showTextDocument(uri);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      uri,
    );
    return lenses.flatMap(({ range, command }) =>
      range.start.line === line && command?.command.startsWith('agentjet.') === true
        ? [`${command.command} ${path.basename((command.arguments?.[0] as vscode.Uri).fsPath)}`]
        : [],
    );
  }

  it('stops in the workflow and in the judge, and goes on to its end', async () => {
    await vscode.extensions.getExtension('agentjet.agentjet')?.activate();
    const call = await lineOf('tune/main.py', 'tune(');
    assert.deepEqual(await commandsAbove('tune/main.py', call), [
      'agentjet.debug main.py',
      'agentjet.run main.py',
    ]);
    const inWorkflow = await lineOf('tune/solver.py', 'reply = await model');
    const inJudge = await lineOf('tune/main.py', 'truth = task');
    const after = await lineOf('tune/main.py', 'print(');
    breakAt('tune/solver.py', inWorkflow);
    breakAt('tune/main.py', inJudge);
    breakAt('tune/main.py', after);
    await debug.launch({
      config: fileUri('tune/main.py').fsPath,
      python: process.env['AGENTJET_E2E_PYTHON'],
      tasks: 1,
      repeat: 1,
    });
    const frame = await debug.stopped();
    assert.deepEqual(
      [frame.file, frame.line, frame.name],
      [fileUri('tune/solver.py').fsPath, inWorkflow + 1, 'solve'],
    );
    assert.equal(await debug.evaluate(frame, "task['question']"), "'What is 4 + 5?'");
    assert.equal(await debug.evaluate(frame, 'model.model_name'), "'Qwen/Qwen3-0.6B'");
    assert.match(await debug.evaluate(frame, '__import__("asyncio").current_task().get_name()'), /T0#R0/);
    await debug.request(frame, 'continue');
    const judge = await debug.stopped(2);
    assert.deepEqual([judge.file, judge.line], [fileUri('tune/main.py').fsPath, inJudge + 1]);
    assert.match(await debug.evaluate(judge, 'response'), /boxed/);
    await debug.request(judge, 'continue');
    const script = await debug.stopped(3);
    assert.deepEqual([script.file, script.line], [fileUri('tune/main.py').fsPath, after + 1]);
    assert.equal(await debug.evaluate(script, '__name__'), "'__main__'");
    await debug.request(script, 'continue');
    await debug.ended();
    assert.match(debug.output(), /task 0, repeat 0: reward [01]/);
    assert.match(debug.output(), /The script goes on\./);
  });
});
