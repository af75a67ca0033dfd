import { formatReport, toReport } from '../../core/errors.ts';
import { forTerminal } from '../../core/optionNames.ts';
import { type CommandIo, exitCodes } from './commandIo.ts';

/**
 * Runs a command. If it throws, prints the error and resolves to 2. With `--json`, stdout also gets the error as one line
 * of JSON, after anything that the command has printed.
 */
export async function reportFailures(
  argv: readonly string[],
  { stdout, stderr }: CommandIo,
  command: () => Promise<number>,
): Promise<number> {
  try {
    return await command();
  } catch (error) {
    const { stack, ...report } = toReport(error, 'cli/unexpected');
    // Flags after `--` belong to the launcher.
    const end = argv.indexOf('--');
    const own = end < 0 ? argv : argv.slice(0, end);
    if (own.includes('--json')) stdout.write(`${JSON.stringify({ error: report })}\n`);
    const verbose = own.includes('--verbose');
    stderr.write(forTerminal(`agentjet: ${formatReport({ ...report, stack }, { verbose })}\n`));
    return exitCodes.couldNotStart;
  }
}
