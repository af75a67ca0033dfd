import path from 'node:path';
import * as vscode from 'vscode';
import { copyExample, listExamples, type Example } from '../node/project/example.ts';
import { ProjectSource } from '../node/project/source.ts';
import { askForParent, chooseLanguage, openFolder } from './newFolder.ts';

/** The one to begin with. */
const first = 'math_agent';

/** Copies an example to a folder, both the user's choice, and opens it. Undefined when the user thought better of it. */
export async function openExample(extension: vscode.Uri): Promise<vscode.Uri | undefined> {
  const source = new ProjectSource(extension.fsPath);
  const example = await chooseExample(source);
  const language = example && (await chooseLanguage(title(), example.languages));
  if (example === undefined || language === undefined) return undefined;
  const parent = await askForParent(
    vscode.l10n.t('Where should the example go?'),
    vscode.l10n.t('Put the Example Here'),
  );
  if (parent === undefined) return undefined;
  const folder = path.join(parent, example.name);
  await copyExample(source, example.name, language, folder);
  return openFolder(folder);
}

const title = (): string => vscode.l10n.t('AgentJet: Open Example');

async function chooseExample(source: ProjectSource): Promise<Example | undefined> {
  const examples = await listExamples(source);
  const items = examples
    .toSorted((a, b) => Number(b.name === first) - Number(a.name === first))
    .map((example) => ({ label: example.name, detail: example.description, example }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: title(),
    placeHolder: vscode.l10n.t('Which example to copy and open'),
    matchOnDetail: true,
  });
  return chosen?.example;
}
