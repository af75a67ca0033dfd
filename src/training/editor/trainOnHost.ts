import path from 'node:path';
import process from 'node:process';
import * as vscode from 'vscode';
import { CodedError } from '../../base/core/errors.ts';
import { sizeText } from '../../base/core/format.ts';
import type { HostStatus } from '../core/protocol/hostRpc.ts';
import type { LauncherName } from '../core/protocol/runs.ts';
import type { DispatchPlan, DispatchRequest, DispatchStep } from '../node/client/dispatch.ts';
import { unsentFileId } from '../core/dispatch/located.ts';
import { unsentFiles, type Preview } from '../core/sync/tree.ts';
import { withCancellableProgress, type CancellableProgress } from '../../base/editor/progress.ts';
import { chooseConfig } from '../../configs/editor/choose/chooseConfig.ts';
import { workingFolder } from '../../configs/editor/choose/configIndex.ts';
import { targetOf } from '../../configs/editor/choose/target.ts';
import { settings, settingsSection } from '../../base/core/ids.ts';
import { renamedSetting } from '../../base/editor/settings.ts';
import { addHost } from './addHost.ts';
import type { ChosenRun } from './hostClient.ts';
import type { KnownHost } from './knownHosts.ts';
import { confirmStart, findingTexts } from './preflightNotes.ts';
import type { TrainingServices } from './services.ts';
import { trainingVariables } from './trainingVariables.ts';

type LaunchOptions = Pick<DispatchRequest, 'launcher' | 'backbone' | 'flags'>;

interface LaunchItem extends vscode.QuickPickItem {
  readonly launch: LaunchOptions;
}

/** The ways to start a config on a host: plain words, with the command as description. */
function launchItems(own: 'ajet' | 'trinity'): readonly LaunchItem[] {
  const jobs = vscode.l10n.t('Ray Jobs API');
  const item = (
    label: string,
    description: string,
    launcher: LauncherName,
    backbone: LaunchOptions['backbone'],
    flags: readonly string[] = [],
  ): LaunchItem => ({ label, description, launch: { launcher, backbone, flags } });
  const cluster = vscode.l10n.t('{0} on the Ray cluster of the host', 'Trinity-RFT');
  const onTrinity = vscode.l10n.t('{0} on the running Ray', 'Trinity-RFT');
  if (own === 'trinity') {
    return [item(onTrinity, 'trinity run', 'trinity', 'trinity'), item(cluster, jobs, 'ray', 'trinity')];
  }
  const [trinity, verl] = ['ajet --backbone trinity', 'ajet --backbone verl'];
  const separate = vscode.l10n.t('{0} on a separate Ray for this run', 'Trinity-RFT');
  return [
    item(separate, `${trinity} --with-ray`, 'ajet', 'trinity', ['--with-ray']),
    item(onTrinity, trinity, 'ajet', 'trinity'),
    item(vscode.l10n.t('verl on the running Ray, or on one that it starts'), verl, 'ajet', 'verl'),
    item(cluster, `${jobs}: ${trinity}`, 'ray', 'trinity'),
    item(vscode.l10n.t('{0} on the Ray cluster of the host', 'verl'), `${jobs}: ${verl}`, 'ray', 'verl'),
  ];
}

/** Asks how to start a config, with the launchers that the host has. Throws if it has none of them. */
async function chooseLaunch(
  config: vscode.Uri,
  host: string,
  launchers: HostStatus['launchers'],
): Promise<LaunchOptions | undefined> {
  const { launcherFor } = await import('../node/client/dispatch.ts');
  const items = launchItems(await launcherFor(config.fsPath));
  const problems = new Map(launchers.map(({ name, problem }) => [name, problem]));
  const usable = items.filter(({ launch }) => problems.get(launch.launcher) === null);
  if (usable.length === 0) {
    const reasons = new Set(items.map(({ launch }) => problems.get(launch.launcher) ?? ''));
    throw noLauncher(path.basename(config.fsPath), host, [...reasons].join(' ').trim());
  }
  const chosen = await vscode.window.showQuickPick(usable, {
    title: vscode.l10n.t('AgentJet: Train on GPU Host'),
    placeHolder: vscode.l10n.t('Select how to start the run'),
    matchOnDescription: true,
  });
  return chosen?.launch;
}

