/** Stepping stays in the user's code, and every start sees the files as they are saved. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { casesOf } from '../../../tools/deep.ts';
import { backboneProcesses, breakAt, Conversation, fileUri, type Frame } from '../debugging.ts';
import { isOurs, lineWith, mark, stackOf, writeConfig, writeFileOf } from '../runs.ts';

const steps = `
export class Agent extends Workflow {
  async execute(workflowTask) {
    const query = workflowTask.task.main_query; ${mark}
    await Promise.resolve();
    const size = await sizeOf(query);
    await new Promise((resolve) => setImmediate(resolve));
    return { reward: size };
  }
}

async function sizeOf(text) {
  await Promise.resolve();
  return text.length;
}
`;

const typed = steps
  .replace('execute(workflowTask)', 'execute(workflowTask: WorkflowTask)')
  .replace('sizeOf(text)', 'sizeOf(text: string): Promise<number>');

const imports = "import { Workflow, WorkflowTask } from 'agentjet';\n";
const legacy = 'class Old {\n  @noted\n  method() {}\n}\nfunction noted() {}\n';

const stripped = `import { Workflow, type WorkflowTask } from 'agentjet';\n${typed}`;

/** By file: how it reaches Node is stripped, by TypeScript, as CommonJS, then transformed by Node, and not at all. */
const sources = casesOf(
  [
    ['module/steps.ts', stripped],
    ['module/legacy/stepsDecorated.ts', imports + legacy + typed],
    [
      'typeless/steps.cjs',
      `const { Workflow } = require('agentjet');\n${steps.replace('export class', 'class')}\nmodule.exports = { Agent };\n`,
    ],
  ],
  [
    ['module/stepsUnusedType.ts', imports + typed],
    ['module/stepsEnum.ts', `${imports}enum Level {\n  Low,\n}\n${typed}`],
    ['module/stepsPlain.js', `import { Workflow } from 'agentjet';\n${steps}`],
  ],
);

describe('stepping', () => {
  let debug: Conversation;

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(async () => {
    await debug.dispose();
    await debug.until('no process of a run is left', () => backboneProcesses().length === 0);
  });

  async function stopAtMark(file: string): Promise<Frame> {
    breakAt(file, await lineWith(file, mark));
    await debug.launch({ config: await writeConfig(file) });
    return debug.stopped();
  }

  for (const [file = '', source = ''] of sources) {
    it(`goes over awaits line by line in ${file}`, async () => {
      await writeFileOf(file, source);
      let frame = await stopAtMark(file);
      const first = frame.line;
      for (let step = 1; step <= 4; step++) {
        await debug.request(frame, 'next');
        frame = await debug.stopped(step + 1);
        assert.deepEqual([frame.file, frame.line], [fileUri(file).fsPath, first + step]);
        assert.match(frame.name, /execute/);
      }
      assert.equal(await debug.evaluate(frame, 'size'), '12');
    });

    it(`leaves execute without landing in our code in ${file}`, async () => {
      await writeFileOf(file, source);
      const frame = await stopAtMark(file);
      for (const { source: place } of await stackOf(frame)) {
        if (isOurs(place?.path ?? '')) assert.equal(place?.presentationHint, 'deemphasize');
      }
      await debug.request(frame, 'stepOut');
      const next = await debug.stopped(2);
      assert.equal(next.file, fileUri(file).fsPath);
      await debug.request(next, 'continue');
      await debug.ended();
      assert.equal(debug.events('stopped').length, 2);
      assert.match(debug.output(), /reward 12/);
    });
  }

  it('steps from one episode into the next, and nowhere between', async () => {
    const file = 'module/steps.ts';
    await writeFileOf(file, stripped);
    breakAt(file, await lineWith(file, 'return { reward: size }'));
    await debug.launch({ config: await writeConfig(file, { tasks: 2 }) });
    const frame = await debug.stopped();
    await debug.request(frame, 'stepOut');
    const next = await debug.stopped(2);
    assert.equal(next.file, fileUri(file).fsPath);
  });
});

describe('a start', () => {
  let debug: Conversation;

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(async () => {
    await vscode.workspace.getConfiguration('debug').update('saveBeforeStart', undefined, true);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await debug.dispose();
    await debug.until('no process of a run is left', () => backboneProcesses().length === 0);
  });

  const files = {
    'module/fresh.ts': `import { Workflow } from 'agentjet';
import { amount } from './freshPart';

export class Agent extends Workflow {
  async execute() {
    return { reward: amount() };
  }
}
`,
    'module/freshPart.ts': `enum Amount {
  One = 1,
}
export const amount = () => Amount.One;
`,
  };

  async function run(): Promise<string> {
    const before = debug.output().length;
    const sessions = debug.sessions().length;
    await debug.launch({ config: await writeConfig('module/fresh.ts') });
    await debug.until('the run has begun', () => debug.sessions().length > sessions);
    await debug.ended();
    return /reward ([\d.]+)/.exec(debug.output().slice(before))?.[1] ?? '';
  }

  /** Types a 2 in the place of the 1 and leaves it unsaved. */
  async function type(name: string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(fileUri(name));
    await vscode.window.showTextDocument(document);
    // The test before may have left its own text in the open document; the file has been written anew since.
    await vscode.commands.executeCommand('workbench.action.files.revert');
    const at = document.positionAt(document.getText().indexOf('= 1') + 2);
    const change = new vscode.WorkspaceEdit();
    change.replace(document.uri, new vscode.Range(at, at.translate(0, 1)), '2');
    assert.ok(await vscode.workspace.applyEdit(change));
    return document;
  }

  beforeEach(async () => {
    for (const [name, text] of Object.entries(files)) await writeFileOf(name, text);
  });

  it('sees what was saved since the last one, in imported files that are compiled too', async () => {
    assert.equal(await run(), '1');
    await writeFileOf('module/freshPart.ts', files['module/freshPart.ts'].replace('= 1', '= 7'));
    assert.equal(await run(), '7');
  });

  it('saves what is unsaved first', async () => {
    const document = await type('module/freshPart.ts');
    assert.equal(await run(), '2');
    assert.equal(document.isDirty, false);
  });

  it('saves nothing where the user says so', async () => {
    await vscode.workspace.getConfiguration('debug').update('saveBeforeStart', 'none', true);
    const document = await type('module/freshPart.ts');
    assert.equal(await run(), '1');
    assert.equal(document.isDirty, true);
  });
});
