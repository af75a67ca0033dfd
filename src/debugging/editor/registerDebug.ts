import path from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import type { Clock, FileReader } from '../../base/core/ports.ts';
import {
  cutStack,
  javaScriptDebugger,
  nameEpisodeErrors,
  pythonDebugType,
  debugpyPortField,
  heldRequest,
  type ChildConfiguration,
} from '../node/childSession.ts';
import type { RunLauncher } from '../../backbone/node/client/runLauncher.ts';
import { offerRemedy } from '../../base/editor/reportErrors.ts';
import { customEventNames, type FailedBody } from '../node/customEvents.ts';
import { debugType, activeFileDebugType, contextKeys, commands } from '../../base/core/ids.ts';
import { followHeldCode, runOf } from '../../base/editor/heldCode.ts';
import { followActiveDocument } from '../../base/editor/activeDocument.ts';
import { renamedDebugTypes } from '../../base/core/renamedIds.ts';
import { PythonChoice } from './python/pythonChoice.ts';
import { debugpyFolders, registerDebugpyHelp } from './python/debugpyHelp.ts';
import type { ApiKeys } from '../../backbone/editor/model/apiKeys.ts';
import { registerCodeLenses } from '../../configs/editor/choose/codeLenses.ts';
import { ConfigurationProvider, configurationFor } from './configurationProvider.ts';
import { RecentConfigs } from '../../configs/editor/choose/recentConfigs.ts';
import { registerUpstreamLaunches } from './registerUpstreamLaunches.ts';
import { targetOf, type Target } from '../../configs/editor/choose/target.ts';
import { chooseConfig } from '../../configs/editor/choose/chooseConfig.ts';
import { workingFolder } from '../../configs/editor/choose/configIndex.ts';
import { AgentJetSession, type AdapterPorts } from '../node/agentjetSession.ts';

export interface DebugParts {
  readonly context: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalState' | 'globalStorageUri'>;
  readonly launcher: RunLauncher;
  readonly clock: Clock;
  readonly files: FileReader;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly ownFolder: string;
  readonly apiKeys: ApiKeys;
  readonly log: vscode.LogOutputChannel;
}

export function registerDebug(parts: DebugParts): Disposable {
  const { context, launcher, clock, files, environment, ownFolder, apiKeys, log } = parts;
  const store = new DisposableStore();
  const recent = new RecentConfigs(context.workspaceState);
  const choice = new PythonChoice(clock, log);
  const storage = context.globalStorageUri.fsPath;
  const provider = new ConfigurationProvider(recent, choice, apiKeys);
  for (const type of [debugType, activeFileDebugType, ...Object.keys(renamedDebugTypes)]) {
    store.add(vscode.debug.registerDebugConfigurationProvider(type, provider));
  }
  // This one only provides: a second resolving provider would resolve twice.
  const dynamic: vscode.DebugConfigurationProvider = {
    provideDebugConfigurations: (folder) => provider.provideDynamicConfigurations(folder),
  };
  const trigger = vscode.DebugConfigurationProviderTriggerKind.Dynamic;
  store.add(vscode.debug.registerDebugConfigurationProvider(debugType, dynamic, trigger));
  const ports = {
    launcher,
    clock,
    files,
    environment,
    ownFolder,
    savedApiKey: (baseUrl: string) => apiKeys.get(baseUrl),
    savedTinkerKey: (baseUrl: string) => apiKeys.get(baseUrl),
    hasEditorModels: true,
    debugpyFolders: () => debugpyFolders(storage),
  };
  store.add(vscode.debug.registerDebugAdapterDescriptorFactory(debugType, adapterFactory(ports)));
  store.add(vscode.debug.registerDebugAdapterDescriptorFactory(pythonDebugType, pythonDescriptors));
  store.add(followHeldCode([pythonDebugType], reportHeld));
  for (const type of [javaScriptDebugger, pythonDebugType]) {
    store.add(vscode.debug.registerDebugAdapterTrackerFactory(type, codeTrackers));
  }
  const workerFolder = path.join(ownFolder, 'python');
  store.add(registerDebugpyHelp({ choice, storage, workerFolder, log }));
  store.add(
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type === debugType && event === customEventNames.failed)
        offerRemedy(body as FailedBody, log);
    }),
  );
  store.add(registerContextKeys(clock));
  store.add(registerUpstreamLaunches(clock));
  store.add(registerCodeLenses());
  store.add(registerCommands(recent));
  return store;
}

