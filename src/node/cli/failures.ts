import { formatReport, toReport } from '../../base/errors.ts';
import type { CommandIo, Subcommand } from './commandIo.ts';
import { exitCodes } from './terminalView.ts';

/** Tells why a subcommand could not do its work, and ends it with 2. */
export function tellingFailures(command: Subcommand): Subcommand {
  return async (args, io) => {
    try {
      return await command(args, io);
    } catch (error) {
      return couldNotBeDone(error, args, io);
    }
  };
}

/** Under --json for programs as well, in one line, whatever lines there were before. */
function couldNotBeDone(error: unknown, args: readonly string[], { stdout, stderr }: CommandIo): number {
  const { stack, ...report } = toReport(error, 'cli/unexpected');
  // What comes behind `--` is the launcher's.
  const end = args.indexOf('--');
  const own = end < 0 ? args : args.slice(0, end);
  if (own.includes('--json')) stdout.write(`${JSON.stringify({ error: report })}\n`);
  const verbose = own.includes('--verbose');
  stderr.write(`agentjet: ${formatReport({ ...report, stack }, { verbose })}\n`);
  return exitCodes.couldNotStart;
}