function noLauncher(config: string, host: string, reasons: string): CodedError {
  return new CodedError({
    code: 'hosts/no-launcher',
    message: vscode.l10n.t('{0} has no program that can train {1}. {2}', host, config, reasons),
    hint: vscode.l10n.t(
      'Install AgentJet or Trinity-RFT there, or start the host with its path: `agentjet host --launcher ajet=FILE`.',
    ),
  });
}

/** The default is all GPUs of the host. */
async function askGpus(
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

/** Sends a config to a host and starts it there. Without `uri`, it takes the config in the active editor. */
export async function trainOnHost(services: TrainingServices, uri: vscode.Uri | undefined): Promise<void> {
  const document =
    uri === undefined
      ? vscode.window.activeTextEditor?.document
      : await vscode.workspace.openTextDocument(uri);
  const config = await chooseConfig(document && targetOf(document), services.recent);
  if (config === undefined) return;
  if (!/\.ya?ml$/i.test(config.path)) throw notYaml(config);
  const host = await chooseHost(services, vscode.l10n.t('AgentJet: Train on GPU Host'));
  if (host === undefined) return;
  await saveAll(workingFolder(config));
  const title = vscode.l10n.t('Training {0} on {1}', path.basename(config.fsPath), host.name);
  const connected = await withCancellableProgress(title, async ({ cancellation, report }) => {
    report({ message: vscode.l10n.t('connecting …') });
    const client = await services.clients.connect(host);
    return { client, status: await client.connection.ask('status', {}, cancellation) };
  });
  if (connected === undefined) return;
  const { client, status } = connected;
  const launch = await chooseLaunch(config, host.name, status.launchers);
  if (launch === undefined) return;
  await withCancellableProgress(title, (shown) => send(services, config, { host, client }, launch, shown));
}

/** Saves all files, because files are sent from the disk. Throws if a file of the folder could not be saved. */
async function saveAll(folder: string): Promise<void> {
  await vscode.workspace.saveAll(false);
  const unsaved = [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments]
    .filter(({ isDirty, isUntitled, uri }) => isDirty && !isUntitled && uri.scheme === 'file')
    .map(({ uri }) => path.relative(folder, uri.fsPath))
    .filter((file) => !file.startsWith(`..${path.sep}`) && !path.isAbsolute(file));
  if (unsaved.length > 0) throw notSaved(unsaved);
}

function notYaml({ fsPath }: vscode.Uri): CodedError {
  return new CodedError({
    code: 'hosts/no-yaml',
    message: vscode.l10n.t('Cannot train {0} on a GPU host: it is not a YAML config.', path.basename(fsPath)),
    hint: vscode.l10n.t(
      'Write the config of the script to a file with `dumpJobAsYaml` (in Python `dump_job_as_yaml`), and train that file.',
    ),
    location: { file: fsPath },
  });
}

function notSaved(files: readonly string[]): CodedError {
  const named = new Intl.ListFormat(vscode.env.language).format(files);
  return new CodedError({
    code: 'hosts/not-saved',
    message: vscode.l10n.t('Cannot save {0}. Nothing was sent to the host.', named),
    hint: vscode.l10n.t('Save or revert the file yourself, then train again.'),
  });
}

async function send(
  services: TrainingServices,
  config: vscode.Uri,
  { host, client }: Omit<ChosenRun, 'run'>,
  launch: LaunchOptions,
  { cancellation, token, report }: CancellableProgress,
): Promise<void> {
  const { dispatchRun } = await import('../node/client/dispatch.ts');
  const root = workingFolder(config);
  const { env, findings } = await trainingVariables(config, root);
  const section = vscode.workspace.getConfiguration(settingsSection, config);
  let isStarting = false;
  cancellation.onCancelled(() => {
    // While the host starts the run, this can be too late.
    const text = isStarting
      ? vscode.l10n.t('{0} may have started the run already. Check the GPU Hosts view.', host.name)
      : vscode.l10n.t('Canceled. No run was started on {0}.', host.name);
    void vscode.window.showInformationMessage(text);
  });
  const run = await dispatchRun(
    client.connection,
    {
      config: config.fsPath,
      root,
      ...launch,
      env,
      limit: renamedSetting(section, settings.trainingUploadLimit, 2) * 1e9,
      cache: vscode.Uri.joinPath(services.storage, 'sync.json').fsPath,
      environment: vscode.workspace.isTrusted ? (name) => env[name] ?? process.env[name] : 'blocked',
    },
    {
      cancellation,
      askGpus: async () => {
        const { gpus } = await client.connection.ask('status', {}, cancellation);
        return askGpus(host.name, gpus.length, token);
      },
      confirm: (plan) =>
        confirmed(services, config, host, { ...plan, findings: [...plan.findings, ...findings] }),
      onStep: (step) => {
        isStarting = step.kind === 'starting';
        report(stepText(step));
      },
    },
  );
  if (run === undefined) return;
  client.upsertRun(run);
  await services.dispatchedRuns.add(run.id, { root, config: config.fsPath });
  await services.showPage({ host, client, run }, true);
}

/** Asks for a host, or adds the first one. */
export async function chooseHost(services: TrainingServices, title: string): Promise<KnownHost | undefined> {
  const known = services.hosts.list();
  if (known.length === 0) return addHost(services);
  if (known.length === 1) return known[0];
  const items = known.map((host) => ({ label: host.name, description: host.url, host }));
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('Select a host'),
  });
  return chosen?.host;
}

