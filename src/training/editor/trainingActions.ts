import path from 'node:path';
import * as vscode from 'vscode';
import { neverCancelled } from '../../base/core/cancellation.ts';
import { CodedError } from '../../base/core/errors.ts';
import { sizeText } from '../../base/core/format.ts';
import { finalStates, type Checkpoint, type RunRecord } from '../core/protocol/runs.ts';
import { locateFindings, type LocatedFinding } from '../core/dispatch/located.ts';
import { describeRestore } from '../core/launch/resume.ts';
import { stageNamesOf } from '../core/launch/resumeStages.ts';
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

/** A run that a command is for, with its host, which is connected. */
export interface ChosenRun {
  readonly host: KnownHost;
  readonly client: HostClient;
  readonly run: RunRecord;
}

export const isRunning = ({ state }: RunRecord): boolean => !finalStates.includes(state);

export async function cancelTraining({ host, client, run }: ChosenRun): Promise<void> {
  const cancel = vscode.l10n.t('Cancel Training');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Cancel the training {0} on {1}?', run.name, host.name),
    {
      modal: true,
      detail: vscode.l10n.t('It is interrupted, and ended where it does not stop. Its checkpoints stay.'),
    },
    cancel,
  );
  if (chosen === cancel) client.upsertRun(await client.connection.ask('run.cancel', { run: run.id }));
}

export async function removeTraining({ host, client, run }: ChosenRun): Promise<void> {
  const keep = vscode.l10n.t('Remove, Keep Checkpoints');
  const all = vscode.l10n.t('Remove All');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Remove the training {0} from {1}?', run.name, host.name),
    { modal: true, detail: vscode.l10n.t('Its code, log and events are deleted there.') },
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

/** Resolves to the new run; undefined: the user left. */
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
  const usable = as === 'resume' ? resumable.filter((one) => one === newest) : resumable;
  const checkpoint =
    wanted === undefined
      ? await chooseCheckpoint(usable, vscode.l10n.t('From which checkpoint'))
      : usable.find((one) => isSameCheckpoint(one, wanted));
  if (checkpoint === undefined) {
    if (newest === undefined) throw noCheckpoint(run);
    if (wanted !== undefined) throw notFrom(wanted, as, newest);
    return undefined;
  }
  const { resumeRun } = await import('../node/client/runActions.ts');
  const sent = await dispatchedRuns.find(run.id, run.config);
  const environment = await environmentOf(sent?.root);
  const env = Object.fromEntries(
    run.env.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const { step, stage } = checkpoint;
  const from = { run: run.id, step, as, ...(stage !== undefined && { stage }) };
  const newestOfStage = newestCheckpoint(resumable.filter((one) => one.stage === stage));
  const restored = describeRestore(from, run.backbone, checkpoint === newestOfStage, stageNamesOf(run));
  const started = await resumeRun(
    client.connection,
    run,
    { step, stage, as, env },
    {
      cancellation: neverCancelled,
      confirm: async (findings) => {
        const config = sent && vscode.Uri.file(sent.config);
        if (config !== undefined) await noteFindings(notes, config, host.name, findings);
        return confirmed(chosen, from, { restored, findings, config });
      },
    },
  );
  if (started === undefined) return undefined;
  if (sent !== undefined) await dispatchedRuns.add(started.id, sent);
  client.upsertRun(started);
  return started;
}

/** The file may have been edited since it was sent: findings stand where their keys are now. */
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
    ? vscode.l10n.t('{0} would not train on {1} as it is.', run.name, host.name)
    : as === 'resume'
      ? vscode.l10n.t('Resume {0} from {1}?', run.name, checkpointText(from))
      : vscode.l10n.t('Fork {0} from {1}?', run.name, checkpointText(from));
  const told = findings.map(({ message, severity }) => `${severity === 'info' ? '' : '⚠ '}${message}`);
  const detail = [...told, ...(told.length > 0 ? [''] : []), ...restored].join('\n');
  const looks = findings.length > 0 && config !== undefined ? [show] : [];
  const ways = hasErrors ? [...looks, anyway] : [start, ...looks];
  const chosen = await vscode.window.showInformationMessage(question, { modal: true, detail }, ...ways);
  if (chosen === show && config !== undefined) {
    await vscode.window.showTextDocument(config);
    await vscode.commands.executeCommand('workbench.actions.view.problems');
  }
  return chosen === start || chosen === anyway;
}

