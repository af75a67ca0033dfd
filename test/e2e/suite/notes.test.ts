/** What a run found, as notes at its workflow and config. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Conversation, fileUri } from './debugging.ts';
import { closeAll, eventually, problems, replace, show, textOf } from './documents.ts';
import { lineWith, writeConfig, writeFileOf } from './runs.ts';

interface Code {
  readonly value: string;
  readonly target: vscode.Uri;
}

const workflowText = `import { Workflow, type AjetTuner, type WorkflowTask } from 'agentjet';

export class Agent extends Workflow {
  override async execute({ task }: WorkflowTask, tuner: AjetTuner) {
    const client = tuner.asOpenAIClient({ agentName: 'noted' });
    const messages = [
      { role: 'system' as const, content: 'Answer.' },
      { role: 'user' as const, content: task.main_query },
    ];
    await client.chat.completions.create({ model: 'any', messages });
    return { reward: 7 };
  }
}
`;

function codeOf({ code }: vscode.Diagnostic): string {
  return typeof code === 'object' ? String(code.value) : '';
}

function notesIn(uri: vscode.Uri): readonly string[] {
  return vscode.languages
    .getDiagnostics(uri)
    .filter(({ message }) => message.includes('the last run'))
    .map(codeOf);
}

describe('the notes of a run', () => {
  let debug: Conversation;

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(async () => {
    await debug.dispose();
    await closeAll();
  });

  it('are at what caused them, until their line is edited or they are cleared', async () => {
    await writeFileOf('runs/noted.ts', workflowText);
    const config = vscode.Uri.file(await writeConfig('runs/noted.ts'));
    const workflow = fileUri('runs/noted.ts');
    await debug.launch({ config: config.fsPath }, true);
    const found = await problems(workflow, 'the workflow has its notes', (all) => all.length >= 2);
    assert.deepEqual(found.map(codeOf).sort(), ['reward-range', 'success-missing']);
    const line = await lineWith('runs/noted.ts', 'async execute(');
    for (const { range, source } of found) {
      assert.deepEqual([range.start.line, range.start.character, range.end.character], [line, 17, 24]);
      assert.equal(source, 'AgentJet');
    }
    const [range] = found.filter((one) => codeOf(one) === 'reward-range');
    assert.ok(range);
    assert.equal(range.severity, vscode.DiagnosticSeverity.Information);
    assert.match(textOf(range), /In the last run: The reward 7 is outside .* -1 to 1\.5/);
    await leadsToItsExplanation(range.code as Code);
    assert.deepEqual(notesIn(config), ['single-episode']);
    await debug.ended();

    const document = await show(workflow);
    await replace(document, 'import', '// A line more.\nimport');
    await eventually(
      'the notes have moved with their line',
      () => vscode.languages.getDiagnostics(workflow).some(({ range }) => range.start.line === line + 1),
      vscode.languages.onDidChangeDiagnostics,
      () => vscode.languages.getDiagnostics(workflow).map(textOf).join('\n'),
    );
    await replace(document, 'execute(', 'execute( ');
    await problems(workflow, 'the notes of the edited line are gone', () => notesIn(workflow).length === 0);
    assert.deepEqual(notesIn(config), ['single-episode']);
    await vscode.commands.executeCommand('agentjet.clearRunNotes');
    await problems(config, 'the notes are cleared', () => notesIn(config).length === 0);
  });
});

async function leadsToItsExplanation({ value, target }: Code): Promise<void> {
  const manual = await vscode.workspace.openTextDocument(target.with({ fragment: '' }));
  const line = Number(target.fragment.replace('L', ''));
  assert.equal(manual.lineAt(line - 1).text, `### ${value}`);
}
