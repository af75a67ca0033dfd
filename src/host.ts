/**
 * The GPU host in one file, for machines without the rest of AgentJet. `node host.cjs …` has the arguments of
 * `agentjet host …`.
 */
import process from 'node:process';
import { CliCommand, runCommandLine } from './base/node/terminal/commandLine.ts';
import { reportFailures } from './base/node/terminal/failures.ts';
import { addHostCommands } from './training/cli/host/hostProgram.ts';
import { terminalIo } from './base/node/terminal/commandIo.ts';

/** Defined when the file is bundled. */
declare const agentjetVersion: string;

const program = new CliCommand('agentjet host');
addHostCommands(program);
const argv = process.argv.slice(2);
const io = terminalIo();
const context = {
  ...{ io, argv, version: agentjetVersion },
  ...{ distFolder: import.meta.dirname, hostProgram: import.meta.filename },
};
void reportFailures(argv, io, () => runCommandLine(program, context)).then(
  (code) => (process.exitCode = code),
);
