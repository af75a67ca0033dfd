/** Breakpoints in every form a workflow may be written in: they stop in the file itself, where variables can be read. */
import assert from 'node:assert/strict';
import { cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { casesOf } from '../../../tools/deep.ts';
import { backboneProcesses, breakAt, Conversation, fileUri, type Frame } from '../debugging.ts';
import { lineWith, mark, query, stackOf, writeConfig, writeFileOf } from '../runs.ts';

/** Below the open folder; every one exports `Agent`, whose reward is the query's length, and marks a line. */
const forms = casesOf(
  [
    'module/functionForm.ts',
    'module/parameterProperty.ts',
    'module/standardDecorator.ts',
    'module/view.tsx',
    'module/extensionless.ts',
    'typeless/exportEquals.cts',
    'typeless/untyped.ts',
    'commonjs/dirname.ts',
    'paths/src/paths.ts',
  ],
  [
    'module/plain.ts',
    'module/typesWithoutType.ts',
    'module/enum.ts',
    'module/namespace.ts',
    'module/legacy/legacyDecorator.ts',
    'module/plainJs.js',
    'module/awaits.ts',
    'typeless/common.cjs',
    'typeless/common.cts',
    'typeless/module.mjs',
    'typeless/module.mts',
    'typeless/untyped.js',
    'commonjs/imports.ts',
  ],
);

/** Copies of a form, at paths that are hard to spell. */
const places = casesOf(
  ['module/größe 数 enum.ts', 'module/100%25 [a] #1 (b).ts'],
  ['module/sub folder/deep/plain.ts', 'module/with space.ts', 'module/größe 数.ts'],
);

describe('loading', () => {
  let debug: Conversation;

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(async () => {
    await debug.dispose();
    await debug.until('no process of a run is left', () => backboneProcesses().length === 0);
  });

  /** Stops at the mark, which must be in the file itself, and runs on to the reward. */
  async function stopsAtMark(file: string, seenAs = file): Promise<void> {
    const line = await lineWith(file, mark);
    breakAt(file, line);
    await debug.launch({ config: await writeConfig(file) });
    const frame = await debug.stopped();
    assert.equal(frame.file, fileUri(seenAs).fsPath);
    assert.equal(frame.line, line + 1);
    const [top] = await stackOf(frame);
    assert.equal(top?.source?.sourceReference ?? 0, 0, 'the file itself, not a copy of its text');
    await readsVariables(frame);
    await debug.request(frame, 'continue');
    await debug.ended();
    assert.match(debug.output(), /task t0, repeat 0: reward 12/);
    assert.equal(debug.events('stopped').length, 1);
  }

  /** One of these names is a variable of every form. */
  async function readsVariables(frame: Frame): Promise<void> {
    const names = ['workflowTask.task.main_query.length', 'text.length', 'reward', 'shape.side'];
    const values = await Promise.all(names.map((name) => debug.evaluate(frame, name).catch(() => '')));
    assert.ok(values.includes(String(query.length)), values.join(', '));
  }

  for (const form of forms) it(`stops in ${form}`, () => stopsAtMark(form));

  it('offers to debug a workflow that is a function', async () => {
    const uri = fileUri('module/functionForm.ts');
    await vscode.workspace.openTextDocument(uri);
    await vscode.extensions.getExtension('agentjet.agentjet')?.activate();
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      uri,
    );
    const titles = lenses.flatMap(({ command, range }) =>
      command === undefined ? [] : [`${command.title} ${range.start.line}`],
    );
    for (const title of ['$(debug-alt) Debug 2', '$(play) Run 2']) {
      assert.ok(titles.includes(title), titles.join());
    }
  });

  for (const place of places) {
    it(`stops in ${place}`, async () => {
      const from = fileUri(place.includes('enum') ? 'module/enum.ts' : 'module/plain.ts').fsPath;
      await mkdir(path.dirname(fileUri(place).fsPath), { recursive: true });
      await cp(from, fileUri(place).fsPath);
      await stopsAtMark(place);
    });
  }

  for (const form of casesOf(['enum.ts'], ['plain.ts'])) {
    it(`stops in ${form} of a folder behind a link`, async () => {
      await mkdir(fileUri('real').fsPath, { recursive: true });
      await cp(fileUri(`module/${form}`).fsPath, fileUri(`real/${form}`).fsPath);
      await writeFileOf('real/package.json', '{"type":"module"}');
      await symlink(fileUri('real').fsPath, fileUri(`link-${form}`).fsPath, 'dir');
      await stopsAtMark(`link-${form}/${form}`, `real/${form}`);
    });
  }
});