/** Resolves to the folder that it was fetched to. */
export async function fetchCheckpointOf({ client, run }: ChosenRun, wanted?: CheckpointId): Promise<void> {
  const checkpoints = await client.connection.ask('checkpoint.list', { run: run.id });
  if (checkpoints.length === 0) throw noCheckpoint(run);
  const checkpoint =
    wanted === undefined
      ? await chooseCheckpoint(checkpoints, vscode.l10n.t('Which checkpoint'))
      : checkpoints.find((one) => isSameCheckpoint(one, wanted));
  if (checkpoint === undefined) return;
  const [folder] =
    (await vscode.window.showOpenDialog({
      canSelectFiles: false,
      canSelectFolders: true,
      canSelectMany: false,
      openLabel: vscode.l10n.t('Fetch Here'),
      title: vscode.l10n.t('Where the checkpoint of {0} goes', checkpointText(checkpoint)),
      ...(vscode.workspace.workspaceFolders?.[0] && { defaultUri: vscode.workspace.workspaceFolders[0].uri }),
    })) ?? [];
  if (folder === undefined) return;
  const { stage } = checkpoint;
  const of = stage === undefined ? '' : `-${stageFolder(stage)}`;
  const target = path.join(folder.fsPath, `${run.name}-${run.id.slice(-6)}${of}-step-${checkpoint.step}`);
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
      vscode.l10n.t('What came so far is kept: fetched to the same folder again, it goes on from there.'),
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
  // They come in their order, stage after stage.
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

/** The command of the command line that does the same, which has to know the host by itself. */
export async function copyCommand({ host, run }: ChosenRun, dispatchedRuns: DispatchedRuns): Promise<void> {
  const sent = await dispatchedRuns.find(run.id, run.config);
  const { shellCommand } = await import('../core/launch/shellWords.ts');
  const add = shellCommand(await addHostArgs(host));
  await vscode.env.clipboard.writeText(shellCommand(rerunArgs(host, run, sent)));
  const told = [
    vscode.l10n.t('The command is in the clipboard.'),
    ...(run.from === null && sent === undefined
      ? [vscode.l10n.t('It is for the folder that was sent: run it there.')]
      : []),
    vscode.l10n.t('The command line keeps hosts of its own; where it lacks this one: {0}', add),
  ];
  const copyAdd = vscode.l10n.t('Copy That Instead');
  void vscode.window.showInformationMessage(told.join(' '), copyAdd).then((chosen) => {
    if (chosen === copyAdd) void vscode.env.clipboard.writeText(add);
  });
}

/** On this machine the folder is shown, in another window where no desktop is; on another one its path is copied. */
export async function openJobFolder({ host, run }: ChosenRun): Promise<void> {
  if (run.jobFolder === null) return;
  const isHere = /^wss?:\/\/(?:127\.|localhost[:/]|\[::1\])/.test(`${host.url}/`);
  const uri = vscode.Uri.file(run.jobFolder);
  const isThere = await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  if (isHere && isThere) {
    const { remoteName, uiKind } = vscode.env;
    const hasDesktop = remoteName === undefined && uiKind === vscode.UIKind.Desktop;
    if (hasDesktop) await vscode.commands.executeCommand('revealFileInOS', uri);
    else await vscode.commands.executeCommand('vscode.openFolder', uri, { forceNewWindow: true });
    return;
  }
  await vscode.env.clipboard.writeText(run.jobFolder);
  void vscode.window.showInformationMessage(
    vscode.l10n.t('The path of the folder on {0} is in the clipboard: {1}', host.name, run.jobFolder),
  );
}

function checkpointText({ step, stage }: CheckpointId): string {
  return stage === undefined
    ? vscode.l10n.t('step {0}', step)
    : vscode.l10n.t('step {0} of the stage {1}', step, stage);
}

/** The page listed it, and the host has written or removed checkpoints since. */
function notFrom(wanted: CheckpointId, as: 'resume' | 'fork', newest: CheckpointId): CodedError {
  const code = 'hosts/not-resumable';
  return as === 'resume'
    ? new CodedError({
        code,
        message: vscode.l10n.t(
          'Training resumes from the newest checkpoint, which is that of {0}.',
          checkpointText(newest),
        ),
        hint: vscode.l10n.t(
          'To go on from {0} choose Fork, which leaves this run as it is.',
          checkpointText(wanted),
        ),
      })
    : new CodedError({
        code,
        message: vscode.l10n.t(
          'The checkpoint of {0} cannot be gone on from any more.',
          checkpointText(wanted),
        ),
        hint: vscode.l10n.t('Choose a newer one: training keeps but a few.'),
      });
}

function noCheckpoint({ name }: RunRecord): CodedError {
  return new CodedError({
    code: 'hosts/no-checkpoint',
    message: vscode.l10n.t('The training {0} has no checkpoint that this can be done with.', name),
    hint: vscode.l10n.t(
      'See when the config saves one: `save_freq` in AgentJet, `save_interval` in Trinity-RFT.',
    ),
  });
}
