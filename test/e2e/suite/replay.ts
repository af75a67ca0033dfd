/** An episode of a trace that is debugged again. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Conversation, Frame } from './debugging.ts';

/** Debugs the first episode of a trace by the command that asks which; resolves to where it stops. */
export async function stoppedAgain(debug: Conversation, trace: string, stops: number): Promise<Frame> {
  const before = debug.sessions().length;
  let asked: unknown;
  const command = vscode.commands.executeCommand('agentjet.debugEpisode', vscode.Uri.file(trace));
  command.then(undefined, (error: unknown) => (asked = error));
  // A session of TypeScript has others below it, that begin in any order.
  const replays = (): unknown[] =>
    debug.sessions().flatMap(({ configuration }, at) => {
      const { replay, episode } = configuration;
      return at < before || replay === undefined ? [] : [[replay, episode]];
    });
  await debug.until('the episode is debugged', () => {
    if (replays().length > 0) return true;
    // The question shows once the trace has been read.
    void vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    return false;
  });
  assert.equal(asked, undefined);
  assert.deepEqual(replays(), [[trace, 0]]);
  return debug.stopped(stops);
}
