import type { CommandIo } from '../../../src/base/node/terminal/commandIo.ts';
import { runCommandLine } from '../../../src/base/node/terminal/commandLine.ts';
import { buildProgram } from '../../../src/command/cli/program.ts';
import { launcherFlagsApart, refuseWithoutConfig } from '../../../src/training/cli/remote/launcherFlags.ts';
import type { RunValues } from '../../../src/training/cli/remote/remoteOptions.ts';

/** The command of a command line, with its values and arguments. Throws as the command line does. */
export function parsed(argv: readonly string[]) {
  const program = buildProgram('0.0.0');
  program.parse(launcherFlagsApart(argv), { from: 'user' });
  let command = program;
  for (let name = command.args[0]; name !== undefined; name = command.args[0]) {
    const below = command.commands.find((one) => one.name() === name);
    if (below === undefined) break;
    command = below;
  }
  return { path: command.path(), values: command.opts(), args: command.args };
}

/** What `agentjet remote run` is asked for, with the flags of the launcher. */
export function startedRun(argv: readonly string[]): RunValues & { readonly flags: readonly string[] } {
  const { values, args } = parsed(['remote', 'run', ...argv]);
  const asked: RunValues = values;
  if (asked.conf === undefined) refuseWithoutConfig(args, asked.launcher);
  return { ...asked, flags: args };
}

/** Runs a command in this process. Resolves to its exit code, and rejects with its error. */
export function runHere(argv: readonly string[], io: CommandIo): Promise<number> {
  return runCommandLine(buildProgram('0.0.0'), {
    io,
    argv,
    version: '0.0.0',
    distFolder: '',
    hostProgram: '',
  });
}
