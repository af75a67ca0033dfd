import * as vscode from 'vscode';
import { CodedError } from '../../base/core/errors.ts';
import { placeTypes, typesFile } from '../node/project/copy.ts';
import { ProjectSource } from '../node/project/source.ts';
import { withPathMapping } from './tsconfigText.ts';

const mapping = { agentjet: [`./${typesFile}`] };

/** For a folder that has no tsconfig.json: what a workflow needs to be checked, and no more. */
const newConfig = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    paths: mapping,
  },
};

/**
 * Adds the types of the package "agentjet" to a folder without a registry: the file of the types and a `paths` entry in
 * tsconfig.json. The comments and the order of tsconfig.json do not change. A repeated call updates the file.
 */
export async function addTypes(folder: vscode.Uri, extension: vscode.Uri): Promise<void> {
  await placeTypes(folder.fsPath, new ProjectSource(extension.fsPath).types);
  const config = vscode.Uri.joinPath(folder, 'tsconfig.json');
  const text = await readText(config);
  const changed =
    text === undefined
      ? `${JSON.stringify(newConfig, null, 2)}\n`
      : withPathMapping(text, 'agentjet', mapping.agentjet);
  if (changed === undefined) throw brokenConfig(config);
  if (changed !== text) await vscode.workspace.fs.writeFile(config, new TextEncoder().encode(changed));
}

async function readText(file: vscode.Uri): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return undefined;
    throw error;
  }
}

function brokenConfig(config: vscode.Uri): CodedError {
  return new CodedError({
    code: 'types/broken-tsconfig',
    message: vscode.l10n.t('The types were not added, because this tsconfig.json cannot be read.'),
    location: { file: config.fsPath },
    hint: vscode.l10n.t(
      'Fix the file and run the command again, or add "paths": {0} yourself.',
      JSON.stringify(mapping),
    ),
  });
}
