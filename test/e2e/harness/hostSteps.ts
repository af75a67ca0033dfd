/** The steps of a user who trains on a GPU host. */
import type { Action } from '../../tools/host/scriptedLauncher.ts';
import { titleButton, type Editor } from './editor.ts';
import type { GpuHost } from './gpuHost.ts';

export const hostInput = '.quick-input-widget input';
export const hostRow = '.pane-body .monaco-list-row';
export const hostDialog = '.monaco-dialog-box';

/** Fills the open input box and presses Enter. */
export async function answer(editor: Editor, text: string): Promise<void> {
  await (await editor.see(hostInput)).fill(text);
  await editor.press('Enter');
}

/** Answers the questions of Add GPU Host. Does not wait for the connection. */
export async function addHost(
  editor: Editor,
  { address, token }: Pick<GpuHost, 'address' | 'token'>,
  name = 'box',
): Promise<void> {
  await editor.commandThatAsks('AgentJet: Add GPU Host');
  await editor.see('.quick-input-widget', 'Address of the host');
  await answer(editor, address);
  await editor.see(`${hostInput}[type="password"]`);
  await answer(editor, token);
  await editor.see('.quick-input-widget', 'Name of the host');
  await answer(editor, name);
  await editor.seeNo('.quick-input-widget');
}

export async function showHosts(editor: Editor, name = 'box'): Promise<void> {
  await editor.command('AgentJet: Focus on GPU Hosts View');
  await editor.see(hostRow, name);
}

/** Runs Train on GPU Host for the active config or workflow up to its confirmation dialog. `host` selects one of several hosts. */
export async function askToTrain(editor: Editor, host?: string, launcher = 'trinity run'): Promise<void> {
  await editor.see(titleButton);
  await editor.commandThatAsks('AgentJet: Train on GPU Host');
  if (host !== undefined) await editor.pickThatAsks(host);
  await editor.pick(launcher);
  await editor.see(hostDialog, /cannot be trained on|Train .+ on .+\?/);
}

/** Confirms the dialog. Does not wait for the run to start. */
export async function agreeToTrain(editor: Editor): Promise<void> {
  await (await editor.see(`${hostDialog} .monaco-button`, /Start Anyway|Start Training/)).click();
}

/** Confirms the dialog and waits until the page of the run has opened. */
export async function startTraining(editor: Editor): Promise<void> {
  await agreeToTrain(editor);
  await editor.see('.tab.active', /\([0-9a-f]{6}\)/);
}

/** Returns the metrics that training writes for a step. */
export const stepOf = (step: number): Action => ({
  do: 'metrics',
  step,
  values: {
    'experience_pipeline/group_advantages/reward_mean/mean': 0.2 + step / 20,
    'actor/ppo_kl': 0.001 * step,
    'actor/entropy_loss': 1.2 - step / 20,
    'response_length/mean': 200 + 5 * step,
    'time/step': 12.5,
  },
});
