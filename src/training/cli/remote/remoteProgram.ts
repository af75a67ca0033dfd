import type { CliCommand, CommandSpec, OptionTable } from '../../../base/node/terminal/commandLine.ts';
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
  serveOptions,
} from './remoteOptions.ts';

const exitNotes = 'Exit code: 0, or 2 if it failed.';
const followNotes =
  'Exit code: 0, 1 if the run failed or was lost, 2 if it could not start, 130 interrupted (the run continues) or canceled.';

const addNotes = `The address is wss://HOST:PORT, followed by # and the fingerprint of a self-signed certificate, or ws:// on this
machine. The token comes from --token-stdin, from AGENTJET_HOST_TOKEN, or from a prompt. It is kept in a private file.

The address USER@HOST or ssh:USER@HOST:PORT uses your ssh (or AGENTJET_SSH). AgentJet copies the host there, starts
it on loopback with the given options, and opens a tunnel. The machine needs Node.js 22.18 or later and the launcher.

${exitNotes}`;
const runNotes = `Other flags go to the launcher, as do all flags after --. The host rejects flags that it cannot honor.

${followNotes}`;

const serveNotes = `The owner of the host lists the servers and models: see --tinker-servers of agentjet host. The server is a run of
the host. It has GPUs and a log, and agentjet remote cancel ends it. The tunnel stays open until Ctrl-C.

Exit code: 0 after Ctrl-C, 1 if the server ended, 2 if it could not start, 130 if Ctrl-C came before it was ready.`;

const hostCommands = () => import('./hostCommands.ts');
const runCommands = () => import('./runCommands.ts');
const startCommands = () => import('./startCommands.ts');
const tinkerCommands = () => import('./tinkerCommands.ts');
const downloadCommands = () => import('./downloadCommands.ts');

export function addRemoteCommands(remote: CliCommand): void {
  remote.description('Trains on a GPU host, which agentjet host serves.').addHelpText(
    'after',
    `
Runs belong to the host. They continue when this command ends, when the network fails, and when the host stops.

With --json, an error is the last line of stdout: {"error": {"code", "message", "hint"}}.`,
  );
  const add = adderTo(remote);
  add(
    'add <name> <address>',
    'Adds a host.',
    addOptions,
    async () => (await hostCommands()).addHost,
    addNotes,
  );
  add('hosts', 'Lists the known hosts.', { json }, async () => (await hostCommands()).listHosts);
  add('remove <name>', 'Removes a host.', { json }, async () => (await hostCommands()).removeHost);
  const status = 'Shows the state of a host and its GPUs.';
  add('status', status, commonOptions, async () => (await hostCommands()).showStatus);
  add(
    'run [flags...]',
    'Sends the folder --root without the files that .gitignore and .agentjetignore exclude, lets the host check the config, and starts the training run.',
    runOptions,
    async () => (await startCommands()).startRun,
    runNotes,
  ).usage('--conf <file> [options] [flags of the launcher]');
  add(
    'serve',
    'Starts a Tinker server on the GPU host, or finds the one that runs, and opens a tunnel to it. Prints the address of the tunnel on this machine.',
    serveOptions,
    async () => (await tinkerCommands()).serveTinker,
    serveNotes,
  );
  add('ls', 'Lists the runs.', commonOptions, async () => (await runCommands()).listRuns);
  add(
    'logs <run>',
    'Shows the logs of a run.',
    logsOptions,
    async () => (await runCommands()).showLogs,
    followNotes,
  );
  add('cancel <run>', 'Cancels a run.', commonOptions, async () => (await runCommands()).cancelRun);
  add('rm <run>', 'Removes a run from the host.', removeOptions, async () => (await runCommands()).removeRun);
  add(
    'resume <run>',
    'Continues a run from a checkpoint: in its folder, or with --fork in a new folder.',
    resumeOptions,
    async () => (await startCommands()).resume,
    followNotes,
  );
  const pulls = 'Downloads a checkpoint. Continues an interrupted download.';
  add('pull <run>', pulls, pullOptions, async () => (await downloadCommands()).pull);
  const rebuilds = 'Downloads the code of a run, as it was sent.';
  add('rebuild <run>', rebuilds, rebuildOptions, async () => (await downloadCommands()).rebuild);
  addConfigCommands(remote);
}

function addConfigCommands(remote: CliCommand): void {
  const config = adderTo(remote)(
    'config <run>',
    'Prints the config of a run: composed, with the values that the host has set and the origin of each value, without secrets.',
    commonOptions,
    async () => (await runCommands()).showConfig,
  );
  adderTo(config)(
    'diff <run> <other>',
    'Compares the configs of two runs: + only in the other, - only in the run, ~ in both.',
    commonOptions,
    async () => (await runCommands()).diffConfigs,
  );
}

function adderTo(parent: CliCommand) {
  return <O extends OptionTable>(
    usage: string,
    description: string,
    options: O,
    load: () => Promise<CommandSpec<O>['run']>,
    notes = exitNotes,
  ): CliCommand =>
    parent.add({
      ...{ usage, description, options, notes },
      run: async (values, args, context) => (await load())(values, args, context),
    });
}
