import path from 'node:path';
import * as vscode from 'vscode';
import { CodedError } from '../../base/core/errors.ts';
import type { TraceClient } from '../core/methods.ts';
import { configCopy } from './runs/runFiles.ts';
import { WorkspaceRuns } from './runs/workspaceRuns.ts';

const batchSize = 20;

/** Returns the copy that the newest run of a config saved. Rejects with a CodedError if there is none. */
export async function configOfLastRun(config: vscode.Uri, client: TraceClient): Promise<vscode.Uri> {
  const runs = (await new WorkspaceRuns().list())
    .filter(({ ownFolder }) => ownFolder)
    .sort((a, b) => b.modified - a.modified);
  for (let start = 0; start < runs.length; start += batchSize) {
    const traces = runs.slice(start, start + batchSize).map(({ trace }) => trace);
    const summaries = await client.ask('summaries', { traces });
    const ofConfig = new Set(
      summaries.filter((summary) => isSame(summary.config, config.fsPath)).map(({ trace }) => trace),
    );
    const newest = traces.find((trace) => ofConfig.has(trace));
    if (newest !== undefined) return vscode.Uri.file(path.join(path.dirname(newest), configCopy));
  }
  throw new CodedError({
    code: 'config/no-run',
    message: vscode.l10n.t('The open folders have no run of {0}.', vscode.workspace.asRelativePath(config)),
    hint: vscode.l10n.t('Run it with F5 first.'),
  });
}

function isSame(a: string, b: string): boolean {
  return path.relative(a, b) === '';
}
