/** The actions on a training in a folder of this machine. They reject with a CodedError. */
import path from 'node:path';
import * as vscode from 'vscode';
import { CodedError } from '../../base/core/errors.ts';
import { commands, debugType } from '../../base/core/ids.ts';
import { trainingFiles, type TrainingState } from '../../backbone/core/trainer/trainerPorts.ts';
import { limitsOf, limitThatEnded, limitWords } from '../../backbone/core/trainer/trainingBudget.ts';
import type { TrainingLimits } from '../../backbone/core/protocol/run.ts';
import type { RunOptions } from '../../backbone/node/options/runOptions.ts';
import { resumeOptions } from '../../backbone/node/options/resumeOptions.ts';
import { configCopy } from '../../traces/editor/runs/runFiles.ts';
import type { RunPageRequest } from '../core/page/trainingRunRpc.ts';
import { checkpointActions } from './checkpointActions.ts';
import { localArgs } from './commandLines.ts';
import { shellCommand } from '../core/launch/shellWords.ts';
import { FolderReader } from '../node/folderReader.ts';
import { checkpointErrors } from '../core/checkpoints/failures.ts';
import type { TrainingServices } from './services.ts';

type Request<Type extends RunPageRequest['type']> = Extract<RunPageRequest, { type: Type }>;
type FolderRequest = Exclude<RunPageRequest, Request<'ready'> | Request<'addRun'>>;

/** Does what the page of a training asks. `run` is the folder of the training. */
export async function actOnFolder(
  request: FolderRequest,
  own: string,
  services: TrainingServices,
): Promise<void> {
  const folder = request.run;
  switch (request.type) {
    case 'openTrace':
      return openTrace(traceIn(folder, request.trace));
    case 'compareTrace':
      return compareTrace(folder, request.trace);
    case 'copySampler':
    case 'copyWeights':
      return copyPath(folder, request.type, request.step);
    case 'debugCheckpoint':
      return debugCheckpoint(folder, request.step);
    case 'fetchCheckpoint':
    case 'publishCheckpoint':
    case 'deleteCheckpoint':
      return checkpointActions[request.type](folder, services, request.step);
    case 'openRollouts':
      return openRollouts(folder);
    case 'resume':
      return resumeTraining(folder);
    case 'copyCommand':
      return copyCommand(folder);
    case 'showConfig':
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.file((await stateIn(folder)).config));
      return;
    case 'compareConfig':
      await vscode.commands.executeCommand('vscode.diff', configIn(own), configIn(folder));
      return;
    // The page does not send these for a training without a host.
    case 'removeRun':
    case 'cancel':
    case 'showLog':
    case 'fork':
      return;
  }
}

const configIn = (folder: string): vscode.Uri => vscode.Uri.file(path.join(folder, configCopy));
const traceIn = (folder: string, trace: string): vscode.Uri =>
  vscode.Uri.file(path.join(folder, trainingFiles.traces, `${trace}.ajtrace`));

async function stateIn(folder: string): Promise<TrainingState> {
  return (await new FolderReader(folder).read()).state;
}

/** Throws `checkpoint/not-found` if the checkpoint was deleted after the page listed it. */
function checkpointIn(folder: string, state: TrainingState, step: number) {
  const checkpoint = state.checkpoints.find((one) => one.step === step);
  if (checkpoint === undefined) throw checkpointErrors.noCheckpoint(path.basename(folder), step, state);
  return checkpoint;
}

async function openTrace(trace: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand(commands.openTrace, trace, '');
}

/** Opens the trace of the newest step. */
async function openRollouts(folder: string): Promise<void> {
  const newest = (await new FolderReader(folder).read()).traces.findLast((trace) => trace.startsWith('step'));
  if (newest !== undefined) await openTrace(traceIn(folder, newest));
}

/** Compares the episodes of a trace with those of the first trace of its kind. */
async function compareTrace(folder: string, trace: string): Promise<void> {
  const [kind = ''] = trace.split('-');
  const first = (await new FolderReader(folder).read()).traces.find((one) => one.startsWith(kind));
  if (first === undefined) return;
  const other = traceIn(folder, first).fsPath;
  await vscode.commands.executeCommand(commands.openTrace, traceIn(folder, trace), '', other);
}

async function copyPath(folder: string, type: 'copySampler' | 'copyWeights', step: number): Promise<void> {
  const checkpoint = checkpointIn(folder, await stateIn(folder), step);
  await vscode.env.clipboard.writeText(type === 'copySampler' ? checkpoint.sampler : checkpoint.path);
  const message = vscode.l10n.t('The path of the checkpoint of step {0} was copied to the clipboard.', step);
  vscode.window.setStatusBarMessage(message, messageTime);
}

