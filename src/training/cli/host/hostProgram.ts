import process from 'node:process';
import { CodedError } from '../../../base/core/errors.ts';
import type {
  CliCommand,
  CommandContext,
  CommandSpec,
  OptionTable,
  Values,
} from '../../../base/node/terminal/commandLine.ts';
import {
  dataOptions,
  installOptions,
  serveOptions,
  tokenOptions,
  type DataValues,
  type HostProgram,
  type InstallValues,
  type TokenValues,
} from './hostOptions.ts';

const exitNotes = 'Exit code: 0, or 2 if it failed.';

/** Sets up `agentjet host` and its commands. */
export function addHostCommands(host: CliCommand): void {
  host.does({
    description:
      "Serves this machine's GPUs to the editor and to agentjet remote: receives code, queues and starts training, and keeps its logs, metrics and checkpoints. Linux only.",
    options: serveOptions,
    notes: `Runs continue when the host stops (INT, TERM) or is killed. The next host with the same data folder takes them over.
At its first start, the host creates a token named owner and prints it once with the address.

Exit code: 0 if it was stopped, 2 if it could not start.`,
    run: usable(async ({ json = false, ...values }: Values<typeof serveOptions>, _, context) => {
      const { hostSettings } = await import('./hostSettings.ts');
      const { serve } = await import('./serveCommand.ts');
      const { io } = context;
      return serve(hostSettings(values, io), programOf(context), { io, json });
    }),
  });
  const token = host
    .command('token')
    .description(
      'Creates, lists and removes the tokens of the host with this data folder, even if the host is not running.',
    );
  token.add({
    usage: 'add <name>',
    description: 'Creates a token and prints it once.',
    options: tokenOptions,
    notes: exitNotes,
    run: usable(async (values: TokenValues, [name = ''], { io }) =>
      (await import('./tokenCommand.ts')).addToken(values, name, io),
    ),
  });
  token.add({
    usage: 'list',
    description: 'Lists the tokens.',
    options: dataOptions,
    notes: exitNotes,
    run: usable(async (values: DataValues, _, { io }) =>
      (await import('./tokenCommand.ts')).listTokens(values, io),
    ),
  });
  token.add({
    usage: 'remove <name>',
    description: 'Removes a token and ends the connections that use it.',
    options: dataOptions,
    notes: exitNotes,
    run: usable(async (values: DataValues, [name = ''], { io }) =>
      (await import('./tokenCommand.ts')).removeToken(values, name, io),
    ),
  });
  host.add({
    usage: 'install',
    description:
      'Writes a systemd unit that starts the host and restarts it when it ends. Prints how to enable it. Stopping the service leaves the runs running.',
    options: installOptions,
    notes: `The program is copied into the data folder: install again after an update.

Exit code: 0, or 2 if the unit could not be written.`,
    run: usable(async (values: InstallValues, _, context) =>
      (await import('./installCommand.ts')).runInstall(values, programOf(context), context.io),
    ),
  });
  addInternalCommands(host);
}

/** The commands that programs start: a client over SSH, and the host itself. */
function addInternalCommands(host: CliCommand): void {
  const internal = { description: '', options: {}, isHidden: true };
  host.add({
    ...internal,
    usage: 'detach',
    run: usable(async (_values, _, context) =>
      (await import('./detachCommand.ts')).runDetach(programOf(context), context.io),
    ),
  });
  host.add({
    ...internal,
    usage: 'keep <file>',
    run: usable(async (_values, [file = '']) => {
      await (await import('../../node/host/runs/keeper.ts')).keepRun(file);
      return 0;
    }),
  });
  host.add({
    ...internal,
    usage: 'ray-job <file>',
    run: usable(async (_values, [file = '']) =>
      (await import('../../node/host/ray/runRayJob.ts')).runRayJob(file, process.env),
    ),
  });
}

/** Returns the action, which first checks that a host can run here. */
function usable<O extends OptionTable>(run: CommandSpec<O>['run']): CommandSpec<O>['run'] {
  return (values, args, context) => {
    mustBeUsable(process.platform, process.versions.node);
    return run(values, args, context);
  };
}

function programOf({ hostProgram, version }: CommandContext): HostProgram {
  return { script: hostProgram, version };
}

function mustBeUsable(platform: NodeJS.Platform, version: string): void {
  if (platform !== 'linux') {
    throw new CodedError({
      code: 'host/platform',
      message: 'A GPU host runs on Linux only.',
      hint: 'Start it on the machine with the GPUs. agentjet remote runs on every system.',
    });
  }
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return;
  throw new CodedError({
    code: 'host/node',
    message: `A GPU host needs Node.js 22.18 or later, and this is ${version}.`,
    hint: 'Install a newer Node.js and start the host with it.',
  });
}
