import path from 'node:path';
import * as vscode from 'vscode';
import { neverCancelled } from '../../base/core/cancellation.ts';
import { CodedError } from '../../base/core/errors.ts';
import { sizeText } from '../../base/core/format.ts';
import { finalStates, type Checkpoint, type RunRecord } from '../core/protocol/runs.ts';
import { locateFindings, type LocatedFinding } from '../core/dispatch/located.ts';
import { checkpointText } from '../core/runs/words.ts';
import {
  isSameCheckpoint,
  newestCheckpoint,
  stageFolder,
  type CheckpointId,
} from '../core/sync/checkpoints.ts';
import { withCancellableProgress } from '../../base/editor/progress.ts';
import { addHostArgs, rerunArgs } from './commandLines.ts';
import type { HostClient } from './hostClient.ts';
import type { KnownHost } from './knownHosts.ts';
import type { PreflightNotes } from './preflightNotes.ts';
import type { DispatchedRuns } from './dispatchedRuns.ts';
import { environmentOf } from './trainingVariables.ts';

/** The run that a command is for, with its connected host. */
export interface ChosenRun {
  readonly host: KnownHost;
  readonly client: HostClient;
  readonly run: RunRecord;
}

export const isRunning = ({ state }: RunRecord): boolean => !finalStates.includes(state);

export async function cancelTraining({ host, client, run }: ChosenRun): Promise<void> {
  const cancel = vscode.l10n.t('Cancel Training Run');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Cancel the training run {0} on {1}?', run.name, host.name),
    {
      modal: true,
      detail: vscode.l10n.t(
        'The run is interrupted, and killed if it does not stop. Its checkpoints are kept.',
      ),
    },
    cancel,
  );
  if (chosen === cancel) client.upsertRun(await client.connection.ask('run.cancel', { run: run.id }));
}

export async function removeTraining({ host, client, run }: ChosenRun): Promise<void> {
  const keep = vscode.l10n.t('Remove, Keep Checkpoints');
  const all = vscode.l10n.t('Remove All');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Remove the training run {0} from {1}?', run.name, host.name),
    { modal: true, detail: vscode.l10n.t('Its code, log and events are deleted on the host.') },
    keep,
    all,
  );
  if (chosen === undefined) return;
  await client.connection.ask('run.remove', { run: run.id, checkpoints: chosen === all });
  client.removeRun(run.id);
}

export interface ResumeParts {
  readonly dispatchedRuns: DispatchedRuns;
  readonly notes: PreflightNotes;
}

