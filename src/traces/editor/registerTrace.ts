import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { formatReport, toReport } from '../../base/core/errors.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { TraceClient } from '../core/methods.ts';
import { commands, debugType, settings, settingsSection, traceEditorType } from '../../base/core/ids.ts';
import { renamedSetting } from '../../base/editor/settings.ts';
import { reportingErrors } from '../../base/editor/reportErrors.ts';
import { traceEventNames, type RunEndedBody, type RunStartedBody } from '../core/runEvents.ts';
import { exportTrace } from './exportTrace.ts';
import type { TreeNode } from './runs/runTree.ts';
import { ComparedRuns } from './comparedRuns.ts';
import { compareTraces } from './compareTraces.ts';
import { askForEpisode, debugEpisode, type ConfigOfRollouts, type DebugParts } from './debugEpisode.ts';
import { LastRunNumbers } from './lastRunNumbers.ts';
import { registerNumberLenses } from './numberLenses.ts';
import { openTrace, type NavigateViewer, type TraceJobs } from './openTrace.ts';
import { partsOf } from '../node/store/fileParts.ts';
import { showTrace } from './showTrace.ts';
import { TraceEditorProvider } from './traceEditor.ts';

const lastTraceKey = 'agentjet.lastTrace';

/** Finds the newest trace among the runs of this window, in any folder, and the traces in its folders. */
class LastTrace {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  async remember(trace: string): Promise<void> {
    await this.#state.update(lastTraceKey, trace);
  }

  async find(): Promise<vscode.Uri | undefined> {
    const remembered = this.#state.get<string>(lastTraceKey);
    const found = await vscode.workspace.findFiles('**/*.ajtrace', '**/node_modules/**');
    const files = found.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
    const candidates = [...files, ...(remembered === undefined ? [] : [remembered])];
    const dated = await Promise.all(candidates.map(async (file) => ({ file, time: await changedAt(file) })));
    const newest = dated.filter(({ time }) => time > 0).sort((a, b) => b.time - a.time)[0];
    return newest && vscode.Uri.file(newest.file);
  }
}

/** Returns milliseconds since the Unix epoch; 0: the file is gone. While a run is active, its journal changes. */
async function changedAt(file: string): Promise<number> {
  const [own = 0, ...others] = await Promise.all(partsOf(file).map(writtenAt));
  return own === 0 ? 0 : Math.max(own, ...others);
}

async function writtenAt(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return 0; // not there, or out of reach
  }
}

export interface TraceParts {
  readonly jobs: TraceJobs;
  readonly configOfRollouts: ConfigOfRollouts;
  readonly client: TraceClient;
  readonly clock: Clock;
  readonly state: vscode.Memento;
  readonly webFolder: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
}

export function registerTrace(parts: TraceParts): Disposable {
  const { client, clock, jobs, state, webFolder, log } = parts;
  const store = new DisposableStore();
  const last = new LastTrace(state);
  const register = (id: string, run: (...args: unknown[]) => Promise<void>): void => {
    store.add(
      vscode.commands.registerCommand(id, (...args: unknown[]) => reportingErrors(() => run(...args), log)),
    );
  };
  const go: NavigateViewer = (trace, place) => editors.go(trace, place);
  const compared = new ComparedRuns(client, state);
  const editors = store.add(new TraceEditorProvider(parts, webFolder, compared));
  store.add(
    vscode.window.registerCustomEditorProvider(traceEditorType, editors, {
      // It finds visible text. The page itself finds the rest.
      webviewOptions: { enableFindWidget: true },
    }),
  );
  store.add(openTracesOfRuns(last, log));
  register(commands.openTrace, (uri, place, other) =>
    uri instanceof vscode.Uri && typeof other === 'string'
      ? compareTraces(uri.fsPath, other, { client, compared, go })
      : openTrace(uri, place, { ...jobs, go }),
  );
  register(commands.exportTrace, (uri, known) => exportTrace(uri, known, jobs));
  register(commands.openLastTrace, () => openLastTrace(last));
  register(commands.compareRuns, () => openLastTrace(last, (trace) => go(trace, 'runs')));
  register(commands.debugEpisode, (of) => debugChosen(parts, last, of));
  store.add(registerNumberLenses(store.add(lastRunNumbers({ client, clock, log }, last))));
  return store;
}

function lastRunNumbers(
  { client, clock, log }: Pick<TraceParts, 'client' | 'clock' | 'log'>,
  last: LastTrace,
): LastRunNumbers {
  return new LastRunNumbers({
    client,
    clock,
    findTrace: async () => (await last.find())?.fsPath,
    // The user did not ask for the numbers, so an error is only logged.
    onFailed: (error) => log.warn(formatReport(toReport(error, 'trace/no-numbers'))),
  });
}

/** @param of a trace or a row of the Runs view; for other values the newest trace is used */
async function debugChosen(parts: DebugParts, last: LastTrace, of: unknown): Promise<void> {
  const { client } = parts;
  const trace = of instanceof vscode.Uri ? of : (traceOfRow(of) ?? (await last.find()));
  if (trace === undefined) {
    tellNoTrace();
    return;
  }
  const episode = await askForEpisode(client, trace.fsPath);
  if (episode === undefined) return;
  // Reports a recording that cannot be replayed before a session starts.
  await client.ask('debug', { trace: trace.fsPath, episode });
  await debugEpisode(parts, { trace: trace.fsPath, episode });
}

function traceOfRow(row: unknown): vscode.Uri | undefined {
  const { kind, run } = (row ?? {}) as Partial<Extract<TreeNode, { kind: 'run' }>>;
  return kind === 'run' && run !== undefined ? vscode.Uri.file(run.file.trace) : undefined;
}

/** @param prepare called with the trace before its viewer opens */
async function openLastTrace(last: LastTrace, prepare?: (trace: string) => void): Promise<void> {
  const trace = await last.find();
  if (trace) {
    prepare?.(trace.fsPath);
    await showTrace(trace, { beside: false });
    return;
  }
  tellNoTrace();
}

function tellNoTrace(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('There is no trace yet. To record one, open an AgentJet config and press F5.'),
  );
}

/** The values of `agentjet.trace.autoOpen`. */
type OpenTrace = 'never' | 'whenRunStarts' | 'whenRunEnds';

function openTracesOfRuns(last: LastTrace, log: vscode.LogOutputChannel): Disposable {
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
  // The trace that the episode comes from stays open.
  if (session.configuration['episode'] !== undefined) return 'never';
  const section = vscode.workspace.getConfiguration(settingsSection, session.workspaceFolder?.uri);
  return renamedSetting<OpenTrace>(section, settings.traceAutoOpen, 'whenRunEnds');
}

function open(trace: string): Promise<void> {
  return showTrace(vscode.Uri.file(trace), { beside: true });
}
