import * as vscode from 'vscode';
import type { LauncherName } from '../core/protocol/runs.ts';

export interface Way {
  readonly launcher: LauncherName;
  readonly backbone: 'trinity' | 'verl';
  readonly flags: readonly string[];
}

interface WayItem extends vscode.QuickPickItem {
  readonly way: Way;
}

/** Commands, in their own words. */
const ways: readonly { readonly command: string; readonly way: Way; readonly of: 'ajet' | 'trinity' }[] = [
  {
    command: 'ajet --backbone trinity --with-ray',
    way: { launcher: 'ajet', backbone: 'trinity', flags: ['--with-ray'] },
    of: 'ajet',
  },
  {
    command: 'ajet --backbone trinity',
    way: { launcher: 'ajet', backbone: 'trinity', flags: [] },
    of: 'ajet',
  },
  { command: 'ajet --backbone verl', way: { launcher: 'ajet', backbone: 'verl', flags: [] }, of: 'ajet' },
  { command: 'trinity run', way: { launcher: 'trinity', backbone: 'trinity', flags: [] }, of: 'trinity' },
];

const rayJobs = (): string => vscode.l10n.t('Ray Jobs API');

/** How it is started, by what the config is made for. */
export async function chooseWay(own: 'ajet' | 'trinity'): Promise<Way | undefined> {
  const items: WayItem[] = ways
    .filter(({ of }) => of === own)
    .map(({ command, way }) => ({
      label: command,
      description: way.flags.includes('--with-ray')
        ? vscode.l10n.t('with a Ray of its own')
        : way.backbone === 'verl'
          ? vscode.l10n.t('starts a Ray where there is none')
          : vscode.l10n.t('on the Ray that runs there'),
      way,
    }));
  for (const backbone of own === 'ajet' ? (['trinity', 'verl'] as const) : (['trinity'] as const)) {
    items.push({
      label: own === 'ajet' ? `${rayJobs()}: ajet --backbone ${backbone}` : rayJobs(),
      description: vscode.l10n.t('on the cluster that the host was started for'),
      way: { launcher: 'ray', backbone, flags: [] },
    });
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('AgentJet: Train on GPU Host'),
    placeHolder: vscode.l10n.t('How it is started there'),
  });
  return chosen?.way;
}

/** For a config that leaves their number open; all that there are, unless the user says otherwise. */
export async function askGpus(
  host: string,
  count: number,
  token: vscode.CancellationToken,
): Promise<number | undefined> {
  const text = await vscode.window.showInputBox(
    {
      title: vscode.l10n.t('AgentJet: Train on GPU Host'),
      prompt: vscode.l10n.t(
        'How many GPUs the run is given: the config does not say. GPUs of {0}: {1}',
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
