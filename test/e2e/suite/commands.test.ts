import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileUri } from './debugging.ts';
import {
  closeAll,
  hoverTexts,
  insertSnippet,
  problems,
  read,
  remove,
  replace,
  show,
  write,
} from './documents.ts';

const typesFile = '.agentjet/types/agentjet.d.ts';
const types = '.agentjet';
const addTypes = 'agentjet.addTypes';

describe('AgentJet: Add SDK Types to Workspace', () => {
  let original: string;

  before(async () => {
    original = await read('tsconfig.json');
  });

  afterEach(async () => {
    await closeAll();
    await write('tsconfig.json', original);
  });

  it('keeps the comments and the order of a tsconfig.json', async () => {
    const text =
      '{\n  // ours\n  "compilerOptions": {\n    "strict": true, // always\n  },\n  "include": ["*.ts"]\n}\n';
    await write('tsconfig.json', text);
    await vscode.commands.executeCommand(addTypes);
    const changed = await read('tsconfig.json');
    const added = `    "paths": { "agentjet": [ "./${typesFile}" ] }\n  },\n`;
    assert.equal(changed, text.replace('  },\n', added));
    await vscode.commands.executeCommand(addTypes);
    assert.equal(await read('tsconfig.json'), changed, 'a repeat changes nothing');
  });

  it('leaves a tsconfig.json that cannot be read as it is', async () => {
    await write('tsconfig.json', '{ "compilerOptions": {');
    await vscode.commands.executeCommand(addTypes);
    assert.equal(await read('tsconfig.json'), '{ "compilerOptions": {');
  });

  it('makes a folder without tsconfig.json one where TypeScript knows the SDK', async () => {
    await remove('tsconfig.json');
    await remove(types);
    await vscode.commands.executeCommand(addTypes);
    assert.match(await read(typesFile), /asOpenAIClient/);
    assert.equal(await read('.agentjet/.gitignore'), '*\n');
    const document = await show(fileUri('workflow.ts'));
    await typeScriptKnows(document);
    const shown = await hoverTexts(document, 'create({');
    assert.match(shown.join(), /ChatCompletion/);
  });

  it("is what the example's tsconfig.json counts on", async () => {
    await remove(types);
    await vscode.commands.executeCommand(addTypes);
    assert.equal(await read('tsconfig.json'), original);
    for (const name of ['workflow.ts', 'judge.ts', 'tools.ts']) {
      await typeScriptKnows(await show(fileUri(name)));
    }
  });

  it('lets the snippets of a workflow and a judge compile', async () => {
    for (const name of ['AgentJet workflow', 'AgentJet judge']) {
      const document = await show(await write('new.ts', ''));
      await insertSnippet('typescript', name);
      await typeScriptKnows(document);
      await closeAll();
      await remove('new.ts');
    }
  });
});

/** A slip that TypeScript finds proves that it has looked; without the slip it must find nothing. */
async function typeScriptKnows(document: vscode.TextDocument): Promise<void> {
  const text = 'export const slip: number = "text";\n';
  const slip = new vscode.WorkspaceEdit();
  slip.insert(document.uri, document.positionAt(document.getText().length), text);
  assert.ok(await vscode.workspace.applyEdit(slip));
  const isSlip = ({ message }: vscode.Diagnostic): boolean => message.includes("'string' is not assignable");
  const others = (now: readonly vscode.Diagnostic[]): readonly vscode.Diagnostic[] =>
    now.filter((problem) => problem.severity <= vscode.DiagnosticSeverity.Warning && !isSlip(problem));
  // It may hear of the files that were written just now one by one.
  await problems(
    document.uri,
    'TypeScript finds the slip, and nothing else',
    (now) => now.some(isSlip) && others(now).length === 0,
  );
  await replace(document, text, '');
  // Some editors save by themselves after a while: what is on disk must be right again.
  assert.ok(await document.save());
}
