import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { neverCancelled } from '../../base/core/cancellation.ts';
import { CodedError } from '../../base/core/errors.ts';
import { sizeText } from '../../base/core/format.ts';
import type { Checkpoint, RunRecord } from '../core/protocol/runs.ts';
import { locateFindings, type LocatedFinding } from '../core/dispatch/located.ts';
import { checkpointText } from '../core/runs/words.ts';
import {
  isSameCheckpoint,
  newestCheckpoint,
  stageFolder,
  type CheckpointId,
} from '../core/sync/checkpoints.ts';
import { addHostArgs, rerunArgs } from './commandLines.ts';
import type { ChosenRun } from './hostClient.ts';
import { confirmStart, findingTexts, type PreflightNotes } from './preflightNotes.ts';
import { fetchInto } from './fetchInto.ts';
import { openRollouts } from './rollouts.ts';
import type { TrainingServices } from './services.ts';
import { environmentOf } from './trainingVariables.ts';

/** An action on a run. `checkpoint` is the one that the user chose on the page; undefined to ask for it. */
export type RunAction = (chosen: ChosenRun, services: TrainingServices, checkpoint?: CheckpointId) => unknown;

export const runActions = {
  cancel: cancelTraining,
  remove: removeTraining,
  resume: (chosen, services, checkpoint) => resumeOrFork(chosen, 'resume', services, checkpoint),
  fork: (chosen, services, checkpoint) => resumeOrFork(chosen, 'fork', services, checkpoint),
  fetchCheckpoint: (chosen, _, checkpoint) => fetchCheckpointOf(chosen, checkpoint),
  showLog: (chosen, { showLog }) => showLog(chosen),
  showConfig: (chosen, { configs }) => configs.show(chosen),
  openRollouts,
  openJobFolder,
  copyCommand,
} as const satisfies Readonly<Record<string, RunAction>>;

async function cancelTraining({ host, client, run }: ChosenRun): Promise<void> {
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

async function removeTraining({ host, client, run }: ChosenRun): Promise<void> {
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

/** Starts a run from a checkpoint of another one and shows its page, unless the user dismisses a question. */
async function resumeOrFork(
  chosen: ChosenRun,
  as: 'resume' | 'fork',
  { dispatchedRuns, notes, showPage }: TrainingServices,
  wanted: CheckpointId | undefined,
): Promise<void> {
  const { host, client, run } = chosen;
  const checkpoints = await client.connection.ask('checkpoint.list', { run: run.id });
  const resumable = checkpoints.filter((one) => one.resumable);
  const newest = newestCheckpoint(resumable);
  if (newest === undefined) throw noCheckpoint(run);
  const usable = as === 'resume' ? [newest] : resumable;
  const question = vscode.l10n.t('Select the checkpoint to start from');
  const checkpoint = await chooseCheckpoint(usable, question, wanted);
  if (checkpoint === undefined) {
    if (wanted !== undefined) throw notFrom(wanted, as, newest);
    return;
  }
  const { resumePlan, resumeRun } = await import('../node/client/runActions.ts');
  const sent = dispatchedRuns.find(run.id, run.config);
  const config = sent && vscode.Uri.file(sent.config);
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
      if (config !== undefined) await noteFindings(notes, config, host.name, findings);
      const messages = findingTexts(findings);
      const source = checkpointText(from);
      return confirmStart({
        subject: run.name,
        host: host.name,
        question:
          as === 'resume'
            ? vscode.l10n.t('Resume {0} from {1}?', run.name, source)
            : vscode.l10n.t('Fork {0} from {1}?', run.name, source),
        detail: [...messages, ...(messages.length > 0 ? [''] : []), ...restored],
        start: as === 'resume' ? vscode.l10n.t('Resume') : vscode.l10n.t('Fork'),
        findings,
        config,
      });
    },
  });
  if (started === undefined) return;
  if (sent !== undefined) await dispatchedRuns.add(started.id, sent);
  client.upsertRun(started);
  await showPage({ ...chosen, run: started }, true);
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

async function fetchCheckpointOf({ client, run }: ChosenRun, wanted?: CheckpointId): Promise<void> {
  const checkpoints = await client.connection.ask('checkpoint.list', { run: run.id });
  if (checkpoints.length === 0) throw noCheckpoint(run);
  const checkpoint = await chooseCheckpoint(checkpoints, vscode.l10n.t('Select a checkpoint'), wanted);
  if (checkpoint === undefined) return;
  const { stage, step } = checkpoint;
  const suffix = stage === undefined ? '' : `-${stageFolder(stage)}`;
  const text = checkpointText(checkpoint);
  const texts = {
    choose: vscode.l10n.t('Select a folder for the checkpoint of {0}', text),
    progress: vscode.l10n.t('Fetching the checkpoint of {0}', text),
    cancelled: vscode.l10n.t(
      'The data received so far is kept. To continue, fetch the checkpoint to the same folder again.',
    ),
  };
  await fetchInto(`${run.name}-${run.id.slice(-6)}${suffix}-step-${step}`, texts, async (target, shown) => {
    const { fetchCheckpoint } = await import('../node/client/sync/fetchCheckpoint.ts');
    await fetchCheckpoint(client.connection, run.id, checkpoint, target, shown);
  });
}

/** Resolves to the wanted checkpoint, or to one that the user chooses; undefined if there is none. */
async function chooseCheckpoint(
  all: readonly Checkpoint[],
  placeHolder: string,
  wanted: CheckpointId | undefined,
): Promise<Checkpoint | undefined> {
  if (wanted !== undefined) return all.find((one) => isSameCheckpoint(one, wanted));
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
  const picked = await vscode.window.showQuickPick(items, { placeHolder });
  return picked?.checkpoint;
}

/** Copies the command that starts the same run from a terminal. The command line has a separate list of hosts. */
async function copyCommand({ host, run }: ChosenRun, { dispatchedRuns }: TrainingServices): Promise<void> {
  const sent = dispatchedRuns.find(run.id, run.config);
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
async function openJobFolder({ host, run }: ChosenRun): Promise<void> {
  if (run.jobFolder === null) return;
  const isHere = /^wss?:\/\/(?:127\.|localhost[:/]|\[::1\])/.test(`${host.url}/`);
  if (isHere && existsSync(run.jobFolder)) {
    const uri = vscode.Uri.file(run.jobFolder);
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
  const [chosen, last] = [checkpointText(wanted), checkpointText(newest)];
  const [message, hint] =
    as === 'resume'
      ? [
          vscode.l10n.t('Training can resume only from the newest checkpoint, {0}.', last),
          vscode.l10n.t('To start from {0}, choose Fork, which does not change this run.', chosen),
        ]
      : [
          vscode.l10n.t('The checkpoint of {0} can no longer be forked.', chosen),
          vscode.l10n.t('Choose a newer one: training keeps only a few checkpoints.'),
        ];
  return new CodedError({ code: 'hosts/not-resumable', message, hint });
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
