import * as vscode from 'vscode';
import { CodedError } from '../../base/core/errors.ts';
import type { TraceClient } from '../core/methods.ts';
import { largestWindow } from '../core/protocol/traceRpc.ts';
import { canRunEpisodes } from '../../tracking/core/records/tracedRun.ts';
import { debugType } from '../../base/core/ids.ts';

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

export async function debugEpisode(
  { client, configOfRollouts }: DebugParts,
  trace: string,
  episode: number,
): Promise<void> {
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
  const started = await vscode.debug.startDebugging(folder, {
    type: debugType,
    request: 'launch',
    name: vscode.l10n.t('Episode {0} of {1}', episode, experiment),
    config,
    ...(root !== undefined && { cwd: root }),
    replay: trace,
    episode,
  });
  if (!started) throw notStarted(episode);
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