/** Resolves to the new run, or to undefined if the user dismisses a question. */
export async function resumeOrFork(
  chosen: ChosenRun,
  as: 'resume' | 'fork',
  { dispatchedRuns, notes }: ResumeParts,
  wanted?: CheckpointId,
): Promise<RunRecord | undefined> {
  const { host, client, run } = chosen;
  const checkpoints = await client.connection.ask('checkpoint.list', { run: run.id });
  const resumable = checkpoints.filter((one) => one.resumable);
  const newest = newestCheckpoint(resumable);
  if (newest === undefined) throw noCheckpoint(run);
  const usable = as === 'resume' ? [newest] : resumable;
  const checkpoint =
    wanted === undefined
      ? await chooseCheckpoint(usable, vscode.l10n.t('Select the checkpoint to start from'))
      : usable.find((one) => isSameCheckpoint(one, wanted));
  if (checkpoint === undefined) {
    if (wanted !== undefined) throw notFrom(wanted, as, newest);
    return undefined;
  }
  const { resumePlan, resumeRun } = await import('../node/client/runActions.ts');
  const sent = await dispatchedRuns.find(run.id, run.config);
  const environment = await environmentOf(sent?.root);
  const env = Object.fromEntries(
    run.env.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const { from, restored } = resumePlan(run, checkpoints, checkpoint, as);
  const started = await resumeRun(client.connection, run, from, env, {
    cancellation: neverCancelled,
    confirm: async (findings) => {
      const config = sent && vscode.Uri.file(sent.config);
      if (config !== undefined) await noteFindings(notes, config, host.name, findings);
      return confirmed(chosen, from, { restored, findings, config });
    },
  });
  if (started === undefined) return undefined;
  if (sent !== undefined) await dispatchedRuns.add(started.id, sent);
  client.upsertRun(started);
  return started;
}

/** Shows findings in the config. It can have changed since the dispatch, so they are located by their keys. */
async function noteFindings(
  notes: PreflightNotes,
  config: vscode.Uri,
  host: string,
  findings: readonly LocatedFinding[],
): Promise<void> {
  const document = await Promise.resolve(vscode.workspace.openTextDocument(config)).catch(() => undefined);
  if (document !== undefined) notes.set(config, host, locateFindings(document.getText(), findings));
}

async function confirmed(
  { host, run }: ChosenRun,
  from: NonNullable<RunRecord['from']>,
  {
    restored,
    findings,
    config,
  }: {
    readonly restored: readonly string[];
    readonly findings: readonly LocatedFinding[];
    readonly config: vscode.Uri | undefined;
  },
): Promise<boolean> {
  const { as } = from;
  const start = as === 'resume' ? vscode.l10n.t('Resume') : vscode.l10n.t('Fork');
  const anyway = vscode.l10n.t('Start Anyway');
  const show = vscode.l10n.t('Show Problems');
  const hasErrors = findings.some(({ severity }) => severity === 'error');
  const question = hasErrors
    ? vscode.l10n.t('{0} cannot be trained on {1}.', run.name, host.name)
    : as === 'resume'
      ? vscode.l10n.t('Resume {0} from {1}?', run.name, checkpointText(from))
      : vscode.l10n.t('Fork {0} from {1}?', run.name, checkpointText(from));
  const messages = findings.map(({ message, severity }) => `${severity === 'info' ? '' : '⚠ '}${message}`);
  const detail = [...messages, ...(messages.length > 0 ? [''] : []), ...restored].join('\n');
  const showButton = findings.length > 0 && config !== undefined ? [show] : [];
  const buttons = hasErrors ? [...showButton, anyway] : [start, ...showButton];
  const chosen = await vscode.window.showInformationMessage(question, { modal: true, detail }, ...buttons);
  if (chosen === show && config !== undefined) {
    await vscode.window.showTextDocument(config);
    await vscode.commands.executeCommand('workbench.actions.view.problems');
  }
  return chosen === start || chosen === anyway;
}

/** Downloads a checkpoint to a folder that the user chooses. */
export async function fetchCheckpointOf({ client, run }: ChosenRun, wanted?: CheckpointId): Promise<void> {
  const checkpoints = await client.connection.ask('checkpoint.list', { run: run.id });
  if (checkpoints.length === 0) throw noCheckpoint(run);
  const checkpoint =
    wanted === undefined
      ? await chooseCheckpoint(checkpoints, vscode.l10n.t('Select a checkpoint'))
      : checkpoints.find((one) => isSameCheckpoint(one, wanted));
  if (checkpoint === undefined) return;
  const [folder] =
    (await vscode.window.showOpenDialog({
      canSelectFiles: false,
      canSelectFolders: true,
      canSelectMany: false,
      openLabel: vscode.l10n.t('Fetch Here'),
      title: vscode.l10n.t('Select a folder for the checkpoint of {0}', checkpointText(checkpoint)),
      ...(vscode.workspace.workspaceFolders?.[0] && { defaultUri: vscode.workspace.workspaceFolders[0].uri }),
    })) ?? [];
  if (folder === undefined) return;
  const { stage } = checkpoint;
  const suffix = stage === undefined ? '' : `-${stageFolder(stage)}`;
  const target = path.join(folder.fsPath, `${run.name}-${run.id.slice(-6)}${suffix}-step-${checkpoint.step}`);
  const title = vscode.l10n.t('Fetching the checkpoint of {0}', checkpointText(checkpoint));
  const isHere = await withCancellableProgress(title, async ({ cancellation, report }) => {
    const { fetchCheckpoint } = await import('../node/client/sync/fetchCheckpoint.ts');
    const onProgress = ({ bytes, total }: { readonly bytes: number; readonly total: number }): void => {
      const share = total === 0 ? 1 : bytes / total;
      report({ message: `${Math.floor(100 * share)} %`, share });
    };
    await fetchCheckpoint(client.connection, run.id, checkpoint, target, { cancellation, onProgress });
    return true;
  });
  if (isHere === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        'The data received so far is kept. To continue, fetch the checkpoint to the same folder again.',
      ),
    );
    return;
  }
  const open = vscode.l10n.t('Reveal in File Manager');
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t('The checkpoint is in {0}.', target),
    open,
  );
  if (chosen === open) await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(target));
}

