import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileUri } from './debugging.ts';
import {
  closeAll,
  completions,
  hoverTexts,
  insertSnippet,
  labelOf,
  problems,
  read,
  remove,
  replace,
  show,
  textOf,
  write,
} from './documents.ts';

/** A config of the tests' own. */
const scratch = 'scratch.yaml';

describe('help with a config', () => {
  afterEach(async () => {
    await closeAll();
  });

  after(async () => {
    await remove(scratch);
  });

  it('finds nothing wrong with the example', async () => {
    assert.deepEqual(await complaints(await show(fileUri('math_agent.yaml'))), []);
  });

  it('finds nothing wrong with the snippet of a new config', async () => {
    const document = await show(await write('new.yaml', ''));
    await insertSnippet('yaml', 'AgentJet experiment');
    // Its files are there already, with classes of other names.
    await replace(document, 'MyWorkflow', 'MathAgentWorkflow');
    await replace(document, 'MyJudge', 'MathAnswerJudge');
    assert.deepEqual(await complaints(document), []);
    await remove('new.yaml');
  });

  it('marks a misspelt key and mends it', async () => {
    const document = await show(await write(scratch, 'ajet:\n  rollout:\n    num_repaet: 4\n'));
    const [problem] = await problems(document.uri, 'the slip is found', (found) => found.some(isAboutSlip));
    assert.ok(problem);
    assert.equal(document.getText(problem.range), 'num_repaet');
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      problem.range,
    );
    const fix = actions.find(({ isPreferred }) => isPreferred === true);
    assert.match(fix?.title ?? '', /num_repeat/);
    assert.ok(fix?.edit);
    assert.ok(await vscode.workspace.applyEdit(fix.edit));
    assert.equal(document.getText(), 'ajet:\n  rollout:\n    num_repeat: 4\n');
    await problems(document.uri, 'nothing is marked', (found) => found.length === 0);
  });

  it('follows edits', async () => {
    const document = await show(await write(scratch, 'ajet:\n  rollout:\n    num_repeat: 4\n'));
    await replace(document, '4', 'four');
    const found = await problems(document.uri, 'the value is marked', (now) => now.length > 0);
    assert.deepEqual(
      found.map(({ range }) => document.getText(range)),
      ['four'],
    );
    await replace(document, 'four', '8');
    await problems(document.uri, 'nothing is marked', (now) => now.length === 0);
  });

  it('forgets a file that is closed', async () => {
    const document = await show(await write(scratch, 'ajet:\n  rollout:\n    num_repaet: 4\n'));
    await problems(document.uri, 'the slip is found', (found) => found.length > 0);
    await closeAll();
    await problems(document.uri, 'nothing is marked', (found) => found.length === 0);
    assert.match(await read(scratch), /num_repaet/);
  });

  it('offers the keys of a section with type, default and description', async () => {
    const items = await offered('ajet:\n  rollout:\n    num_|\n');
    const item = items.find((offer) => labelOf(offer) === 'num_repeat');
    assert.ok(item, items.map(labelOf).join(' '));
    assert.equal(item.kind, vscode.CompletionItemKind.Property);
    assert.equal(item.detail, 'integer = 4');
    assert.match(documentationOf(item), /Episodes run per task/);
  });

  it('offers the values of choices and switches', async () => {
    const choices = await offered('ajet:\n  task_reader:\n    type: |\n');
    const labels = choices.map(labelOf);
    assert.ok(
      labels.includes('jsonl_dataset_file') && labels.includes('huggingface_dat_repo'),
      labels.join(),
    );
    const switches = await offered('ajet:\n  rollout:\n    force_disable_toolcalls: |\n');
    const values = switches.filter(({ kind }) => kind === vscode.CompletionItemKind.EnumMember);
    assert.deepEqual(values.map(labelOf).sort(), ['false', 'true']);
  });

  it('explains a key', async () => {
    const document = await show(await write(scratch, 'ajet:\n  rollout:\n    num_repeat: 4\n'));
    const shown = (await hoverTexts(document, 'num_repeat')).join('\n');
    assert.match(shown, /`ajet\.rollout\.num_repeat`.* integer · default `4`/);
    assert.match(shown, /Episodes run per task/);
  });

  it('gives other YAML nothing', async () => {
    const document = await show(await write(scratch, 'rollout:\n  num_repaet: 4\n  temp\n'));
    // Problems of a config that is opened later have come: those of this one would have too.
    const later = await show(await write('later.yaml', 'ajet:\n  rollout:\n    num_repaet: 4\n'));
    await problems(later.uri, 'the slip is found', (found) => found.length > 0);
    await remove('later.yaml');
    assert.deepEqual(vscode.languages.getDiagnostics(document.uri), []);
    assert.deepEqual(await hoverTexts(document, 'num_repaet'), []);
    const items = await completions(document, document.getText().length - 1);
    assert.deepEqual(
      items.map(documentationOf).filter((text) => text !== ''),
      [],
    );
  });
});

function isAboutSlip({ message }: vscode.Diagnostic): boolean {
  return message.includes('num_repaet');
}

/** Everything but hints. A slip that is found proves that the text was looked at. */
async function complaints(document: vscode.TextDocument): Promise<string[]> {
  await replace(document, 'num_repeat', 'num_repaet');
  await problems(document.uri, 'the slip is found', (found) => found.some(isAboutSlip));
  await replace(document, 'num_repaet', 'num_repeat');
  const found = await problems(document.uri, 'the slip is gone', (now) => !now.some(isAboutSlip));
  return found.filter(({ severity }) => severity !== vscode.DiagnosticSeverity.Hint).map(textOf);
}

/**
 * What is offered where `|` stands. Not in an untitled document: the editor brings such a one to the front a while
 * later, and would ask for its name when the next test starts debugging.
 */
async function offered(textWithCaret: string): Promise<readonly vscode.CompletionItem[]> {
  const document = await show(await write(scratch, 'ajet:\n'));
  await replace(document, document.getText(), textWithCaret.replace('|', ''));
  return completions(document, textWithCaret.indexOf('|'));
}

function documentationOf({ documentation }: vscode.CompletionItem): string {
  if (documentation === undefined) return '';
  return typeof documentation === 'string' ? documentation : documentation.value;
}
