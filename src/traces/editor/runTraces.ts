import * as vscode from 'vscode';
import type { Disposable } from '../../base/core/disposable.ts';
import { traceEventNames, type RunEndedBody, type RunStartedBody } from '../core/runEvents.ts';
import { debugType, settings, settingsSection } from '../../base/core/ids.ts';
import { renamedSetting } from '../../base/editor/settings.ts';
import { reportingErrors } from '../../base/editor/reportErrors.ts';
import type { LastTrace } from './lastTrace.ts';
import { showTrace } from './showTrace.ts';

/** The values of `agentjet.trace.autoOpen`. */
type OpenTrace = 'never' | 'whenRunStarts' | 'whenRunEnds';

/** Opens the traces of runs under F5, depending on the setting. */
export function openTracesOfRuns(last: LastTrace, log: vscode.LogOutputChannel): Disposable {
  return vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
    if (session.type !== debugType) return;
    void reportingErrors(() => heard(session, event, body, last), log);
  });
}

async function heard(
  session: vscode.DebugSession,
  event: string,
  body: unknown,
  last: LastTrace,
): Promise<void> {
  if (event === traceEventNames.started) {
    const { trace } = body as RunStartedBody;
    await last.remember(trace);
    if (whenToOpen(session) === 'whenRunStarts') await open(trace);
  } else if (event === traceEventNames.ended) {
    const { trace, status } = body as RunEndedBody;
    // A user who stopped the run does not want to see it.
    if (whenToOpen(session) === 'whenRunEnds' && status !== 'cancelled') await open(trace);
  }
}

function whenToOpen(session: vscode.DebugSession): OpenTrace {
  const section = vscode.workspace.getConfiguration(settingsSection, session.workspaceFolder?.uri);
  return renamedSetting<OpenTrace>(section, settings.traceAutoOpen, 'whenRunEnds');
}

function open(trace: string): Promise<void> {
  return showTrace(vscode.Uri.file(trace), { beside: true });
}
