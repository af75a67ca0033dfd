import type { Environment } from '../process/environment.ts';
import process from 'node:process';
import { text } from 'node:stream/consumers';

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
  write(text: string): void;
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
  return { write: (chunk) => void stream.write(chunk), colour };
}
