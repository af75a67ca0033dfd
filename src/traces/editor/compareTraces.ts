import path from 'node:path';
import * as vscode from 'vscode';
import { CodedError } from '../../base/core/errors.ts';
import type { TraceClient } from '../core/methods.ts';
import { largestWindow } from '../core/protocol/traceRpc.ts';
import type { EpisodeRow } from '../core/protocol/traceLists.ts';
import type { ComparedRuns } from './comparedRuns.ts';
import type { NavigateViewer } from './openTrace.ts';
import { showTrace } from './showTrace.ts';

interface CompareParts {
  readonly client: TraceClient;
  readonly compared: ComparedRuns;
  readonly go: NavigateViewer;
}

/** Shows an episode of a trace next to one of another trace with the same task: the task whose reward changed most. */
export async function compareTraces(
  trace: string,
  other: string,
  { client, compared, go }: CompareParts,
): Promise<void> {
  const [own, others] = await Promise.all([trace, other].map((one) => rowsOf(client, one)));
  const pairs = (own ?? []).flatMap((row) => {
    const match = others?.find(({ taskId, repeat }) => taskId === row.taskId && repeat === row.repeat);
    return match === undefined ? [] : [{ row, change: Math.abs((row.reward ?? 0) - (match.reward ?? 0)) }];
  });
  const [first, ...rest] = pairs;
  if (first === undefined) throw noCommonTask(trace, other);
  const { row } = rest.reduce((most, pair) => (pair.change > most.change ? pair : most), first);
  await compared.remember(other);
  go(trace, `episode=${row.episode}&compare=&otherRun=${encodeURIComponent(other)}`);
  await showTrace(vscode.Uri.file(trace), { beside: true, focus: true });
}

async function rowsOf(client: TraceClient, trace: string): Promise<readonly EpisodeRow[]> {
  return (await client.ask('episodes', { trace, from: 0, limit: largestWindow.episodes })).rows;
}

function noCommonTask(trace: string, other: string): CodedError {
  const [name, otherName] = [trace, other].map((file) => path.basename(file, '.ajtrace'));
  return new CodedError({
    code: 'trace/no-common-task',
    message: vscode.l10n.t('{0} and {1} have no task in common.', name ?? '', otherName ?? ''),
    hint: vscode.l10n.t('Compare validations, which run the same tasks, or a step of another epoch.'),
  });
}
