import path from 'node:path';
import process from 'node:process';
import * as vscode from 'vscode';
import { CancellationSource } from '../../base/cancellation.ts';
import { CodedError } from '../../base/errors.ts';
import { finalStates, type Checkpoint, type RunRecord } from '../../protocol/host/runs.ts';
import { whatIsRestored } from '../../remote/launch/resume.ts';
import type { HostLink } from './hostLink.ts';
import type { HostLinks } from './hostLinks.ts';
import type { HostNode } from './hostsProvider.ts';
import { sizeText, trainingDescription } from './hostText.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';

/** A run that a command is for, with its host, which is connected. */
export interface Chosen {
  readonly host: KnownHost;
  readonly link: HostLink;
  readonly run: RunRecord;
}

/** The run of a row, or one that is asked for; undefined: the user chose none, or was told that there is none. */
export async function chosenRun(
  hosts: KnownHosts,
  links: HostLinks,
  node: unknown,
  fits: (run: RunRecord) => boolean = () => true,
): Promise<Chosen | undefined> {
  if (isTraining(node)) {
    const link = await links.connected(node.host);
    const run = link.run(node.run) ?? (await link.connection.ask('run.get', { run: node.run }));
    return { host: node.host, link, run };
  }
  const all = await Promise.all(
    hosts.list().map(async (host) => {
      const link = await links.connected(host);
      for (const run of await link.connection.ask('run.list', {})) link.learn(run);
      return link.runs.filter(fits).map((run): Chosen => ({ host, link, run }));
    }),
  );
  const items = all.flat().map((chosen) => ({
    label: chosen.run.name,
    description: trainingDescription(chosen.run),
    detail: `${chosen.host.name} · ${chosen.run.id}`,
    chosen,
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no training run that this is for.'));
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Which training run'),
    matchOnDetail: true,
  });
  return picked?.chosen;
}

function isTraining(node: unknown): node is Extract<HostNode, { kind: 'training' }> {
  return typeof node === 'object' && node !== null && (node as Partial<HostNode>).kind === 'training';
}

export const isGoing = ({ state }: RunRecord): boolean => !finalStates.includes(state);

export async function cancelTraining({ host, link, run }: Chosen): Promise<void> {
  const cancel = vscode.l10n.t('Cancel Training');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Cancel the training {0} on {1}?', run.name, host.name),
    {
      modal: true,
      detail: vscode.l10n.t('It is interrupted, and ended where it does not stop. Its checkpoints stay.'),
    },
    cancel,
  );
  if (chosen === cancel) link.learn(await link.connection.ask('run.cancel', { run: run.id }));
}

export async function removeTraining({ host, link, run }: Chosen): Promise<void> {
  const keep = vscode.l10n.t('Remove, Keep Checkpoints');
  const all = vscode.l10n.t('Remove All');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Remove the training {0} from {1}?', run.name, host.name),
    { modal: true, detail: vscode.l10n.t('Its code, log and events are deleted there.') },
    keep,
    all,
  );
  if (chosen === undefined) return;
  await link.connection.ask('run.remove', { run: run.id, checkpoints: chosen === all });
  link.forget(run.id);
}

