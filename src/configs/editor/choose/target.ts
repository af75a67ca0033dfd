import type * as vscode from 'vscode';
import { scanJobs } from '../../core/code/jobScan.ts';
import { scanTuneCalls } from '../../core/code/tuneScan.ts';
import { launchKey } from '../../core/dialect.ts';
import { scanUserWorkflows } from '../../core/code/userWorkflows.ts';
import { languages, readOnlyConfigSchemes } from '../../../base/core/ids.ts';

/**
 * The target of a launch. This is a config, a script that creates a job or calls `tune`, or a file of workflows.
 * `workflow` names one of them.
 */
export type Target =
  | { readonly kind: 'config' | 'job'; readonly uri: vscode.Uri }
  | { readonly kind: 'workflow'; readonly uri: vscode.Uri; readonly workflows: readonly string[] };

/** The limit in characters; longer files are data and are not scanned. */
const longestText = 1_000_000;

export function targetOf(document: vscode.TextDocument): Target | undefined {
  const { languageId, uri } = document;
  if (readOnlyConfigSchemes.includes(uri.scheme)) return undefined;
  if (languageId === languages.config) {
    const text = shortText(document);
    return launchKey(text) !== undefined ? { kind: 'config', uri } : undefined;
  }
  if (!(languages.code as readonly string[]).includes(languageId)) return undefined;
  const text = shortText(document);
  const language = codeLanguage(document);
  if (scripts[language](text).length > 0) return { kind: 'job', uri };
  const workflows = scanUserWorkflows(text, language).map(({ name, registered }) => registered ?? name);
  return workflows.length > 0 ? { kind: 'workflow', uri, workflows } : undefined;
}

export const scripts = { typescript: scanJobs, python: scanTuneCalls } as const;

/** By which scan a document is read; JavaScript is read as TypeScript. */
export function codeLanguage({ languageId }: vscode.TextDocument): 'python' | 'typescript' {
  return languageId === 'python' ? 'python' : 'typescript';
}

/** The text, or nothing when it is too long to be of interest. */
export function shortText(document: vscode.TextDocument): string {
  const text = document.getText();
  return text.length <= longestText ? text : '';
}
