/** The actions on a checkpoint of a training in a folder of this machine. They reject with a CodedError. */
import path from 'node:path';
import * as vscode from 'vscode';
import { neverCancelled, type CancellationToken } from '../../base/core/cancellation.ts';
import { withCancellableProgress } from '../../base/editor/progress.ts';
import type { TrainingState } from '../../backbone/core/trainer/trainerPorts.ts';
import { checkpointText } from '../core/runs/words.ts';
import { FolderReader } from '../node/folderReader.ts';
import type { TrainingCheckpoints } from '../node/checkpoints/trainingCheckpoints.ts';
import { fetchInto } from './fetchInto.ts';
import type { TrainingServices } from './services.ts';

type Services = Pick<TrainingServices, 'apiKeys' | 'log'>;
type Checkpoint = TrainingState['checkpoints'][number];

/** An action. `step` is the checkpoint that the user chose on the page; undefined to ask for it. */
export type CheckpointAction = (folder: string, services: Services, step?: number) => Promise<void>;

export const checkpointActions = {
  fetchCheckpoint: onCheckpoint(fetchCheckpoint),
  publishCheckpoint: onCheckpoint(publishCheckpoint),
  deleteCheckpoint: onCheckpoint(deleteCheckpoint),
} as const satisfies Readonly<Record<string, CheckpointAction>>;

interface Chosen {
  readonly checkpoint: Checkpoint;
  /** The name of the training. */
  readonly name: string;
  readonly open: (cancellation?: CancellationToken) => TrainingCheckpoints;
}

function onCheckpoint(act: (chosen: Chosen) => Promise<void>): CheckpointAction {
  return async (folder, { apiKeys, log }, step) => {
    const { TrainingCheckpoints } = await import('../node/checkpoints/trainingCheckpoints.ts');
    const { state } = await new FolderReader(folder).read();
    const apiKey = state.baseUrl === undefined ? undefined : await apiKeys.get(state.baseUrl);
    const open = (cancellation: CancellationToken = neverCancelled): TrainingCheckpoints =>
      new TrainingCheckpoints(folder, { apiKey, cancellation, onNotice: ({ text }) => log.info(text) });
    const wanted = step ?? (await chooseStep(state));
    if (wanted === undefined && state.checkpoints.length > 0) return;
    await act({ checkpoint: await open().find(wanted), name: path.basename(folder), open });
  };
}

/** Resolves to undefined if the user chooses none. */
async function chooseStep({ checkpoints }: TrainingState): Promise<number | undefined> {
  const items = checkpoints.toReversed().map(({ step, savedAt, sampler }) => ({
    label: vscode.l10n.t('Step {0}', step),
    description: `${new Date(savedAt).toLocaleString(vscode.env.language)} · ${sampler}`,
    step,
  }));
  if (items.length === 0) return undefined;
  const placeHolder = vscode.l10n.t('Select a checkpoint');
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.step;
}

async function fetchCheckpoint({ checkpoint, name, open }: Chosen): Promise<void> {
  const text = checkpointText(checkpoint);
  const texts = {
    choose: vscode.l10n.t('Select a folder for the checkpoint of {0}', text),
    progress: vscode.l10n.t('Fetching the checkpoint of {0}', text),
  };
  await fetchInto(`${name}-step-${checkpoint.step}`, texts, (target, { cancellation, onProgress }) =>
    open(cancellation).download(checkpoint, target, onProgress),
  );
}

async function publishCheckpoint({ checkpoint, open }: Chosen): Promise<void> {
  const publish = vscode.l10n.t('Publish');
  const hide = vscode.l10n.t('Make Private');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Publish the checkpoint of {0}?', checkpointText(checkpoint)),
    { modal: true, detail: vscode.l10n.t('Everyone who knows the path of public weights can use them.') },
    publish,
    hide,
  );
  if (chosen === undefined) return;
  await onServer((cancellation) => open(cancellation).setPublic(checkpoint, chosen === publish));
}

async function deleteCheckpoint({ checkpoint, open }: Chosen): Promise<void> {
  const remove = vscode.l10n.t('Delete');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Delete the checkpoint of {0} on the server?', checkpointText(checkpoint)),
    {
      modal: true,
      detail: vscode.l10n.t('The training can no longer continue from it, and it cannot be restored.'),
    },
    remove,
  );
  if (chosen === remove) await onServer((cancellation) => open(cancellation).delete([checkpoint]));
}

async function onServer(work: (cancellation: CancellationToken) => Promise<void>): Promise<void> {
  await withCancellableProgress(vscode.l10n.t('Waiting for the Tinker server'), ({ cancellation }) =>
    work(cancellation),
  );
}
