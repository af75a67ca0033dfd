/** Runs of the `agentjet` command outside the editor, as in a terminal of the same folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Editor } from './editor.ts';
import { extensionUnderTest } from './session.ts';

export interface RunningCommand {
  /** Resolves when the command has exited with code 0, and rejects with its output otherwise. */
  readonly ended: Promise<void>;
  /** Kills it, as a crash would. */
  kill(): void;
}

/** Starts a run of a config of the workspace on the debug backbone. */
export function startRun(editor: Editor, config: string, ...options: readonly string[]): RunningCommand {
  const { workspace, temp } = editor.session;
  const cli = path.join(extensionUnderTest(), 'dist/cli.mjs');
  const child = spawn(process.execPath, [cli, '--conf', config, '--backbone', 'debug', ...options], {
    cwd: workspace,
    env: { ...process.env, AGENTJET_E2E_TEMP: temp },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const ended = once(child, 'close').then(([code, signal]) => {
    if (code !== 0) throw new Error(`The run ended with ${String(code ?? signal)}:\n${output}`);
  });
  ended.catch(() => undefined); // a caller that waits gets the rejection
  return { ended, kill: () => child.kill('SIGKILL') };
}
