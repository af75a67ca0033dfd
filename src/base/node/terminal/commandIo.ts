import type { Environment } from '../process/environment.ts';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { withoutControl } from '../../core/visibleText.ts';

/** The terminal of a command. Tests pass their own. */
export interface CommandIo {
  readonly stdout: CommandOutput;
  readonly stderr: CommandOutput;
  readonly readStdin: () => Promise<string>;
  /** Absolute. Paths of the command line are relative to it. */
  readonly cwd: string;
  readonly env: Environment;
}

export interface CommandOutput {
  /** Writes a text without control characters. `isOwn`: the text is that of AgentJet and keeps its terminal codes. */
  write(text: string, isOwn?: boolean): void;
  readonly colour: boolean;
}

export const exitCodes = { ok: 0, someFailed: 1, couldNotStart: 2, interrupted: 130 } as const;

export function terminalIo(): CommandIo {
  return {
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    readStdin: () => text(process.stdin),
    cwd: process.cwd(),
    env: process.env,
  };
}

/** Node.js applies `NO_COLOR` and `FORCE_COLOR`. */
function output(stream: NodeJS.WriteStream): CommandOutput {
  // `hasColors` exists only on terminals.
  const colour = stream.isTTY && stream.hasColors();
  const write = (chunk: string, isOwn = false): void =>
    void stream.write(isOwn ? chunk : withoutControl(chunk));
  return { write, colour };
}
