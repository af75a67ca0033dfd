import path from 'node:path';
import * as vscode from 'vscode';
import { scanTuneCalls } from '../../core/code/tuneScan.ts';
import { launchKey } from '../../core/dialect.ts';
import { namesFile } from '../../core/navigate/namesFile.ts';

/** Packages, and the copies of configs in the folders of runs. */
const notConfigs = '{**/node_modules/**,**/saved_experiments/**,**/yaml_backup.yaml}';
const mostFiles = 2000;
const atOnce = 32;

/** The AgentJet configs of a folder, or of the whole workspace, in the order of their paths. */
export async function findConfigs(folder?: vscode.WorkspaceFolder): Promise<vscode.Uri[]> {
  const texts = await readYamlFiles(folder);
  return texts.map(({ uri }) => uri);
}

/** Those that name one of `workflows` of `file`, by its path; and scripts that tune one. */
export async function findConfigsOf(file: vscode.Uri, workflows: readonly string[]): Promise<vscode.Uri[]> {
  const folder = vscode.workspace.getWorkspaceFolder(file);
  const texts = await readYamlFiles(folder);
  const configs = texts
    .filter(({ uri, text }) => {
      const roots = [workingFolder(uri), path.dirname(uri.fsPath)];
      return namesFile(text, { file: file.fsPath, names: workflows, roots }, path);
    })
    .map(({ uri }) => uri);
  return file.path.endsWith('.py') ? [...configs, ...(await tunersOf(file, folder, workflows))] : configs;
}

/** Python scripts that call `tune` and speak of a function by its name and that of its module. */
async function tunersOf(
  file: vscode.Uri,
  folder: vscode.WorkspaceFolder | undefined,
  functions: readonly string[],
): Promise<vscode.Uri[]> {
  const texts = await readFiles('**/*.py', folder);
  const has = (text: string, word: string): boolean => text.split(/[^\p{ID_Continue}]/u).includes(word);
  const module = path.basename(file.fsPath, '.py');
  return texts
    .filter(({ text }) => has(text, module) && functions.some((name) => has(text, name)))
    .filter(({ text }) => scanTuneCalls(text).length > 0)
    .map(({ uri }) => uri);
}

/** Returns the default working folder of a run of this config. A Python script has its data next to it. */
export function workingFolder(config: vscode.Uri): string {
  if (config.path.endsWith('.py')) return path.dirname(config.fsPath);
  return vscode.workspace.getWorkspaceFolder(config)?.uri.fsPath ?? path.dirname(config.fsPath);
}

async function readYamlFiles(folder?: vscode.WorkspaceFolder): Promise<{ uri: vscode.Uri; text: string }[]> {
  const texts = await readFiles('**/*.{yaml,yml}', folder);
  return texts.filter(({ text }) => launchKey(text) !== undefined);
}

/** Returns files of a folder or of the workspace with their texts, in the order of their paths. */
export async function readFiles(
  pattern: string,
  folder?: vscode.WorkspaceFolder,
): Promise<{ uri: vscode.Uri; text: string }[]> {
  const include = folder ? new vscode.RelativePattern(folder, pattern) : pattern;
  const uris = await vscode.workspace.findFiles(include, notConfigs, mostFiles);
  uris.sort((a, b) => a.fsPath.localeCompare(b.fsPath));
  const texts: { uri: vscode.Uri; text: string }[] = [];
  for (let start = 0; start < uris.length; start += atOnce) {
    const some = uris.slice(start, start + atOnce);
    texts.push(...(await Promise.all(some.map(async (uri) => ({ uri, text: await currentText(uri) })))));
  }
  return texts;
}

/** Returns the text in the editor, or else on disk; empty for a file that cannot be read. */
async function currentText(uri: vscode.Uri): Promise<string> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open) return open.getText();
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return ''; // deleted since it was listed, or not ours to read: no config to offer
  }
}