/** Resolves to the new run. */
export async function goOn(
  { link, run }: Chosen,
  as: 'resume' | 'fork',
  step?: number,
): Promise<RunRecord | undefined> {
  const checkpoints = await link.connection.ask('checkpoint.list', { run: run.id });
  const resumable = checkpoints.filter((one) => one.resumable);
  const newest = resumable.reduce((most, one) => Math.max(most, one.step), -1);
  const usable = as === 'resume' ? resumable.filter((one) => one.step === newest) : resumable;
  const checkpoint =
    step === undefined
      ? await chooseCheckpoint(usable, vscode.l10n.t('From which checkpoint'))
      : usable.find((one) => one.step === step);
  if (checkpoint === undefined) {
    if (usable.length === 0) throw noCheckpoint(run);
    return undefined;
  }
  const start = as === 'resume' ? vscode.l10n.t('Resume') : vscode.l10n.t('Fork');
  const from = { run: run.id, step: checkpoint.step, as };
  const chosen = await vscode.window.showInformationMessage(
    as === 'resume'
      ? vscode.l10n.t('Resume {0} from step {1}?', run.name, checkpoint.step)
      : vscode.l10n.t('Fork {0} from step {1}?', run.name, checkpoint.step),
    { modal: true, detail: whatIsRestored(from, run.backbone, checkpoint.step === newest).join('\n') },
    start,
  );
  if (chosen !== start) return undefined;
  const { resumeRun } = await import('../../node/remote/dispatch.ts');
  const env = Object.fromEntries(
    run.env.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const started = await resumeRun(
    link.connection,
    run,
    { step: checkpoint.step, as, env },
    new CancellationSource().token,
  );
  link.learn(started);
  return started;
}

/** Resolves to the folder that it was fetched to. */
export async function fetchCheckpointOf({ link, run }: Chosen, step?: number): Promise<void> {
  const checkpoints = await link.connection.ask('checkpoint.list', { run: run.id });
  if (checkpoints.length === 0) throw noCheckpoint(run);
  const checkpoint =
    step === undefined
      ? await chooseCheckpoint(checkpoints, vscode.l10n.t('Which checkpoint'))
      : checkpoints.find((one) => one.step === step);
  if (checkpoint === undefined) return;
  const [folder] =
    (await vscode.window.showOpenDialog({
      canSelectFiles: false,
      canSelectFolders: true,
      canSelectMany: false,
      openLabel: vscode.l10n.t('Fetch Here'),
      title: vscode.l10n.t('Where the checkpoint of step {0} goes', checkpoint.step),
      ...(vscode.workspace.workspaceFolders?.[0] && { defaultUri: vscode.workspace.workspaceFolders[0].uri }),
    })) ?? [];
  if (folder === undefined) return;
  const target = path.join(folder.fsPath, `${run.name}-${run.id.slice(-6)}-step-${checkpoint.step}`);
  await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Fetching the checkpoint of step {0}', checkpoint.step),
      cancellable: true,
    },
    async (progress, token) => {
      const { fetchCheckpoint } = await import('../../node/remote/sync/fetchCheckpoint.ts');
      const cancellation = new CancellationSource();
      token.onCancellationRequested(() => cancellation.cancel());
      let before = 0;
      await fetchCheckpoint(link.connection, run.id, checkpoint, target, {
        cancellation: cancellation.token,
        onProgress: ({ bytes, total }) => {
          const share = total === 0 ? 100 : (100 * bytes) / total;
          progress.report({ message: `${Math.floor(share)} %`, increment: share - before });
          before = share;
        },
      });
    },
  );
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
  const items = [...all]
    .sort((a, b) => b.step - a.step)
    .map((checkpoint) => ({
      label: vscode.l10n.t('Step {0}', checkpoint.step),
      description: [
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

/** The command of the command line that does the same. */
export async function copyCommand({ host, run }: Chosen): Promise<void> {
  const words = [
    'agentjet',
    ...['remote', 'run', '--conf', run.config, '--host', host.name],
    ...['--launcher', run.launcher, '--backbone', run.backbone, '--gpus', String(run.gpus)],
    ...run.env.flatMap((name) => ['--env', name]),
    ...run.flags,
  ];
  const { shellCommand } = await import('../../remote/launch/shellWords.ts');
  await vscode.env.clipboard.writeText(shellCommand(words));
  void vscode.window.setStatusBarMessage(vscode.l10n.t('The command is in the clipboard.'), 3_000);
}

/** On this machine the folder is shown; on another one its path is copied. */
export async function openJobFolder({ host, run }: Chosen): Promise<void> {
  if (run.jobFolder === null) return;
  const isHere = /^wss?:\/\/(?:127\.|localhost[:/]|\[::1\])/.test(`${host.url}/`);
  const uri = vscode.Uri.file(run.jobFolder);
  const isThere = await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  if (isHere && isThere) {
    await vscode.commands.executeCommand('revealFileInOS', uri);
    return;
  }
  await vscode.env.clipboard.writeText(run.jobFolder);
  void vscode.window.showInformationMessage(
    vscode.l10n.t('The path of the folder on {0} is in the clipboard: {1}', host.name, run.jobFolder),
  );
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
