/**
 * The GPU host in one file, for machines that have nothing of ours but it: `node host.cjs …` takes what
 * `agentjet host …` does.
 */
import process from 'node:process';
import { formatReport, toReport } from './base/errors.ts';
import { runHost } from './node/cli/host/hostCommand.ts';
import { terminalIo } from './node/cli/terminalIo.ts';
import { exitCodes } from './node/cli/terminalView.ts';

/** Put in when it is bundled. */
declare const agentjetVersion: string;

const run = runHost({ script: import.meta.filename, version: agentjetVersion });
run(process.argv.slice(2), terminalIo()).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`agentjet: ${formatReport(toReport(error, 'host/unexpected'))}\n`);
    process.exitCode = exitCodes.couldNotStart;
  },
);
