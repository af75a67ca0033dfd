import * as vscode from 'vscode';
import { CancellationSource, type CancellationToken } from '../core/cancellation.ts';

export interface CancellableProgress {
  readonly cancellation: CancellationToken;
  /** The same token as a type of VS Code, for its API. */
  readonly token: vscode.CancellationToken;
  /** Updates the notification. `share` is the completed part in [0, 1] and never decreases. */
  readonly report: (shown: { readonly message?: string; readonly share?: number }) => void;
}

/** Runs work with a progress notification. Resolves to undefined if the user cancels it. */
export function withCancellableProgress<T>(
  title: string,
  work: (shown: CancellableProgress) => Promise<T>,
): Thenable<T | undefined> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
    const source = new CancellationSource();
    const listening = token.onCancellationRequested(() => source.cancel());
    let reported = 0;
    const report: CancellableProgress['report'] = ({ message, share }) => {
      const text = message === undefined ? {} : { message };
      // Any increment, even 0, turns the indeterminate progress bar into a determinate one.
      const moved = share === undefined ? {} : { increment: 100 * Math.max(0, share - reported) };
      progress.report({ ...text, ...moved });
      reported = Math.max(reported, share ?? 0);
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
