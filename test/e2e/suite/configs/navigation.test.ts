import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileUri } from '../debugging.ts';
import { closeAll, completions, hoverTexts, labelOf, remove, replace, show, write } from '../documents.ts';
import { at, definitions, hints, references } from './places.ts';

const scratch = 'scratch.yaml';

describe('finding one’s way in a config', () => {
  // What is asked before the extension is there gets no answer.
  before(async () => {
    await vscode.extensions.getExtension('agentjet.agentjet')?.activate();
  });
  afterEach(closeAll);
  after(() => remove(scratch));

  it('leads from names to what they name', async () => {
    const document = await show(fileUri('agent.yaml'));
    assert.deepEqual(await definitions(document, 'MathWork|flow'), [
      'agents/math.py:4 class MathWorkflow(Workflow):',
    ]);
    assert.deepEqual(await definitions(document, '${shared.ro|ot}'), ['agent.yaml:2 root: data']);
    assert.deepEqual(await definitions(document, '- te|am'), [
      'defaults/team.yaml:1 # What every experiment of the team starts from.',
    ]);
  });

  it('counts the rows of the data set', async () => {
    const text = `ajet:
  task_reader:
    type: jsonl_dataset_file
    jsonl_dataset_file:
      training:
        file_path: data/train.jsonl
  data:
    train_batch_size: 1
  trainer_common:
    total_epochs: 10
`;
    const document = await show(await write(scratch, text));
    const shown = await hints(document);
    assert.ok(shown.includes('10 → 2 / 1 = 2 steps per epoch'), shown.join('\n'));
  });

  it('finds the interpolations of a key', async () => {
    const document = await show(fileUri('agent.yaml'));
    assert.deepEqual(await references(document, 'ro|ot: data'), [
      'agent.yaml:2 root: data',
      'agent.yaml:12 file_path: ${shared.root}/train.jsonl',
    ]);
  });

  it('renames a key of the user’s with its interpolations, and no key that a program reads', async () => {
    const document = await show(fileUri('agent.yaml'));
    const rename = (place: string, name: string): Thenable<vscode.WorkspaceEdit> =>
      vscode.commands.executeCommand(
        'vscode.executeDocumentRenameProvider',
        document.uri,
        at(document, place),
        name,
      );
    assert.ok(await vscode.workspace.applyEdit(await rename('ro|ot: data', 'folder')));
    assert.match(document.getText(), /^ {2}folder: data$/m);
    assert.match(document.getText(), /file_path: \$\{shared\.folder\}\/train\.jsonl/);
    await assert.rejects(Promise.resolve(rename('num_re|peat', 'repeats')), /reads/);
  });

  it('links the files that are there', async () => {
    const document = await show(fileUri('agent.yaml'));
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider',
      document.uri,
    );
    const targets = links.map(({ range, target }) => {
      const file = target && vscode.workspace.asRelativePath(target.with({ fragment: '' }));
      return `${document.getText(range)} > ${file ?? ''}#${target?.fragment ?? ''}`;
    });
    assert.ok(targets.includes('agents/math.py->MathWorkflow > agents/math.py#L4,7'), targets.join('\n'));
    assert.ok(targets.includes('team > defaults/team.yaml#'), targets.join('\n'));
  });

  it('has an outline and folds', async () => {
    const document = await show(fileUri('agent.yaml'));
    const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[]>(
      'vscode.executeDocumentSymbolProvider',
      document.uri,
    );
    assert.deepEqual(
      symbols.map(({ name }) => name),
      ['shared', 'ajet', 'hydra', 'defaults'],
    );
    const folds = await vscode.commands.executeCommand<vscode.FoldingRange[]>(
      'vscode.executeFoldingRangeProvider',
      document.uri,
    );
    assert.ok(
      folds.some(({ start, end }) => start === 0 && end === 2),
      JSON.stringify(folds),
    );
  });

  it('tells the effective value of a key, and of what another file sets', async () => {
    const document = await show(fileUri('agent.yaml'));
    assert.match((await hoverTexts(document, 'file_path')).join(), /data\/train\.jsonl/);
    assert.match((await hoverTexts(document, '{shared.root}')).join(), /data/);
    // Files are named as a person in this workspace calls them.
    assert.match(
      (await hoverTexts(document, 'agents/math.py')).join(),
      /class `MathWorkflow` · `agents\/math\.py:4`/,
    );
    assert.match((await hoverTexts(document, '- team'.slice(2))).join(), /`defaults\/team\.yaml`/);
  });

  it('offers what fits at the caret', async () => {
    const labels = async (before: string): Promise<string[]> => {
      const text = `shared:\n  root: data\najet:\n${before}`;
      const document = await show(await write(scratch, 'ajet:\n'));
      await replace(document, document.getText(), text);
      return (await completions(document, text.length)).map(labelOf);
    };
    assert.ok((await labels('  project_name: ${shared.')).some((label) => label.includes('root')));
    const workflows = await labels('  rollout:\n    user_workflow: ');
    assert.match(workflows[0] ?? '', /math(\.py)?->MathWorkflow$/, workflows.join('\n'));
    const files = await labels(
      '  task_reader:\n    type: jsonl_dataset_file\n    jsonl_dataset_file:\n      training:\n        file_path: data/',
    );
    assert.ok(
      files.some((label) => label.includes('train.jsonl')),
      files.join('\n'),
    );
    const defaults = await labels(
      '  project_name: a\nhydra:\n  searchpath:\n    - file://defaults\ndefaults:\n  - ',
    );
    assert.ok(defaults.includes('team') && defaults.includes('_self_'), defaults.join('\n'));
  });

  it('leads from a class to the configs that name it', async () => {
    const document = await show(fileUri('agents/math.py'));
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
    );
    assert.deepEqual(
      lenses.map(({ command, range }) => `${range.start.line + 1} ${command?.title ?? ''}`),
      ['4 $(debug-alt) Debug', '4 $(play) Run', '4 $(references) used by 1 config'],
    );
    assert.deepEqual(await references(document, 'class Math|Workflow'), [
      'agent.yaml:20 user_workflow: agents/math.py->MathWorkflow',
    ]);
  });

  it('shows what follows from a config in its lines, unless that is switched off', async () => {
    const document = await show(fileUri('agent.yaml'));
    const shown = await hints(document);
    assert.ok(shown.includes('12 = data/train.jsonl'), shown.join('\n'));
    assert.ok(shown.includes('21 → 8 × 4 = 32 episodes per step'), shown.join('\n'));
    const settings = vscode.workspace.getConfiguration('agentjet', document.uri);
    try {
      await settings.update('inlayHints', false, vscode.ConfigurationTarget.Workspace);
      assert.deepEqual(await hints(document), []);
    } finally {
      await settings.update('inlayHints', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('leaves other YAML to itself', async () => {
    const document = await show(fileUri('services.yaml'));
    assert.equal(document.languageId, 'yaml');
    const ask = <T>(command: string, ...rest: unknown[]): Thenable<T> =>
      vscode.commands.executeCommand<T>(command, document.uri, ...rest);
    const place = at(document, 'REG|ISTRY');
    assert.deepEqual(await definitions(document, 'REG|ISTRY'), []);
    assert.deepEqual(await references(document, 'REG|ISTRY'), []);
    assert.deepEqual(await ask('vscode.executeLinkProvider'), []);
    assert.deepEqual(await ask('vscode.executeInlayHintProvider', new vscode.Range(0, 0, 9, 0)), []);
    assert.deepEqual(await ask('vscode.executeCodeLensProvider'), []);
    assert.deepEqual(
      (await ask<vscode.DocumentSymbol[] | undefined>('vscode.executeDocumentSymbolProvider')) ?? [],
      [],
    );
    const renamable = await Promise.resolve(ask('vscode.prepareRename', place)).catch(String);
    assert.match(JSON.stringify(renamable), /can't be renamed/);
  });
});
