/** When and where the trace of a run under F5 opens. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { breakAt, Conversation, fileUri, lineOf, workspaceFolder, type Frame } from './debugging.ts';
import { replace, show } from './documents.ts';
import { stoppedAgain } from './replay.ts';
import { lensesUntil, type RunLens } from './runLenses.ts';
import { writeRun } from './runs.ts';

interface Viewer {
  readonly trace: string;
  readonly column: vscode.ViewColumn;
  readonly active: boolean;
}

function viewers(): readonly Viewer[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs, viewColumn }) =>
    tabs.flatMap(({ input, isActive }) =>
      input instanceof vscode.TabInputCustom && input.viewType === 'agentjet.trace'
        ? [{ trace: input.uri.fsPath, column: viewColumn, active: isActive }]
        : [],
    ),
  );
}

const setOpenTrace = (value: string | undefined): Promise<void> => set('openTrace', value);
const setRunLenses = (value: boolean | undefined): Promise<void> => set('runLenses', value);

async function set(setting: string, value: unknown): Promise<void> {
  const target = vscode.ConfigurationTarget.WorkspaceFolder;
  await vscode.workspace.getConfiguration('agentjet', workspaceFolder().uri).update(setting, value, target);
}

function traceOf(debug: Conversation): string {
  const { trace } = debug.events('agentjet.runStarted')[0]?.body as { trace: string };
  return trace;
}

describe('the trace of a run', () => {
  let debug: Conversation;

  beforeEach(async () => {
    debug = new Conversation();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.window.showTextDocument(fileUri('math_agent.yaml'));
  });

  afterEach(async () => {
    await debug.dispose();
    await setOpenTrace(undefined);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('opens beside the editor in front, which stays there, when the run ends', async () => {
    await debug.launch({ tasks: 1, repeat: 1 }, true);
    await debug.until('the run has started', () => debug.events('agentjet.runStarted').length > 0);
    const trace = traceOf(debug);
    await debug.until('the viewer is open', () => viewers().some(({ active }) => active));
    assert.deepEqual(viewers(), [{ trace, column: vscode.ViewColumn.Two, active: true }]);
    assert.ok(existsSync(trace));
    assert.equal(vscode.window.activeTextEditor?.document.uri.path, fileUri('math_agent.yaml').path);
  });

  it('of the next run opens in the same place', async () => {
    for (const count of [1, 2]) {
      await debug.launch({ tasks: 1, repeat: 1 }, true);
      await debug.until('its end', () => debug.events('agentjet.runEnded').length === count);
      await debug.until('its viewer is open', () => viewers().some(({ active }) => active));
    }
    const newest = debug.events('agentjet.runEnded')[1]?.body as { trace: string };
    await debug.until('the newest is in front', () =>
      viewers().some(({ trace, active }) => active && trace === newest.trace),
    );
    assert.deepEqual(new Set(viewers().map(({ column }) => column)), new Set([vscode.ViewColumn.Two]));
    assert.equal(vscode.window.tabGroups.activeTabGroup.viewColumn, vscode.ViewColumn.One);
  });

  it('opens when the run starts, where that is set', async () => {
    await setOpenTrace('whenRunStarts');
    const config = await writeRun(
      'runs/waits.ts',
      '    await new Promise(() => setInterval(() => undefined, 1000));\n    return { reward: 1 };',
    );
    await debug.launch({ config }, true);
    await debug.until('the viewer is open', () => viewers().length === 1);
    assert.equal(debug.events('agentjet.runEnded').length, 0);
    assert.equal(viewers()[0]?.trace, traceOf(debug));
  });

  it('does not open where that is set, nor for a run that was stopped', async () => {
    await setOpenTrace('never');
    await debug.launch({ tasks: 1, repeat: 1 }, true);
    await debug.ended();
    await setOpenTrace(undefined);
    const config = await writeRun(
      'runs/stops.ts',
      '    await new Promise(() => setInterval(() => undefined, 1000));\n    return { reward: 1 };',
    );
    await debug.launch({ config }, true);
    await debug.until('the second run', () => debug.events('agentjet.runStarted').length === 2);
    await vscode.debug.stopDebugging();
    await debug.ended();
    // By now whatever a run opens has been asked for, and goes before what is asked for here.
    await vscode.commands.executeCommand('agentjet.openTrace', vscode.Uri.file(traceOf(debug)));
    assert.deepEqual(
      viewers().map(({ trace }) => trace),
      [traceOf(debug)],
    );
  });

  it('has its numbers above the lines of code, for as long as these are what ran', async () => {
    await setOpenTrace('never');
    await debug.launch({ tasks: 1, repeat: 2 }, true);
    await debug.ended();
    const uri = fileUri('workflow.ts');
    const document = await show(uri);
    const call = await lineOf('workflow.ts', 'client.chat.completions.create(');
    const at = (line: number) => (lenses: readonly RunLens[]) => lenses.some((lens) => lens.line === line);
    const trace = traceOf(debug);
    const lenses = await lensesUntil(debug, uri, 'they show', (all) =>
      all.some((lens) => lens.trace === trace),
    );
    const ofCall = lenses.find((lens) => lens.line === call);
    assert.match(
      ofCall?.title ?? '',
      /\d+ calls · \d+ tokens\/call · .+\/call · reward [\d.]+ \(2 episodes\)/,
    );
    assert.equal(ofCall?.place, `filter=${encodeURIComponent(`source:workflow.ts:${call + 1}`)}`);
    assert.ok(at(await lineOf('workflow.ts', 'async execute('))(lenses), 'the workflow has its own');
    const judge = await lensesUntil(
      debug,
      fileUri('judge.ts'),
      'the judge has its own',
      (all) => all.length > 0,
    );
    assert.match(judge[0]?.title ?? '', /reward [\d.]+ \(2 episodes\)/);

    await replace(document, 'import', '// A line more.\nimport');
    await lensesUntil(debug, uri, 'they go with their lines', at(call + 1));
    await replace(document, 'client.chat.completions.create(', 'client.chat.completions.create (');
    await lensesUntil(debug, uri, 'an edited line has none', (all) => !at(call + 1)(all));
    assert.ok(lenses.length > 1);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await lensesUntil(debug, uri, 'what ran is there again', at(call));
    await setRunLenses(false);
    await lensesUntil(debug, uri, 'none shows where they are off', (all) => all.length === 0);
    await setRunLenses(undefined);
    await lensesUntil(debug, uri, 'they are back', at(call));

    await vscode.commands.executeCommand('agentjet.openTrace', vscode.Uri.file(trace), ofCall.place);
    await debug.until('the viewer is open', () => viewers().some(({ active }) => active));
    assert.deepEqual(viewers(), [{ trace, column: vscode.ViewColumn.Two, active: true }]);
  });

  it('has its episodes debugged again, with the replies that it has', async () => {
    await setOpenTrace('never');
    const line = await lineOf('workflow.ts', 'const reply = completion.choices[0]?.message;');
    breakAt('workflow.ts', line);
    const said = (frame: Frame): Promise<string> =>
      debug.evaluate(frame, 'JSON.stringify(completion.choices[0].message)');
    // Another seed than the config has, by which the model would say something else.
    await debug.launch({ tasks: 1, repeat: 1, seed: 7 });
    const frame = await debug.stopped();
    const first = await said(frame);
    await debug.request(frame, 'continue');
    await debug.request(await debug.stopped(2), 'continue'); // the answer to what the tool said
    await debug.ended();
    const start = await stoppedAgain(debug, traceOf(debug), 3);
    assert.match(start.name, /execute/);
    assert.ok(start.line < line);
    await debug.request(start, 'continue');
    const again = await debug.stopped(4);
    assert.deepEqual([again.file, again.line], [fileUri('workflow.ts').fsPath, line + 1]);
    assert.equal(await said(again), first);
    assert.match(await debug.evaluate(again, 'messages[0]'), /^system: /);
    assert.match(await debug.evaluate(again, 'tuner'), /^AjetTuner \{calls: 1, tokens: \d+/);
  });

  it('is found again by Open Last Trace', async () => {
    await setOpenTrace('never');
    await debug.launch({ tasks: 1, repeat: 1 }, true);
    await debug.ended();
    await vscode.commands.executeCommand('agentjet.openLastTrace');
    await debug.until('the viewer is open', () => viewers().length === 1);
    assert.equal(viewers()[0]?.trace, traceOf(debug));
  });

  it('is exported whole and in part from the viewer in front', async () => {
    await setOpenTrace('never');
    await debug.launch({ tasks: 1, repeat: 2 }, true);
    await debug.ended();
    await vscode.commands.executeCommand('agentjet.openLastTrace');
    await debug.until('the viewer is in front', () => viewers().some(({ active }) => active));
    assert.equal(viewers()[0]?.trace, traceOf(debug));
    const lines: number[] = [];
    for (const filter of ['', 'episode=1']) {
      const target = fileUri(`exported-${lines.length}.jsonl`);
      const answers = { format: 'jsonl', filter, texts: 'keep', target };
      await vscode.commands.executeCommand('agentjet.exportTrace', undefined, answers);
      lines.push((await readText(target)).trim().split('\n').length);
    }
    assert.deepEqual(lines, [2, 1]);
    const target = fileUri('exported.html');
    const answers = { format: 'html', filter: '', texts: 'redact', target };
    await vscode.commands.executeCommand('agentjet.exportTrace', undefined, answers);
    const page = await readText(target);
    assert.ok(page.startsWith('<!doctype html>') && page.endsWith('</html>\n'));
    assert.ok(page.includes('[redacted]'));
  });
});

describe('what another tool recorded', () => {
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it('opens as a trace, and is only read', async () => {
    const messages = [{ role: 'user', content: 'How many?' }];
    const response = { choices: [{ message: { role: 'assistant', content: '5' } }] };
    const uri = fileUri('requests.jsonl');
    const text = `${JSON.stringify({ request: { model: 'a-model', messages }, response })}\n`;
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    await vscode.commands.executeCommand('agentjet.openTrace', uri);
    const [viewer] = viewers();
    assert.equal(viewer && path.basename(viewer.trace), 'requests.jsonl.ajtrace');
    assert.ok(viewer && !viewer.trace.startsWith(workspaceFolder().uri.fsPath));
    assert.equal(await readText(uri), text);
  });

  it('opens nothing where it is none that is known', async () => {
    const uri = fileUri('notes.log');
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode('nothing of a trace'));
    await vscode.commands.executeCommand('agentjet.openTrace', uri);
    assert.deepEqual(viewers(), []);
  });
});

async function readText(uri: vscode.Uri): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}
