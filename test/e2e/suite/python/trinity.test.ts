/** A Trinity-RFT config under F5, with the workflow and reward function that its plugin registers. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { breakAt, type Conversation, inConversation, fileUri, lineOf } from '../debugging.ts';

describe('debugging a Trinity-RFT workflow', () => {
  let debug: Conversation;

  inConversation((one) => (debug = one));

  it('stops in run and in the reward function, and runs on to the reward', async () => {
    const plugin = 'trinity/plugins/two_turns.py';
    const inRun = await lineOf(plugin, 'messages.append({"role": "assistant"');
    const inReward = await lineOf(plugin, 'right = truth in response');
    breakAt(plugin, inRun);
    breakAt(plugin, inReward);
    await debug.launch({
      config: fileUri('trinity/math.yaml').fsPath,
      python: process.env['AGENTJET_E2E_PYTHON'],
      pluginDirs: ['trinity/plugins'],
      tasks: 1,
      repeat: 1,
    });
    const frame = await debug.stopped();
    assert.deepEqual([frame.file, frame.line], [fileUri(plugin).fsPath, inRun + 1]);
    assert.equal(frame.name, 'run');
    assert.match(await debug.evaluate(frame, 'self.task.raw_task["question"]'), /3 \+ 4/);
    assert.equal(await debug.evaluate(frame, 'response.response_text == messages[-1]["content"]'), 'False');
    assert.equal(await debug.evaluate(frame, 'len(response.tokens) > response.prompt_length'), 'True');
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    breakAt(plugin, inReward);
    await debug.request(frame, 'continue');
    const reward = await debug.stopped(2);
    assert.deepEqual([reward.file, reward.line], [fileUri(plugin).fsPath, inReward + 1]);
    assert.equal(await debug.evaluate(reward, 'truth'), "'7'");
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    await debug.request(reward, 'continue');
    await debug.ended();
    assert.match(debug.output(), /task 0, repeat 0: reward [01]/);
    assert.deepEqual(
      debug
        .sessions()
        .map(({ type }) => type)
        .sort(),
      ['agentjet', 'agentjet-python'],
    );
  });

  it('can be started from the config and from above the class', async () => {
    await vscode.extensions.getExtension('agentjet.agentjet')?.activate();
    const started = async (file: string): Promise<string[]> => {
      const uri = fileUri(file);
      await vscode.window.showTextDocument(uri);
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        uri,
      );
      return lenses.flatMap(({ command, range }) =>
        command?.command === 'agentjet.debug'
          ? [`${range.start.line} ${String(command.arguments?.[1])}`]
          : [],
      );
    };
    assert.deepEqual(await started('trinity/math.yaml'), ['0 undefined']);
    const line = await lineOf('trinity/plugins/two_turns.py', 'class TwoTurns');
    assert.deepEqual(await started('trinity/plugins/two_turns.py'), [`${line} two_turns`]);
  });
});
