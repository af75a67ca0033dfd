import process from 'node:process';
import { text } from 'node:stream/consumers';
import type { CommandIo, CommandOutput } from './commandIo.ts';

/** This process's own terminal. */
export function terminalIo(): CommandIo {
  return {
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    readStdin: () => text(process.stdin),
    cwd: process.cwd(),
    env: process.env,
  };
}

/** `NO_COLOR` and `FORCE_COLOR` are heeded by Node itself. */
function output(stream: NodeJS.WriteStream): CommandOutput {
  // `hasColors` is there on a terminal only.
  const colour = stream.isTTY && stream.hasColors();
  return { write: (chunk) => void stream.write(chunk), colour };
}
