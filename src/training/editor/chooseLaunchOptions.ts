import * as vscode from 'vscode';
import type { LauncherName } from '../core/protocol/runs.ts';

export interface LaunchOptions {
  readonly launcher: LauncherName;
  readonly backbone: 'trinity' | 'verl';
  readonly flags: readonly string[];
}

interface LaunchItem extends vscode.QuickPickItem {
  readonly launch: LaunchOptions;
}

/** The launch commands that the user chooses from, as they are typed. */
const launchCommands: readonly {
  readonly command: string;
  readonly launch: LaunchOptions;
  readonly of: 'ajet' | 'trinity';
}[] = [
  {
    command: 'ajet --backbone trinity --with-ray',
    launch: { launcher: 'ajet', backbone: 'trinity', flags: ['--with-ray'] },
    of: 'ajet',
  },
  {
    command: 'ajet --backbone trinity',
    launch: { launcher: 'ajet', backbone: 'trinity', flags: [] },
    of: 'ajet',
  },
  { command: 'ajet --backbone verl', launch: { launcher: 'ajet', backbone: 'verl', flags: [] }, of: 'ajet' },
  { command: 'trinity run', launch: { launcher: 'trinity', backbone: 'trinity', flags: [] }, of: 'trinity' },
];

const rayJobs = (): string => vscode.l10n.t('Ray Jobs API');

/** Asks how to start the run; the choices depend on the launcher that the config is for. */
export async function chooseLaunchOptions(own: 'ajet' | 'trinity'): Promise<LaunchOptions | undefined> {
  const items: LaunchItem[] = launchCommands
    .filter(({ of }) => of === own)
    .map(({ command, launch }) => ({
      label: command,
      description: launch.flags.includes('--with-ray')
        ? vscode.l10n.t('starts a separate Ray for this run')
        : launch.backbone === 'verl'
          ? vscode.l10n.t('uses the running Ray, or starts one')
          : vscode.l10n.t('uses the running Ray'),
      launch,
    }));
  for (const backbone of own === 'ajet' ? (['trinity', 'verl'] as const) : (['trinity'] as const)) {
    items.push({
      label: own === 'ajet' ? `${rayJobs()}: ajet --backbone ${backbone}` : rayJobs(),
      description: vscode.l10n.t('on the Ray cluster of the host'),
      launch: { launcher: 'ray', backbone, flags: [] },
    });
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('AgentJet: Train on GPU Host'),
    placeHolder: vscode.l10n.t('Select how to start the run'),
  });
  return chosen?.launch;
}

/** Asks for the number of GPUs if the config does not give it. The default is all GPUs of the host. */
export async function askGpus(
  host: string,
  count: number,
  token: vscode.CancellationToken,
): Promise<number | undefined> {
  const text = await vscode.window.showInputBox(
    {
      title: vscode.l10n.t('AgentJet: Train on GPU Host'),
      prompt: vscode.l10n.t(
        'Number of GPUs for the run, which the config does not set. GPUs of {0}: {1}',
        host,
        count,
      ),
      value: String(count),
      ignoreFocusOut: true,
      validateInput: (typed) =>
        /^\d{1,5}$/.test(typed.trim()) ? undefined : vscode.l10n.t('Enter a whole number.'),
    },
    token,
  );
  return text === undefined ? undefined : Number(text.trim());
}
