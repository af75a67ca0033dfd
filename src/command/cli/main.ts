import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { toReport } from '../../base/core/errors.ts';
import { runCommandLine, type CommandContext } from '../../base/node/terminal/commandLine.ts';
import { reportFailures } from '../../base/node/terminal/failures.ts';
import { buildProgram } from './program.ts';
import { launcherFlagsApart } from '../../training/cli/remote/launcherFlags.ts';
import { backboneOf, refuseForeignFlags } from '../../backbone/cli/runFlags.ts';
import { terminalIo } from '../../base/node/terminal/commandIo.ts';
import { TerminalView } from '../../backbone/cli/terminalView.ts';

export async function main(argv: readonly string[], distFolder: string): Promise<number> {
  dropUnreadOutput();
  const { version } = JSON.parse(readFileSync(path.join(distFolder, '../package.json'), 'utf8')) as {
    version: string;
  };
  const hostProgram = path.join(distFolder, 'host.cjs');
  return runAgentjet({ io: terminalIo(), distFolder, version, hostProgram, argv });
}

/** Runs a command line of `agentjet`. Resolves to its exit code. */
export async function runAgentjet(context: CommandContext): Promise<number> {
  const { io, argv } = context;
  const program = buildProgram(context.version);
  const named = program.commands.find((command) => command.name() === argv[0])?.name();
  if (named !== undefined && named !== 'judge')
    return reportFailures(argv, io, () =>
      runCommandLine(program, { ...context, argv: launcherFlagsApart(argv) }),
    );
  // The launcher of `ajet` also waits until the training has ended.
  if (['trinity', 'verl'].includes(backboneOf(argv) ?? ''))
    return runAgentjet({ ...context, argv: ['remote', 'run', '--follow', ...argv] });
  try {
    if (named === undefined) refuseForeignFlags(argv);
    return await runCommandLine(program, context);
  } catch (error) {
    const options = { json: argv.includes('--json'), verbose: argv.includes('--verbose') };
    return new TerminalView(options, io).cannotStart(toReport(error, 'cli/unexpected'));
  }
}

/** Ignores a reader that ends early, such as `head`: the run continues. */
function dropUnreadOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