/** Updates the context keys for the active editor, which the `when` clauses of debugger, menus and keys use. */
function registerContextKeys(clock: Clock): Disposable {
  const store = new DisposableStore();
  const updateLaunch = (): void => setContext(contextKeys.launchConfigured, isLaunchConfigured());
  store.add(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('launch')) updateLaunch();
    }),
  );
  store.add(
    vscode.debug.onDidChangeBreakpoints(({ added }) => {
      if (added.some((one) => one instanceof vscode.SourceBreakpoint))
        setContext(contextKeys.hasBreakpoint, true);
    }),
  );
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(updateLaunch));
  updateLaunch();
  const active = followActiveDocument(clock, (document) => {
    const kind = document && targetOf(document)?.kind;
    setContext(contextKeys.activeConfig, kind === 'config');
    setContext(contextKeys.activeWorkflow, kind === 'workflow' || kind === 'job');
  });
  store.add(active);
  return store;
}

/**
 * Returns true if a launch configuration exists. The editor's `debugUx` has the same meaning but is wrong at first. Until
 * the editor has read its configurations, `debugUx` says that there are some, and F5 would show a list of debuggers.
 */
function isLaunchConfigured(): boolean {
  const scopes = vscode.workspace.workspaceFolders ?? [undefined];
  return scopes.some((folder) => {
    const launch = vscode.workspace.getConfiguration('launch', folder);
    return ['configurations', 'compounds'].some((kind) => (launch.get<unknown[]>(kind) ?? []).length > 0);
  });
}

function setContext(key: string, value: boolean): void {
  void vscode.commands.executeCommand('setContext', key, value);
}

function registerCommands(recent: RecentConfigs): Disposable {
  const start =
    (noDebug: boolean) =>
    (...args: unknown[]): Promise<void> =>
      isOnDisk() ? launch(args, recent, noDebug) : needsDisk();
  const store = new DisposableStore();
  store.add(vscode.commands.registerCommand(commands.debug, start(false)));
  store.add(vscode.commands.registerCommand(commands.run, start(true)));
  return store;
}

/** A virtual workspace has no files that a process could run; a window without a folder may still open some. */
function isOnDisk(): boolean {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.length === 0 || folders.some((folder) => folder.uri.scheme === 'file');
}

async function needsDisk(): Promise<void> {
  await vscode.window.showErrorMessage(
    vscode.l10n.t(
      'This workspace has no files on disk, which AgentJet needs. Clone the repository or open a local folder.',
    ),
  );
}

/** `args`: nothing (palette), a URI (menus, the lens of a config), or a URI and the name of a workflow (its lens). */
async function launch(args: readonly unknown[], recent: RecentConfigs, noDebug: boolean): Promise<void> {
  const config = await chooseConfig(await targetOfArguments(args), recent);
  if (!config) return;
  const configuration = { ...configurationFor(config), cwd: workingFolder(config) };
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(config), configuration, { noDebug });
}

async function targetOfArguments([uri, workflow]: readonly unknown[]): Promise<Target | undefined> {
  const document =
    uri instanceof vscode.Uri
      ? await vscode.workspace.openTextDocument(uri)
      : vscode.window.activeTextEditor?.document;
  const target = document && targetOf(document);
  return target?.kind === 'workflow' && typeof workflow === 'string'
    ? { ...target, workflows: [workflow] }
    : target;
}

