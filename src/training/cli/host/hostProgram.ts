import process from 'node:process';
import { CodedError } from '../../../base/core/errors.ts';
import type { CliCommand, CommandSpec, OptionTable } from '../../../base/node/terminal/commandLine.ts';
import { dataOptions, installOptions, serveOptions, tokenOptions } from './hostOptions.ts';

const tokenCommands = () => import('./tokenCommand.ts');

export function addHostCommands(host: CliCommand): void {
  host.does({
    description:
      "Serves this machine's GPUs to the editor and to agentjet remote: receives code, queues and starts training, and keeps its logs, metrics and checkpoints. Linux only.",
    options: serveOptions,
    notes: `Runs continue when the host stops (INT, TERM) or is killed. The next host with the same data folder takes them over.
At its first start, the host creates a token named owner and prints it once with the address.

Exit code: 0 if it was stopped, 2 if it could not start.`,
    run: usable(async () => (await import('./serveCommand.ts')).runServe),
  });
  const token = host
    .command('token')
    .description(
      'Creates, lists and removes the tokens of the host with this data folder, even if the host is not running.',
    );
  const notes = 'Exit code: 0, or 2 if it failed.';
  const add = <O extends OptionTable>(
    usage: string,
    description: string,
    options: O,
    load: () => Promise<CommandSpec<O>['run']>,
  ) => token.add({ usage, description, options, notes, run: usable(load) });
  const creates = 'Creates a token and prints it once.';
  add('add <name>', creates, tokenOptions, async () => (await tokenCommands()).addToken);
  add('list', 'Lists the tokens.', dataOptions, async () => (await tokenCommands()).listTokens);
  const removes = 'Removes a token and ends the connections that use it.';
  add('remove <name>', removes, dataOptions, async () => (await tokenCommands()).removeToken);
  host.add({
    usage: 'install',
    description:
      'Writes a systemd unit that starts the host and restarts it when it ends. Prints how to enable it. Stopping the service leaves the runs running.',
    options: installOptions,
    notes: `The program is copied into the data folder: install again after an update.

Exit code: 0, or 2 if the unit could not be written.`,
    run: usable(async () => (await import('./installCommand.ts')).runInstall),
  });
  addInternalCommands(host);
}

/** The commands that programs start: a client over SSH, and the host itself. */
function addInternalCommands(host: CliCommand): void {
  const add = (usage: string, load: () => Promise<CommandSpec<OptionTable>['run']>): CliCommand =>
    host.add({ usage, description: '', options: {}, isHidden: true, run: usable(load) });
  add('detach', async () => (await import('./detachCommand.ts')).runDetach);
  add('keep <file>', async () => {
    const { keepRun } = await import('../../node/host/runs/keeper.ts');
    return async (_, [file = '']) => keepRun(file).then(() => 0);
  });
  add('ray-job <file>', async () => {
    const { runRayJob } = await import('../../node/host/ray/runRayJob.ts');
    return (_, [file = '']) => runRayJob(file, process.env);
  });
}

function usable<O extends OptionTable>(load: () => Promise<CommandSpec<O>['run']>): CommandSpec<O>['run'] {
  return async (values, args, context) => {
    mustBeUsable(process.platform, process.versions.node);
    return (await load())(values, args, context);
  };
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