async function confirmed(
  { notes }: TrainingServices,
  config: vscode.Uri,
  host: KnownHost,
  { findings, preview, order }: DispatchPlan,
): Promise<boolean> {
  notes.set(config, host.name, findings);
  const subject = path.basename(config.fsPath);
  const messages = findingTexts(findings.filter(({ id }) => id !== unsentFileId));
  return confirmStart({
    subject,
    host: host.name,
    question: vscode.l10n.t('Train {0} on {1}?', subject, host.name),
    detail: [
      ...sentTexts(preview),
      vscode.l10n.t('GPUs: {0}', order.gpus),
      ...(messages.length > 0 ? ['', ...messages] : []),
    ],
    start: vscode.l10n.t('Start Training'),
    findings,
    config,
  });
}

/** The maximum number of folders, and of unsendable files, that the question names. */
const mostNamed = 3;

function sentTexts({ files, bytes, biggestFolders, excluded, keys }: Preview): string[] {
  const parts = biggestFolders
    .slice(0, mostNamed)
    .map((part) => vscode.l10n.t('{0} ({1}, files: {2})', part.path, sizeText(part.bytes), part.files));
  const unsent = unsentFiles(excluded);
  const names = unsent.slice(0, mostNamed).map(({ path: name }) => name);
  const named = names.length < unsent.length ? [...names, '…'] : names;
  return [
    vscode.l10n.t(
      'Files to send: {0} ({1}). Files that the host already has are not sent again.',
      files,
      sizeText(bytes),
    ),
    ...(files > 0 ? [vscode.l10n.t('Largest folders: {0}', parts.join(', '))] : []),
    ...(keys.length > 0
      ? [
          `⚠ ${vscode.l10n.t('Look like keys or passwords, and will be sent ({0}): {1}', keys.length, keys.join(', '))}`,
        ]
      : []),
    ...(unsent.length > 0
      ? [`⚠ ${vscode.l10n.t('Cannot be sent ({0}): {1}', unsent.length, named.join(', '))}`]
      : []),
  ];
}

/** Returns the progress message of a step, and the completed share from 0 to 1. */
function stepText(step: DispatchStep): { readonly message: string; readonly share: number } {
  switch (step.kind) {
    case 'reading':
      return { message: vscode.l10n.t('reading the folder …'), share: 0.02 };
    case 'checking':
      return { message: vscode.l10n.t('checking on the host …'), share: 0.05 };
    case 'sending': {
      const { bytes, total } = step.progress;
      const message = vscode.l10n.t('sending: {0} of {1}', sizeText(bytes), sizeText(total));
      return { message, share: 0.1 + 0.85 * (total === 0 ? 1 : bytes / total) };
    }
    case 'starting':
      return { message: vscode.l10n.t('starting …'), share: 0.97 };
  }
}
