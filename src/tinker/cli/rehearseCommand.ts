import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { hasCode } from '../../base/core/errors.ts';
import { type CommandIo, exitCodes } from '../../base/node/terminal/commandIo.ts';
import { usageError, type CommandContext } from '../../base/node/terminal/commandLine.ts';
import { cancelledByInterrupt } from '../../base/node/terminal/interrupts.ts';
import { progressText, type SetUpProgress } from '../core/rehearsal/setUpProgress.ts';
import { startRehearsalServer, type RehearsalServer } from '../node/rehearsal/server.ts';
import { ensureRehearsal, type RehearsalPorts } from '../node/rehearsal/setUp.ts';
import type { RehearseValues } from './options.ts';

/**
 * Sets up a rehearsal and runs its server until Ctrl-C.
 *
 * @param train trains on the server and resolves to the exit code, after which the server stops; absent: no training
 */
export async function runRehearse(
  { onlySetup = false, port, data, python }: RehearseValues,
  { io, distFolder }: CommandContext,
  train?: (server: RehearsalServer) => Promise<number>,
): Promise<number> {
  if (port !== undefined && port > 65_535)
    throw usageError(`--port ${port} is not a port.`, 'Choose 1 to 65535, or 0 for any free port.');
  const ports: RehearsalPorts = {
    env: io.env,
    home: homedir(),
    platform: process.platform,
    scripts: path.join(distFolder, 'python', 'rehearsal'),
  };
  const inFolder = (file: string | undefined): string | undefined => file && path.resolve(io.cwd, file);
  const interrupts = cancelledByInterrupt();
  const { token } = interrupts.source;
  const status = new StatusLine(io);
  try {
    const options = { python: python?.includes(path.sep) === true ? inFolder(python) : python };
    const show = (progress: SetUpProgress): void => status.show(progressText(progress), progress.step);
    const rehearsal = await ensureRehearsal(ports, options, show, token);
    status.clear();
    io.stdout.write(`python  ${rehearsal.python}\nmodel   ${rehearsal.model}\n`);
    if (onlySetup) return exitCodes.ok;
    status.show('Starting the server', 'server');
    const server = await startRehearsalServer(ports, rehearsal, { port, data: inFolder(data) }, token);
    status.clear();
    if (train !== undefined) {
      io.stderr.write('The first step takes up to a minute, because the server compiles.\n');
      interrupts.dispose(); // the training handles them, and saves a checkpoint
      try {
        return await train(server);
      } finally {
        await server.stop();
      }
    }
    const stopping = token.onCancelled(() => void server.stop());
    io.stdout.write(`server  ${server.url}\nlog     ${server.log}\n`);
    io.stderr.write('The server can train. Ctrl-C stops it.\n');
    const error = await server.ended;
    stopping.dispose();
    if (error !== undefined) throw error;
    return exitCodes.ok;
  } catch (error) {
    if (hasCode(error, 'rehearsal/cancelled')) return exitCodes.interrupted;
    throw error;
  } finally {
    status.clear();
    interrupts.dispose();
  }
}

/** The last line of a terminal. Elsewhere, a line for each step. */
class StatusLine {
  readonly #stderr: CommandIo['stderr'];
  #step = '';

  constructor({ stderr }: CommandIo) {
    this.#stderr = stderr;
  }

  show(text: string, step: string): void {
    if (this.#stderr.colour) this.#stderr.write(`\r\u001b[K${text}`, true);
    else if (step !== this.#step) this.#stderr.write(`${text}\n`);
    this.#step = step;
  }

  clear(): void {
    if (this.#stderr.colour && this.#step !== '') this.#stderr.write('\r\u001b[K', true);
    this.#step = '';
  }
}
