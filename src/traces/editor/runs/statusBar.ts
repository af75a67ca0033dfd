import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import {
  traceEventNames,
  trainingEventNames,
  type TrainingEndedBody,
  type TrainingProgressBody,
  type TrainingStartedBody,
  type RunEndedBody,
  type RunProgressBody,
  type RunStartedBody,
} from '../../core/runEvents.ts';
import { commands, contextKeys, debugType, traceEditorType } from '../../../base/core/ids.ts';
import { reportingErrors } from '../../../base/editor/reportErrors.ts';
import { showTrace } from '../showTrace.ts';
import { OngoingRuns, type OngoingRun } from './ongoingRuns.ts';
import { ongoingAccessibleName, ongoingText, ongoingTooltip, runProgress } from './ongoingTexts.ts';

/** The interval at which the time is updated, in milliseconds. */
const tick = 1_000;

/** The item appears while runs of this window are active, and after a failure until the user looks at it. */
export function registerRunStatus(clock: Clock, log: vscode.LogOutputChannel): Disposable {
  const store = new DisposableStore();
  const runs = store.add(new OngoingRuns(() => clock.now()));
  const item = store.add(
    vscode.window.createStatusBarItem('agentjet.runs', vscode.StatusBarAlignment.Left, 50),
  );
  item.name = vscode.l10n.t('AgentJet Runs');
  item.command = commands.showOngoingRuns;
  let ticking: Disposable | undefined;
  const draw = (): void => {
    const all = runs.list();
    const anyRuns = all.some(({ state }) => state === 'running');
    if (!anyRuns) ticking?.dispose();
    ticking = anyRuns ? (ticking ?? clock.every(tick, draw)) : undefined;
    show(item, all, clock.now());
  };
  store.defer(() => ticking?.dispose());
  store.add(runs.onChanged(draw));
  store.add(follow(runs));
  store.add(
    vscode.commands.registerCommand(commands.showOngoingRuns, () =>
      reportingErrors(() => showOngoing(runs), log),
    ),
  );
  return store;
}

function show(item: vscode.StatusBarItem, runs: readonly OngoingRun[], now: number): void {
  if (runs.length === 0) {
    item.hide();
    return;
  }
  const failed = runs.some(({ state }) => state === 'failed');
  item.text = ongoingText(runs, now);
  const tooltip = ongoingTooltip(runs);
  if (typeof item.tooltip !== 'object' || item.tooltip.value !== tooltip) {
    item.tooltip = new vscode.MarkdownString(tooltip);
  }
  item.accessibilityInformation = { label: ongoingAccessibleName(runs) };
  item.backgroundColor = failed ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
  item.show();
}

function follow(runs: OngoingRuns): Disposable {
  const store = new DisposableStore();
  store.add(
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session: { type, id }, event, body }) => {
      if (type !== debugType) return;
      if (event === traceEventNames.started) {
        runs.started(body as RunStartedBody, id);
        void vscode.commands.executeCommand('setContext', contextKeys.hasRun, true);
      }
      if (event === trainingEventNames.started) runs.trainingStarted(body as TrainingStartedBody, id);
      else if (event === trainingEventNames.progressed) {
        const { folder, step } = body as TrainingProgressBody;
        runs.progressed({ trace: folder, ended: step, failed: 0 });
      } else if (event === trainingEventNames.ended) {
        const { folder, status } = body as TrainingEndedBody;
        runs.ended({ trace: folder, status });
      } else if (event === traceEventNames.progressed) runs.progressed(body as RunProgressBody);
      else if (event === traceEventNames.ended) runs.ended(body as RunEndedBody);
    }),
  );
  store.add(vscode.debug.onDidTerminateDebugSession(({ id }) => runs.sessionEnded(id)));
  // A trace that opens to the side at a run's end counts as seen when the user focuses it.
  const look = (): void => {
    const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
    if (input instanceof vscode.TabInputCustom && input.viewType === traceEditorType) {
      runs.lookedAt(input.uri.fsPath);
    }
  };
  store.add(vscode.window.tabGroups.onDidChangeTabs(look));
  store.add(vscode.window.tabGroups.onDidChangeTabGroups(look));
  return store;
}

interface RunItem extends vscode.QuickPickItem {
  readonly run: OngoingRun;
}

async function showOngoing(runs: OngoingRuns): Promise<void> {
  const all = runs.list();
  const run = all.length === 1 ? all[0] : await choose(all);
  if (run === undefined) return;
  const { trace, isTraining } = run;
  if (isTraining === true) {
    await vscode.commands.executeCommand(commands.openTrainingFolder, vscode.Uri.file(trace));
    runs.lookedAt(trace);
    return;
  }
  // Opens to the side, because the trace and the code at which the run stops would hide each other.
  await showTrace(vscode.Uri.file(trace), { beside: true, focus: true });
  runs.lookedAt(trace);
}

async function choose(runs: readonly OngoingRun[]): Promise<OngoingRun | undefined> {
  if (runs.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('This window has no active run.'));
    return undefined;
  }
  const items = runs.map((run): RunItem => ({
    label: `${run.state === 'failed' ? '$(error)' : '$(loading~spin)'} ${run.name}`,
    description: runProgress(run),
    run,
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Which run?') });
  return chosen?.run;
}
