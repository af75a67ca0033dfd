import {
  type CliCommand,
  type CommandContext,
  type OptionTable,
  type Values,
} from '../../../base/node/terminal/commandLine.ts';
import {
  addOptions,
  commonOptions,
  json,
  logsOptions,
  pullOptions,
  rebuildOptions,
  removeOptions,
  resumeOptions,
  runOptions,
} from './remoteOptions.ts';

const exitNotes = 'Exit code: 0, or 2 if it failed.';
const followNotes =
  'Exit code: 0, 1 if the run failed or was lost, 2 if it could not start, 130 interrupted (the run continues) or canceled.';

type Handler<O extends OptionTable> = (
  values: Values<O>,
  args: readonly string[],
  context: CommandContext,
) => number | Promise<number>;

/** Sets up the commands of `agentjet remote`. Each is loaded when it runs. */
export function addRemoteCommands(remote: CliCommand): void {
  remote.description('Trains on a GPU host, which agentjet host serves.').addHelpText(
    'after',
    `
Runs belong to the host. They continue when this command ends, when the network fails, and when the host stops.

With --json, an error is the last line of stdout: {"error": {"code", "message", "hint"}}.`,
  );
  const add = <O extends OptionTable>(
    usage: string,
    description: string,
    options: O,
    load: () => Promise<Handler<O>>,
    notes = exitNotes,
  ): CliCommand =>
    remote.add({
      ...{ usage, description, options, notes },
      run: async (values, args, context) => (await load())(values, args, context),
    });
  addHosts(add);
  addRuns(add);
  add(
    'pull <run>',
    'Downloads a checkpoint. Continues an interrupted download.',
    pullOptions,
    async () => (await import('./downloadCommands.ts')).pull,
  );
  add(
    'rebuild <run>',
    'Downloads the code of a run, as it was sent.',
    rebuildOptions,
    async () => (await import('./downloadCommands.ts')).rebuild,
  );
  const config = add(
    'config <run>',
    'Prints the config of a run: composed, with the values that the host has set and the origin of each value, without secrets.',
    commonOptions,
    async () => (await import('./runCommands.ts')).showConfig,
  );
  config.add({
    usage: 'diff <run> <other>',
    description: 'Compares the configs of two runs: + only in the other, - only in the run, ~ in both.',
    options: commonOptions,
    notes: exitNotes,
    run: async (values, runs, context) =>
      (await import('./runCommands.ts')).diffConfigs(values, runs, context),
  });
}

type Add = <O extends OptionTable>(
  usage: string,
  description: string,
  options: O,
  load: () => Promise<Handler<O>>,
  notes?: string,
) => CliCommand;

function addHosts(add: Add): void {
  add(
    'add <name> <address>',
    'Adds a host.',
    addOptions,
    async () => (await import('./hostCommands.ts')).addHost,
    `The address is wss://HOST:PORT, followed by # and the fingerprint of a self-signed certificate, or ws:// on this
machine. The token comes from --token-stdin, from AGENTJET_HOST_TOKEN, or from a prompt. It is kept in a private file.

The address USER@HOST or ssh:USER@HOST:PORT uses your ssh (or AGENTJET_SSH). AgentJet copies the host there, starts
it on loopback with the given options, and opens a tunnel. The machine needs Node.js 22.18 or later and the launcher.

${exitNotes}`,
  );
  add('hosts', 'Lists the known hosts.', { json }, async () => (await import('./hostCommands.ts')).listHosts);
  add(
    'remove <name>',
    'Removes a host.',
    { json },
    async () => (await import('./hostCommands.ts')).removeHost,
  );
  add(
    'status',
    'Shows the state of a host and its GPUs.',
    commonOptions,
    async () => (await import('./hostCommands.ts')).showStatus,
  );
}

function addRuns(add: Add): void {
  const run = add(
    'run [flags...]',
    'Sends the folder --root without the files that .gitignore and .agentjetignore exclude, lets the host check the config, and starts the training run.',
    runOptions,
    async () => (await import('./runCommand.ts')).startRun,
    `Other flags go to the launcher, as do all flags after --. The host rejects flags that it cannot honor.

${followNotes}`,
  );
  run.usage('--conf <file> [options] [flags of the launcher]');
  add('ls', 'Lists the runs.', commonOptions, async () => (await import('./runCommands.ts')).listRuns);
  add(
    'logs <run>',
    'Shows the logs of a run.',
    logsOptions,
    async () => (await import('./runCommands.ts')).showLogs,
    followNotes,
  );
  add(
    'cancel <run>',
    'Cancels a run.',
    commonOptions,
    async () => (await import('./runCommands.ts')).cancelRun,
  );
  add(
    'rm <run>',
    'Removes a run from the host.',
    removeOptions,
    async () => (await import('./runCommands.ts')).removeRun,
  );
  add(
    'resume <run>',
    'Continues a run from a checkpoint: in its folder, or with --fork in a new folder.',
    resumeOptions,
    async () => (await import('./resumeCommand.ts')).resume,
    followNotes,
  );
}