async function chooseCheckpoint(
  all: readonly Checkpoint[],
  question: string,
): Promise<Checkpoint | undefined> {
  if (all.length === 1) return all[0];
  // The host lists them in order, stage by stage.
  const items = all.toReversed().map((checkpoint) => ({
    label: vscode.l10n.t('Step {0}', checkpoint.step),
    description: [
      ...(checkpoint.stage === undefined ? [] : [vscode.l10n.t('stage {0}', checkpoint.stage)]),
      sizeText(checkpoint.bytes),
      new Date(checkpoint.modifiedAt).toLocaleString(vscode.env.language),
      ...(checkpoint.reward === null
        ? []
        : [vscode.l10n.t('reward {0}', Number(checkpoint.reward.toPrecision(3)))]),
    ].join(' · '),
    checkpoint,
  }));
  const picked = await vscode.window.showQuickPick(items, { placeHolder: question });
  return picked?.checkpoint;
}

/** Copies the command that starts the same run from a terminal. The command line has a separate list of hosts. */
export async function copyCommand({ host, run }: ChosenRun, dispatchedRuns: DispatchedRuns): Promise<void> {
  const sent = await dispatchedRuns.find(run.id, run.config);
  const { shellCommand } = await import('../core/launch/shellWords.ts');
  const add = shellCommand(await addHostArgs(host));
  await vscode.env.clipboard.writeText(shellCommand(rerunArgs(host, run, sent)));
  const messages = [
    vscode.l10n.t('The command was copied to the clipboard.'),
    ...(run.from === null && sent === undefined
      ? [vscode.l10n.t('Run it in the folder that was sent.')]
      : []),
    vscode.l10n.t('The command line has a separate list of hosts. To add this host to it: {0}', add),
  ];
  const copyAdd = vscode.l10n.t('Copy Command to Add Host');
  void vscode.window.showInformationMessage(messages.join(' '), copyAdd).then((chosen) => {
    if (chosen === copyAdd) void vscode.env.clipboard.writeText(add);
  });
}

/**
 * Opens the folder of a run: in the file manager, or in a new window if there is no desktop. The path of a folder on
 * another machine is copied.
 */
export async function openJobFolder({ host, run }: ChosenRun): Promise<void> {
  if (run.jobFolder === null) return;
  const isHere = /^wss?:\/\/(?:127\.|localhost[:/]|\[::1\])/.test(`${host.url}/`);
  const uri = vscode.Uri.file(run.jobFolder);
  const exists = await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  if (isHere && exists) {
    const { remoteName, uiKind } = vscode.env;
    const hasDesktop = remoteName === undefined && uiKind === vscode.UIKind.Desktop;
    if (hasDesktop) await vscode.commands.executeCommand('revealFileInOS', uri);
    else await vscode.commands.executeCommand('vscode.openFolder', uri, { forceNewWindow: true });
    return;
  }
  await vscode.env.clipboard.writeText(run.jobFolder);
  void vscode.window.showInformationMessage(
    vscode.l10n.t('The path of the folder on {0} was copied to the clipboard: {1}', host.name, run.jobFolder),
  );
}

/** Returns the error for a checkpoint that was written or removed after the page listed it. */
function notFrom(wanted: CheckpointId, as: 'resume' | 'fork', newest: CheckpointId): CodedError {
  const code = 'hosts/not-resumable';
  return as === 'resume'
    ? new CodedError({
        code,
        message: vscode.l10n.t(
          'Training can resume only from the newest checkpoint, {0}.',
          checkpointText(newest),
        ),
        hint: vscode.l10n.t(
          'To start from {0}, choose Fork, which does not change this run.',
          checkpointText(wanted),
        ),
      })
    : new CodedError({
        code,
        message: vscode.l10n.t('The checkpoint of {0} can no longer be forked.', checkpointText(wanted)),
        hint: vscode.l10n.t('Choose a newer one: training keeps only a few checkpoints.'),
      });
}

function noCheckpoint({ name }: RunRecord): CodedError {
  return new CodedError({
    code: 'hosts/no-checkpoint',
    message: vscode.l10n.t('The training run {0} has no suitable checkpoint.', name),
    hint: vscode.l10n.t(
      'Check when the config saves checkpoints: `save_freq` in AgentJet, `save_interval` in Trinity-RFT.',
    ),
  });
}
