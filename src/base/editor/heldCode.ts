import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import { debugType } from '../core/ids.ts';

/** Returns the session of the run that a session debugs code of. */
export function runOf({ parentSession }: vscode.DebugSession): vscode.DebugSession | undefined {
  return parentSession === undefined || parentSession.type === debugType
    ? parentSession
    : runOf(parentSession);
}

/**
 * Reports when a debugger stops code of a run, and when that code continues or the debugger ends.
 *
 * @param types the debug types of the code
 */
export function followHeldCode(
  types: readonly string[],
  report: (run: vscode.DebugSession, held: boolean, code: vscode.DebugSession) => void,
): Disposable {
  const trackers: vscode.DebugAdapterTrackerFactory = {
    createDebugAdapterTracker: (session) => {
      const run = runOf(session);
      if (run === undefined) return undefined;
      const tell = (held: boolean): void => report(run, held, session);
      return {
        onDidSendMessage: ({ event }: { readonly event?: string }) => {
          if (event === 'stopped') tell(true);
          if (event === 'continued') tell(false);
        },
        onWillReceiveMessage: ({ command = '' }: { readonly command?: string }) => {
          if (continuing.has(command)) tell(false);
        },
        onExit: () => tell(false),
      };
    },
  };
  const store = new DisposableStore();
  for (const type of types) store.add(vscode.debug.registerDebugAdapterTrackerFactory(type, trackers));
  return store;
}

const continuing: ReadonlySet<string> = new Set(['continue', 'next', 'stepIn', 'stepOut', 'disconnect']);
