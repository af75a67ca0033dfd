import * as vscode from 'vscode';
import { CancellationSource, type CancellationToken } from '../core/cancellation.ts';

/** What work that a user waits for has of the notification that shows it. */
export interface CancellableProgress {
  readonly cancellation: CancellationToken;
  /** The same, for what the editor asks meanwhile. */
  readonly token: vscode.CancellationToken;
  /** `share`: how much is done, of 1; it never goes back. */
  readonly report: (shown: { readonly message?: string; readonly share?: number }) => void;
}

/** Runs work with a notification that has a cancel button; undefined: the user has cancelled it. */
export function withCancellableProgress<T>(
  title: string,
  work: (shown: CancellableProgress) => Promise<T>,
): Thenable<T | undefined> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
    const source = new CancellationSource();
    const listening = token.onCancellationRequested(() => source.cancel());
    let told = 0;
    const report: CancellableProgress['report'] = ({ message, share }) => {
      const text = message === undefined ? {} : { message };
      // An increment, even of nothing, is the end of a bar that only says that something goes on.
      const moved = share === undefined ? {} : { increment: 100 * Math.max(0, share - told) };
      progress.report({ ...text, ...moved });
      told = Math.max(told, share ?? 0);
    };
    try {
      return await work({ cancellation: source.token, token, report });
    } catch (error) {
      if (!source.token.isCancelled) throw error;
      return undefined;
    } finally {
      listening.dispose();
    }
  });
}