/** Milliseconds. */
const messageTime = 5_000;

/** Debugs the workflow of a training, answered by the weights of a checkpoint. */
async function debugCheckpoint(folder: string, step: number): Promise<void> {
  const state = await stateIn(folder);
  const { config, cwd, baseUrl, tinkerHost, baseModel } = state;
  const checkpoint = checkpointIn(folder, state, step).sampler;
  const server = {
    ...(baseUrl !== undefined && { tinkerUrl: baseUrl }),
    ...(tinkerHost !== undefined && { tinkerHost, baseModel }),
  };
  const name = vscode.l10n.t('{0}, step {1}', path.basename(folder), step);
  await debug({ name, config, cwd, model: 'tinker', checkpoint, ...server });
}

/** Starts a debug session, after a question if the config is outside the workspace. */
export async function debug(options: DebugOptions, noDebug = false): Promise<void> {
  const workspace = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(options.config));
  if (workspace === undefined && !(await mayRun(options.config))) return;
  const configuration = { type: debugType, request: 'launch', ...options };
  await vscode.debug.startDebugging(workspace, configuration, { noDebug });
}

type DebugOptions = RunOptions & { readonly name: string };

/** Continues a training from its last checkpoint, with or without a debugger. */
export async function resumeTraining(folder: string): Promise<void> {
  const { state, isAlive } = await new FolderReader(folder).read();
  const name = path.basename(folder);
  if (state.status === 'running' && isAlive) throw stillRunning(name);
  const last = state.checkpoints.at(-1)?.step ?? 0;
  const title = vscode.l10n.t('Resume {0} after step {1}', name, last);
  const raised = await raiseLimit(state, title);
  const noDebug = raised && (await chooseDebugging(title));
  if (noDebug !== undefined) await debug({ name, ...resumeOptions(folder, state), ...raised }, noDebug);
}

/** Asks for a new limit if the training ended at one. Resolves to undefined if the user cancels. */
async function raiseLimit(state: TrainingState, title: string): Promise<TrainingLimits | undefined> {
  const { usage } = state;
  const limit = state.status === 'limit-reached' ? limitThatEnded(state) : undefined;
  if (limit === undefined || usage === undefined) return {};
  const used = limitWords[limit].used(usage);
  const prompts = {
    maxHours: vscode.l10n.t('New limit of hours (used: {0})', used),
    maxTokens: vscode.l10n.t('New limit of tokens (used: {0})', used),
    maxCost: vscode.l10n.t('New limit of the cost (used: {0})', used),
  };
  const text = await vscode.window.showInputBox({
    title,
    prompt: prompts[limit],
    value: String(2 * (limitsOf(state)[limit] ?? 0)),
    validateInput: (written) =>
      Number(written) > used ? undefined : vscode.l10n.t('Enter a number above {0}.', used),
    ignoreFocusOut: true,
  });
  return text === undefined ? undefined : { [limit]: Number(text) };
}

/** Asks whether to start with the debugger. Resolves to `noDebug`; undefined: canceled. */
export async function chooseDebugging(title: string): Promise<boolean | undefined> {
  const items = [
    { label: vscode.l10n.t('$(debug-alt) With the debugger'), noDebug: false },
    { label: vscode.l10n.t('$(run) Without debugging'), noDebug: true },
  ];
  return (await vscode.window.showQuickPick(items, { title }))?.noDebug;
}

/** A folder can come from anywhere, and the config that it names is code that runs. */
async function mayRun(config: string): Promise<boolean> {
  const run = vscode.l10n.t('Run It');
  const question = vscode.l10n.t('The training names a config outside this workspace. Run it?');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail: config }, run)) === run;
}

/** Copies the command that resumes a training, or that starts the same training again if it is complete. */
async function copyCommand(folder: string): Promise<void> {
  const state = await stateIn(folder);
  await vscode.env.clipboard.writeText(shellCommand(localArgs(folder, state)));
  void vscode.window.showInformationMessage(
    vscode.l10n.t('The command was copied to the clipboard. Run it in {0}.', state.cwd),
  );
}

function stillRunning(name: string): CodedError {
  return new CodedError({
    code: 'training/still-running',
    message: vscode.l10n.t('The training run {0} is still active.', name),
    hint: vscode.l10n.t('Stop it, or wait until it ends.'),
  });
}
