import path from 'node:path';
import process from 'node:process';
import * as vscode from 'vscode';
import { CancellationSource } from '../../base/cancellation.ts';
import type { LauncherName, RunRecord } from '../../protocol/host/runs.ts';
import type { DispatchPlan, DispatchStep } from '../../node/remote/dispatch.ts';
import { chooseConfig } from '../debug/chooseConfig.ts';
import { workingFolder } from '../debug/configIndex.ts';
import type { RecentConfigs } from '../debug/recentConfigs.ts';
import { targetOf } from '../debug/target.ts';
import { settings, settingsSection } from '../ids.ts';
import { addHost } from './addHost.ts';
import type { HostLinks } from './hostLinks.ts';
import { sizeText } from './hostText.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';
import type { PreflightNotes } from './preflightNotes.ts';
import type { SentRuns } from './sentRuns.ts';
import type { SshWays } from './sshWays.ts';

export interface TrainParts {
  readonly hosts: KnownHosts;
  readonly links: HostLinks;
  readonly ssh: SshWays;
  readonly notes: PreflightNotes;
  readonly sentRuns: SentRuns;
  readonly recent: RecentConfigs;
  /** For what was read of files from one sync to the next. */
  readonly storage: vscode.Uri;
  /** What is shown of a run that was started. */
  readonly started: (host: KnownHost, run: RunRecord) => Promise<void>;
}

/** Sends the config in front, or the one given, to a host and starts it there. */
export async function trainOnHost(parts: TrainParts, uri: vscode.Uri | undefined): Promise<void> {
  const document =
    uri === undefined
      ? vscode.window.activeTextEditor?.document
      : await vscode.workspace.openTextDocument(uri);
  const config = await chooseConfig(document && targetOf(document), parts.recent);
  if (config === undefined) return;
  await vscode.workspace.save(config);
  const host = await chooseHost(parts);
  if (host === undefined) return;
  const { launcherFor } = await import('../../node/remote/dispatch.ts');
  const way = await chooseWay(await launcherFor(config.fsPath));
  if (way === undefined) return;
  await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Training {0} on {1}', path.basename(config.fsPath), host.name),
      cancellable: true,
    },
    (progress, token) => {
      const cancellation = new CancellationSource();
      token.onCancellationRequested(() => cancellation.cancel());
      return send(parts, { config, host, way }, progress, cancellation);
    },
  );
}

interface Way {
  readonly launcher: LauncherName;
  readonly backbone: 'trinity' | 'verl';
  readonly flags: readonly string[];
}

interface Sent {
  readonly config: vscode.Uri;
  readonly host: KnownHost;
  readonly way: Way;
}

async function send(
  parts: TrainParts,
  { config, host, way }: Sent,
  progress: vscode.Progress<{ message: string; increment?: number }>,
  cancellation: CancellationSource,
): Promise<void> {
  progress.report({ message: vscode.l10n.t('connecting …') });
  const link = await parts.links.connected(host);
  const { dispatchRun } = await import('../../node/remote/dispatch.ts');
  const root = workingFolder(config);
  let told = 0;
  const run = await dispatchRun(
    link.connection,
    {
      config: config.fsPath,
      root,
      ...way,
      env: variables(config),
      cache: vscode.Uri.joinPath(parts.storage, 'sync.json').fsPath,
      environment: vscode.workspace.isTrusted ? (name) => process.env[name] : 'blocked',
    },
    {
      cancellation: cancellation.token,
      confirm: (plan) => confirmed(parts, config, host, plan),
      onStep: (step) => {
        const { message, share } = stepText(step);
        progress.report({ message, increment: Math.max(0, share - told) });
        told = Math.max(told, share);
      },
    },
  );
  if (run === undefined) return;
  link.learn(run);
  await parts.sentRuns.add(run.id, { root, config: config.fsPath });
  await parts.started(host, run);
}

async function chooseHost(parts: TrainParts): Promise<KnownHost | undefined> {
  const known = parts.hosts.list();
  if (known.length === 0) return addHost(parts);
  if (known.length === 1) return known[0];
  const items = known.map((host) => ({ label: host.name, description: host.url, host }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('AgentJet: Train on GPU Host'),
    placeHolder: vscode.l10n.t('Which host'),
  });
  return chosen?.host;
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

/** How it is started, by what the config is made for. */
async function chooseWay(own: 'ajet' | 'trinity'): Promise<Way | undefined> {
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
  items.push({
    label: vscode.l10n.t('Ray Jobs API'),
    description: vscode.l10n.t('on the cluster that the host was started for'),
    way: { launcher: 'ray', backbone: 'trinity', flags: [] },
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('AgentJet: Train on GPU Host'),
    placeHolder: vscode.l10n.t('How it is started there'),
  });
  return chosen?.way;
}

/** Of this machine's environment, those that the user named. */
function variables(config: vscode.Uri): Readonly<Record<string, string>> {
  const names = vscode.workspace
    .getConfiguration(settingsSection, config)
    .get<readonly string[]>(settings.trainingVariables, []);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

async function confirmed(
  { notes }: TrainParts,
  config: vscode.Uri,
  host: KnownHost,
  { findings, preview, order }: DispatchPlan,
): Promise<boolean> {
  notes.set(config, host.name, findings);
  const start = vscode.l10n.t('Start Training');
  const show = vscode.l10n.t('Show Problems');
  const hasErrors = findings.some(({ severity }) => severity === 'error');
  const told = findings.map(({ message, severity }) => `${severity === 'info' ? '' : '⚠ '}${message}`);
  const detail = [
    vscode.l10n.t(
      '{0} files, {1}, are compared with the host, and what it lacks is sent.',
      preview.files,
      sizeText(preview.bytes),
    ),
    vscode.l10n.t('GPUs: {0}', order.gpus),
    ...(told.length > 0 ? ['', ...told] : []),
  ].join('\n');
  const question = hasErrors
    ? vscode.l10n.t('{0} would not train on {1} as it is.', path.basename(config.fsPath), host.name)
    : vscode.l10n.t('Train {0} on {1}?', path.basename(config.fsPath), host.name);
  const anyway = vscode.l10n.t('Start Anyway');
  const ways = findings.length === 0 ? [start] : hasErrors ? [show, anyway] : [start, show];
  const chosen = await vscode.window.showInformationMessage(question, { modal: true, detail }, ...ways);
  if (chosen === show) {
    await vscode.window.showTextDocument(config);
    await vscode.commands.executeCommand('workbench.actions.view.problems');
  }
  return chosen === start || chosen === anyway;
}

/** What is told of a step, and how far all of it is, in per cent. */
function stepText(step: DispatchStep): { readonly message: string; readonly share: number } {
  switch (step.kind) {
    case 'reading':
      return { message: vscode.l10n.t('reading the folder …'), share: 2 };
    case 'checking':
      return { message: vscode.l10n.t('asking the host …'), share: 5 };
    case 'sending': {
      const { bytes, total } = step.progress;
      const share = total === 0 ? 1 : bytes / total;
      return {
        message: vscode.l10n.t('sending: {0} of {1}', sizeText(bytes), sizeText(total)),
        share: 10 + 85 * share,
      };
    }
    case 'starting':
      return { message: vscode.l10n.t('starting …'), share: 97 };
  }
}
