/** Workflows and judges in Python: debugpy's own session below ours, with no other extension. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { backboneProcesses, breakAt, Conversation, fileUri, lineOf } from '../debugging.ts';

describe('debugging a workflow in Python', () => {
  let debug: Conversation;

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(async () => {
    await debug.dispose();
    await debug.until(
      'no process of a run is left',
      () => backboneProcesses().length + backboneProcesses('agentjet_worker').length === 0,
    );
  });

  const launch = (attributes: object = {}): Promise<void> =>
    debug.launch({
      config: fileUri('py_math.yaml').fsPath,
      python: process.env['AGENTJET_E2E_PYTHON'],
      tasks: 1,
      repeat: 1,
      ...attributes,
    });

  it('stops in execute, in the tool and in the judge, and runs on to the reward', async () => {
    const inExecute = await lineOf(
      'agent.py',
      'completion = await client.chat.completions.create(messages=messages',
    );
    const inTool = await lineOf('agent.py', 'allowed = set(');
    const inJudge = await lineOf('judge.py', 'found = re.search');
    breakAt('agent.py', inExecute);
    breakAt('agent.py', inTool);
    breakAt('judge.py', inJudge);
    await launch();
    const frame = await debug.stopped();
    assert.equal(frame.file, fileUri('agent.py').fsPath);
    assert.equal(frame.line, inExecute + 1);
    assert.equal(frame.name, 'execute');
    assert.match(await debug.evaluate(frame, 'workflow_task.task.main_query'), /plums/);
    assert.equal(await debug.evaluate(frame, 'workflow_task.task_tag'), "'Ttrain-001#R0'");
    assert.match(
      await debug.evaluate(frame, '__import__("asyncio").current_task().get_name()'),
      /Ttrain-001#R0/,
    );
    const { threads } = (await frame.session.customRequest('threads')) as { threads: { name: string }[] };
    assert.deepEqual(
      threads.filter(({ name }) => name.includes('channel')),
      [],
    );
    await debug.request(frame, 'continue');
    const tool = await debug.stopped(2);
    assert.deepEqual([tool.file, tool.line], [fileUri('agent.py').fsPath, inTool + 1]);
    assert.match(await debug.evaluate(tool, 'expression'), /\d/);
    await debug.request(tool, 'continue');
    const judge = await debug.stopped(3);
    assert.deepEqual([judge.file, judge.line], [fileUri('judge.py').fsPath, inJudge + 1]);
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    await debug.request(judge, 'continue');
    await debug.ended();
    assert.match(debug.output(), /task train-001, repeat 0: reward [01]/);
    assert.deepEqual(
      debug
        .sessions()
        .map(({ type }) => type)
        .sort(),
      ['agentjet', 'agentjet-python'],
    );
  });

  it('leaves no process behind when it is stopped at a breakpoint', async () => {
    breakAt('judge.py', await lineOf('judge.py', 'expected = str('));
    await launch();
    await debug.stopped();
    assert.equal(backboneProcesses('agentjet_worker').length, 1);
  });

  it('lets no time run out while it is held', async () => {
    breakAt('agent.py', await lineOf('agent.py', 'return WorkflowOutput('));
    await launch({ episodeTimeout: 6 });
    const frame = await debug.stopped();
    const held = Date.now();
    await debug.until('more time has passed than an episode has', () => Date.now() - held > 7_000);
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    await debug.request(frame, 'continue');
    await debug.ended();
    assert.match(debug.output(), /task train-001, repeat 0: reward [01]/);
  });

  it('can be started from above the class', async () => {
    await vscode.extensions.getExtension('agentjet.agentjet')?.activate();
    const uri = fileUri('agent.py');
    await vscode.window.showTextDocument(uri);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      uri,
    );
    const line = await lineOf('agent.py', 'class MathAgent');
    const own = lenses.filter(({ range }) => range.start.line === line).map(({ command }) => command);
    const started = own.filter((command) => command?.command.startsWith('agentjet.'));
    assert.deepEqual(
      started.map((command) => `${command?.command ?? ''} ${String(command?.arguments?.[1])}`),
      ['agentjet.debug MathAgent', 'agentjet.run MathAgent'],
    );
  });
});
