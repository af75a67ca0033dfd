/** Workflows and judges in Python: debugpy's own session below ours, with no other extension. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import {
  backboneProcesses,
  breakAt,
  type Conversation,
  inConversation,
  type Frame,
  fileUri,
  lineOf,
} from '../debugging.ts';
import { stackOf } from '../runs.ts';
import { stoppedAgain } from '../replay.ts';
import { lensesUntil, type RunLens } from '../runLenses.ts';

const failing = `from ajet import Workflow


class Failing(Workflow):
    async def execute(self, workflow_task, tuner):
        caught()
        return parse("no number")

def parse(text):
    return int(text)


def caught():
    try:
        parse("x")
    except ValueError:
        pass
`;

async function setPython(file: string | undefined): Promise<void> {
  const target = vscode.ConfigurationTarget.Workspace;
  await vscode.workspace.getConfiguration('agentjet').update('python', file, target);
}

describe('debugging a workflow in Python', () => {
  let debug: Conversation;

  inConversation((one) => (debug = one));

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

  it('stops where an error is raised that ends an episode, with the frames above it, and not in our code', async () => {
    const file = fileUri('failing.py');
    await vscode.workspace.fs.writeFile(file, Buffer.from(failing));
    const config = fileUri('failing.yaml');
    const text = Buffer.from(await vscode.workspace.fs.readFile(fileUri('py_math.yaml'))).toString();
    await vscode.workspace.fs.writeFile(
      config,
      Buffer.from(text.replace('agent.py->MathAgent', 'failing.py->Failing')),
    );
    await launch({ config: config.fsPath });
    const stop = await debug.stopped();
    assert.deepEqual([stop.file, stop.line, stop.name], [file.fsPath, 10, 'parse']);
    assert.equal(await debug.evaluate(stop, 'text'), "'no number'");
    const names = (await stackOf(stop)).map(({ name }) => name);
    assert.deepEqual(names, ['parse', 'execute']);
    await debug.request(stop, 'continue');
    await debug.ended();
    assert.equal(debug.events('stopped').length, 1, 'the error that is caught does not stop');
    assert.match(
      debug.output(),
      /failing\.py:10: ValueError: .*\n(?:.*\n)* +File ".*failing\.py", line 7, in execute\n/,
    );
  });

  it('leaves no process behind when it is stopped at a breakpoint', async () => {
    breakAt('judge.py', await lineOf('judge.py', 'expected = str('));
    await launch();
    await debug.stopped();
    assert.equal(backboneProcesses('-m agentjet_worker').length, 1);
  });

  it('lets no time run out while it is held', async () => {
    breakAt('agent.py', await lineOf('agent.py', 'return WorkflowOutput('));
    await launch({ episodeTimeout: 8 });
    const frame = await debug.stopped();
    const held = Date.now();
    await debug.until('more time has passed than an episode has', () => Date.now() - held > 9_000);
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    await debug.request(frame, 'continue');
    await debug.ended();
    assert.match(debug.output(), /task train-001, repeat 0: reward [01]/);
  });

  it('leaves its numbers above the lines that called, the tool and the judge', async () => {
    await launch({ noDebug: true });
    await debug.ended();
    const { trace } = debug.events('agentjet.runStarted')[0]?.body as { trace: string };
    const numbers = async (name: string): Promise<readonly RunLens[]> => {
      await vscode.window.showTextDocument(fileUri(name));
      return lensesUntil(debug, fileUri(name), 'the numbers show', (all) =>
        all.some((lens) => lens.trace === trace),
      );
    };
    const lenses = await numbers('agent.py');
    const titled = async (text: string): Promise<RunLens | undefined> => {
      const line = await lineOf('agent.py', text);
      return lenses.find((lens) => lens.line === line);
    };
    const call = await titled('completion = await client.chat.completions.create(');
    assert.match(call?.title ?? '', /1 call · \d+ tokens · .*reward [01] \(1 episode\)/);
    assert.equal(call?.place, 'episode=0&call=0');
    assert.match((await titled('def calculate('))?.title ?? '', /tool calculate · reward [01]/);
    assert.match((await titled('async def execute('))?.title ?? '', /reward [01] \(1 episode\)/);
    assert.match((await numbers('judge.py'))[0]?.title ?? '', /reward [01] \(1 episode\)/);
  });

  it('stops in an episode of a trace again, with the reply that the trace has', async () => {
    const line = await lineOf('agent.py', 'if message.tool_calls:');
    const said = (frame: Frame): Promise<string> => debug.evaluate(frame, 'message.model_dump_json()');
    // Another seed than the config has, by which the model would say something else.
    breakAt('agent.py', line);
    await launch({ seed: 7 });
    const frame = await debug.stopped();
    const first = await said(frame);
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    await debug.request(frame, 'continue');
    await debug.ended();
    const { trace } = debug.events('agentjet.runStarted')[0]?.body as { trace: string };
    breakAt('agent.py', line);
    await setPython(process.env['AGENTJET_E2E_PYTHON']);
    const start = await stoppedAgain(debug, trace, 2);
    assert.match(start.name, /execute/);
    assert.ok(start.line < line);
    await debug.request(start, 'continue');
    const again = await debug.stopped(3);
    await setPython(undefined);
    assert.deepEqual([again.file, again.line], [fileUri('agent.py').fsPath, line + 1]);
    assert.equal(await said(again), first);
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    await debug.request(again, 'continue');
    await debug.ended();
    assert.match(debug.output(), /task train-001, repeat 0: reward ([01]).*, recorded \1/);
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