/** Runs the adapter inside the extension host: no process to start, and the child is started by the editor's own API. */
function adapterFactory(ports: Omit<AdapterPorts, 'startChild'>): vscode.DebugAdapterDescriptorFactory {
  return {
    createDebugAdapterDescriptor: (session) => {
      // VS Code has asked for trust before it comes here; a run must not depend on that alone.
      if (!vscode.workspace.isTrusted) {
        throw new Error(
          vscode.l10n.t(
            'AgentJet runs code of this workspace. Trust the workspace first ("Workspaces: Manage Workspace Trust").',
          ),
        );
      }
      const startOwn = async (child: ChildConfiguration): Promise<boolean> => startChild(session, child);
      const adapter = new AgentJetSession({ ...ports, startChild: startOwn });
      return new vscode.DebugAdapterInlineImplementation(new InlineAdapter(adapter));
    },
  };
}

/** debugpy listens in the run's process already, so that no other extension is needed to reach it. */
const pythonDescriptors: vscode.DebugAdapterDescriptorFactory = {
  createDebugAdapterDescriptor: ({ configuration }) =>
    new vscode.DebugAdapterServer(Number(configuration[debugpyPortField]), '127.0.0.1'),
};

/**
 * Adapts the debuggers of a run's code. They have a filter for errors that end an episode. Their stacks end with the code,
 * and a stopped session has the name of its episode.
 */
const codeTrackers: vscode.DebugAdapterTrackerFactory = {
  createDebugAdapterTracker: (session) => {
    const run = runOf(session);
    if (run === undefined) return undefined;
    const starts = new Map<number, number>();
    const texts = {
      label: vscode.l10n.t('Errors That End an Episode'),
      description: vscode.l10n.t(
        'Stops where an error is thrown that the code of an episode does not catch.',
      ),
    };
    return {
      onWillReceiveMessage: ({ command, seq, arguments: args }: Partial<DebugProtocol.StackTraceRequest>) => {
        if (command === 'stackTrace' && seq !== undefined) starts.set(seq, args?.startFrame ?? 0);
      },
      onDidSendMessage: (message: Partial<DebugProtocol.Response & DebugProtocol.Event>) => {
        nameEpisodeErrors(message, texts);
        const start = starts.get(message.request_seq ?? -1);
        if (start !== undefined) cutStack(message, start);
        if (message.request_seq !== undefined) starts.delete(message.request_seq);
        if (message.event === 'stopped') void nameByEpisode(session, run);
      },
    };
  },
};

/** Names a session by the episode that runs, if only one does. */
async function nameByEpisode(session: vscode.DebugSession, run: vscode.DebugSession): Promise<void> {
  try {
    const { threads } = (await run.customRequest('threads')) as DebugProtocol.ThreadsResponse['body'];
    const [episode, ...others] = threads;
    if (episode !== undefined && others.length === 0) session.name = episode.name;
  } catch {
    // The run has ended.
  }
}

/** Reports to the run when its Python code stops and continues, because the process of the run itself does not stop. */
function reportHeld(run: vscode.DebugSession, held: boolean): void {
  // The run may have ended already.
  run.customRequest(heldRequest, { held }).then(undefined, () => undefined);
}

/** The same adapter with the editor's own event in place of its look-alike. */
class InlineAdapter extends vscode.Disposable implements vscode.DebugAdapter {
  readonly #adapter: AgentJetSession;
  readonly onDidSendMessage: vscode.Event<vscode.DebugProtocolMessage>;

  constructor(adapter: AgentJetSession) {
    const sent = new vscode.EventEmitter<vscode.DebugProtocolMessage>();
    super(() => {
      adapter.dispose();
      sent.dispose();
    });
    this.#adapter = adapter;
    this.onDidSendMessage = sent.event;
    adapter.onDidSendMessage((message) => sent.fire(message));
  }

  handleMessage(message: vscode.DebugProtocolMessage): void {
    this.#adapter.handleMessage(message as Parameters<AgentJetSession['handleMessage']>[0]);
  }
}

/** Stop and Restart in the child mean the run, and what the child prints belongs in the run's console. */
function startChild(session: vscode.DebugSession, child: ChildConfiguration): Thenable<boolean> {
  return vscode.debug.startDebugging(
    session.workspaceFolder,
    { ...child },
    {
      parentSession: session,
      lifecycleManagedByParent: true,
      consoleMode: vscode.DebugConsoleMode.MergeWithParent,
      suppressSaveBeforeStart: true,
    },
  );
}
