import * as vscode from 'vscode';
import { AgentJetSession, type AdapterPorts } from '../node/agentjetSession.ts';
import { debugpyPortField, heldRequest, type ChildConfiguration } from '../node/childSession.ts';

export type EditorPorts = Omit<AdapterPorts, 'startChild'>;

/** Runs the adapter inside the extension host: no process to start, and the child is started by the editor's own API. */
export class DescriptorFactory implements vscode.DebugAdapterDescriptorFactory {
  readonly #ports: EditorPorts;

  constructor(ports: EditorPorts) {
    this.#ports = ports;
  }

  createDebugAdapterDescriptor(session: vscode.DebugSession): vscode.DebugAdapterDescriptor {
    // VS Code has asked for trust before it comes here; a run must not depend on that alone.
    if (!vscode.workspace.isTrusted) {
      throw new Error(
        vscode.l10n.t(
          'AgentJet runs code of this workspace. Trust the workspace first ("Workspaces: Manage Workspace Trust").',
        ),
      );
    }
    const adapter = new AgentJetSession({
      ...this.#ports,
      startChild: async (child) => startChild(session, child),
    });
    return new vscode.DebugAdapterInlineImplementation(new InlineAdapter(adapter));
  }
}

/** debugpy listens in the run's process already, so that no other extension is needed to reach it. */
export const pythonDescriptors: vscode.DebugAdapterDescriptorFactory = {
  createDebugAdapterDescriptor: ({ configuration }) =>
    new vscode.DebugAdapterServer(Number(configuration[debugpyPortField]), '127.0.0.1'),
};

/** Reports to the run when its Python code stops and continues, because the process of the run itself does not stop. */
export const pythonTrackers: vscode.DebugAdapterTrackerFactory = {
  createDebugAdapterTracker: ({ parentSession }) => {
    const tell = (held: boolean): void => {
      // The run may have ended already.
      parentSession?.customRequest(heldRequest, { held }).then(undefined, () => undefined);
    };
    return {
      onDidSendMessage: (message: { readonly event?: string }) => {
        if (message.event === 'stopped') tell(true);
        if (message.event === 'continued') tell(false);
      },
      onWillReceiveMessage: (message: { readonly command?: string }) => {
        if (goesOn.has(message.command ?? '')) tell(false);
      },
    };
  },
};

const goesOn: ReadonlySet<string> = new Set(['continue', 'next', 'stepIn', 'stepOut', 'disconnect']);

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
