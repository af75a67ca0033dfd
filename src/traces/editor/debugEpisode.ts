import * as vscode from 'vscode';
import { CodedError } from '../../base/core/errors.ts';
import type { TraceClient } from '../core/methods.ts';
import { largestWindow } from '../core/protocol/traceRpc.ts';
import { canRunEpisodes } from '../../tracking/core/records/tracedRun.ts';
import { debugType } from '../../base/core/ids.ts';
import { localFiles } from '../../base/node/files.ts';
import { firstStatementLine } from '../../configs/core/code/methodPlace.ts';

/** A config and the folder that its workflow runs in, as absolute paths. */
export interface RunnableConfig {
  readonly config: string;
  readonly root: string;
}

/** Asks the user for the config of the training run that wrote a file of rollouts; undefined: canceled. */
export type ConfigOfRollouts = (source: string) => Promise<RunnableConfig | undefined>;

export interface DebugParts {
  readonly client: TraceClient;
  readonly configOfRollouts: ConfigOfRollouts;
}

export interface EpisodeToDebug {
  readonly trace: string;
  readonly episode: number;
  /** The call to stop at. Undefined: the start of the workflow. */
  readonly call?: number | undefined;
}

export async function debugEpisode(
  { client, configOfRollouts }: DebugParts,
  target: EpisodeToDebug,
): Promise<void> {
  const { trace, episode } = target;
  const run = await client.ask('run', { trace });
  const { experiment, imported } = run;
  if (!canRunEpisodes(run)) throw notOurs(imported?.format ?? '');
  const made =
    imported === undefined
      ? { config: run.config, root: run.launch?.cwd }
      : await configOfRollouts(imported.source);
  if (made === undefined) return;
  const { config, root } = made;
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(config));
  if (folder === undefined && !(await mayRun(config))) return;
  const stop = await stopAt(client, target);
  const started = await vscode.debug.startDebugging(folder, {
    type: debugType,
    request: 'launch',
    name: vscode.l10n.t('Episode {0} of {1}', episode, experiment),
    config,
    ...(root !== undefined && { cwd: root }),
    replay: trace,
    episode,
  });
  if (started) return;
  stop.dispose();
  throw notStarted(episode);
}

/** Sets a breakpoint at the place to stop, until the session ends. VS Code keeps a breakpoint of the user in that line instead. */
async function stopAt(client: TraceClient, target: EpisodeToDebug): Promise<vscode.Disposable> {
  const place = await placeOf(client, target);
  if (place === undefined) return new vscode.Disposable(() => undefined);
  const uri = vscode.Uri.file(place.file);
  const hits = place.hits === 1 ? undefined : `== ${place.hits}`;
  const location = new vscode.Location(uri, new vscode.Position(place.line - 1, 0));
  const breakpoint = new vscode.SourceBreakpoint(location, true, undefined, hits);
  vscode.debug.addBreakpoints([breakpoint]);
  const ended = vscode.debug.onDidTerminateDebugSession(({ type, configuration: { replay, episode } }) => {
    if (type === debugType && replay === target.trace && episode === target.episode) stop.dispose();
  });
  const stop = new vscode.Disposable(() => {
    ended.dispose();
    vscode.debug.removeBreakpoints([breakpoint]);
  });
  return stop;
}

interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The time at which the episode reaches the line, from 1. */
  readonly hits: number;
}

/** Returns undefined if the trace does not name the place. */
async function placeOf(client: TraceClient, target: EpisodeToDebug): Promise<Place | undefined> {
  const { trace, episode, call } = target;
  if (call !== undefined) return placeOfCall(client, { trace, episode, call });
  const { execute } = await client.ask('lines', { trace });
  if (execute === null) return undefined;
  const { file, line } = execute;
  const text = await localFiles.readText(file).catch(() => undefined);
  // Without its file, the run reports the error.
  return text === undefined
    ? undefined
    : { file, line: firstStatementLine(text, line, file) ?? line, hits: 1 };
}

async function placeOfCall(
  client: TraceClient,
  { trace, episode, call }: Required<Pick<EpisodeToDebug, 'trace' | 'episode'>> & { readonly call: number },
): Promise<Place | undefined> {
  const sources = await Promise.all(
    Array.from({ length: call + 1 }, (_, index) =>
      client.ask('source', { trace, episode, of: { kind: 'call', call: index } }).catch(() => undefined),
    ),
  );
  const source = sources.at(-1);
  if (source === undefined) return undefined;
  const { file, line } = source;
  const hits = sources.filter((one) => one?.file === file && one.line === line).length;
  return { file, line, hits };
}

/** Traces come from anywhere, and a config that one names is code that runs. */
async function mayRun(config: string): Promise<boolean> {
  const run = vscode.l10n.t('Run It');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('The trace names a config outside this workspace. Run it?'),
    { modal: true, detail: config },
    run,
  );
  return chosen === run;
}

interface EpisodeItem extends vscode.QuickPickItem {
  readonly episode: number;
}

export async function askForEpisode(client: TraceClient, trace: string): Promise<number | undefined> {
  const first = { trace, from: 0, limit: largestWindow.episodes };
  const { rows } = await client.ask('episodes', first);
  const items = rows.map(({ episode, taskId, repeat, reward, query }): EpisodeItem => {
    const outcome = reward === null ? vscode.l10n.t('no reward') : vscode.l10n.t('reward {0}', reward);
    const description = vscode.l10n.t('task {0}, repeat {1}: {2}', taskId, repeat, outcome);
    return { episode, label: vscode.l10n.t('Episode {0}', episode), description, detail: query };
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Select an Episode'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.episode;
}

function notStarted(episode: number): CodedError {
  return new CodedError({
    code: 'trace/not-started',
    message: vscode.l10n.t('Episode {0} was not started.', episode),
    hint: vscode.l10n.t('If a debug session started, the debug console shows the reason.'),
  });
}

function notOurs(format: string): CodedError {
  return new CodedError({
    code: 'trace/not-a-run',
    message: vscode.l10n.t(
      'The trace was imported from {0}, so it has no config and no workflow to run.',
      format,
    ),
    hint: vscode.l10n.t('You can only debug episodes of AgentJet runs and of rollouts that training wrote.'),
  });
}
