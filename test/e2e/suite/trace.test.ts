/** When and where the trace of a run under F5 opens. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { Conversation, fileUri, workspaceFolder } from './debugging.ts';
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

async function setOpenTrace(value: string | undefined): Promise<void> {
  const target = vscode.ConfigurationTarget.WorkspaceFolder;
  await vscode.workspace
    .getConfiguration('agentjet', workspaceFolder().uri)
    .update('openTrace', value, target);
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
    await debug.until('the viewer is open', () => viewers().length > 0);
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

  it('is found again by Open Last Trace', async () => {
    await setOpenTrace('never');
    await debug.launch({ tasks: 1, repeat: 1 }, true);
    await debug.ended();
    await vscode.commands.executeCommand('agentjet.openLastTrace');
    await debug.until('the viewer is open', () => viewers().length === 1);
    assert.equal(viewers()[0]?.trace, traceOf(debug));
  });
});
