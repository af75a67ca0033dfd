/**
 * The GPU host in one file, for machines that have nothing of ours but it: `node host.cjs …` takes what
 * `agentjet host …` does.
 */
import process from 'node:process';
import { tellingFailures } from './node/cli/failures.ts';
import { runHost } from './node/cli/host/hostCommand.ts';
import { terminalIo } from './node/cli/terminalIo.ts';

/** Put in when it is bundled. */
declare const agentjetVersion: string;

const run = tellingFailures(runHost({ script: import.meta.filename, version: agentjetVersion }));
void run(process.argv.slice(2), terminalIo()).then((code) => (process.exitCode = code));
