import path from 'node:path';
import * as vscode from 'vscode';
import { runTraceJob, type Job, type TraceJobOutcome } from '../node/client/traceJob.ts';
import type { SpawnTraceServer } from '../node/client/serverProcess.ts';
import { withCancellableProgress } from '../../base/editor/progress.ts';
import { showTrace } from './showTrace.ts';

export interface TraceJobs {
  readonly spawn: SpawnTraceServer;
  readonly importFolder: vscode.Uri;
}

/** Shows a location in the open viewers of a trace, and in the next one that opens. */
export type NavigateViewer = (trace: string, place: string) => void;

/**
 * @param uri from a menu; absent: a dialog asks for it
 * @param place a location in the viewer, as parameters of its address; a menu passes another value
 */
export async function openTrace(
  uri: unknown,
  place: unknown,
  { go, ...jobs }: TraceJobs & { readonly go: NavigateViewer },
): Promise<void> {
  const file = uri instanceof vscode.Uri ? uri : await askForTrace();
  if (file === undefined) return;
  const trace = /\.ajtrace$/i.test(file.path) ? file : await imported(file, jobs);
  if (trace === undefined) return;
  if (typeof place !== 'string') {
    await showTrace(trace, { beside: false });
    return;
  }
  go(trace.fsPath, place);
  await showTrace(trace, { beside: true, focus: true });
}

async function askForTrace(): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    filters: {
      [vscode.l10n.t('Traces and recordings')]: ['ajtrace', 'db', 'json', 'jsonl', 'log'],
      [vscode.l10n.t('All files')]: ['*'],
    },
    openLabel: vscode.l10n.t('Open Trace'),
    title: vscode.l10n.t('Select a trace, or a recording of another tool'),
  });
  return chosen?.[0];
}

function imported(file: vscode.Uri, { spawn, importFolder }: TraceJobs): Thenable<vscode.Uri | undefined> {
  const title = vscode.l10n.t('Reading {0}', path.basename(file.fsPath));
  const job = { kind: 'import', file: file.fsPath, cacheFolder: importFolder.fsPath } as const;
  return withJob(spawn, title, job).then((made) => made && vscode.Uri.file(made.file));
}

/** Runs a job of the trace server with a notification that can cancel it; undefined: canceled. */
export function withJob(
  spawn: SpawnTraceServer,
  title: string,
  job: Job,
): Thenable<TraceJobOutcome | undefined> {
  return withCancellableProgress(title, ({ cancellation, report }) =>
    runTraceJob(spawn, job, { cancellation, onProgress: (share) => report({ share }) }),
  );
}
