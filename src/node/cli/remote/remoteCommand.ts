import type { CommandIo, Subcommand } from '../commandIo.ts';
import { wrongUse } from '../commandLine.ts';
import { exitCodes } from '../terminalView.ts';
import type { ClientInfo } from './session.ts';

const remoteUsage = `Usage: agentjet remote add NAME ADDRESS [--token-stdin] [--fingerprint F]
       agentjet remote add NAME USER@HOST|ssh:USER@HOST:PORT [--launcher NAME=PATH] [--gpus N] [--ray URL]
       agentjet remote hosts | remove NAME | status
       agentjet remote run --conf FILE [--backbone trinity|verl] [--launcher ajet|trinity|ray] [--gpus N] [--root DIR]
                           [--env NAME] [--name TEXT] [--limit SIZE] [--dry-run] [--force] [--follow]
                           [flags of the launcher]
       agentjet remote ls
       agentjet remote logs RUN [--follow] [--source S] [--since EVENT]
       agentjet remote cancel RUN | rm RUN [--checkpoints]
       agentjet remote pull RUN [--step N] [--stage S] [--to DIR]
       agentjet remote rebuild RUN [--to DIR]
       agentjet remote config RUN | config diff RUN OTHER
       agentjet remote resume RUN [--step N] [--stage S] [--fork] [--env NAME] [--force] [--follow]

Trains on a GPU host, which agentjet host serves. Runs belong to the host: they go on when this command ends, when the
network goes, and when the host's own program is killed.

  add                    remembers a host: wss://HOST:PORT, with # and the fingerprint of its certificate where no
                         authority vouches for that; ws:// to this machine alone. The token comes from --token-stdin,
                         from the variable AGENTJET_HOST_TOKEN, or is asked for; it is kept in a file of yours alone.
                         ssh: your own ssh (or AGENTJET_SSH) brings the host's program there, starts it as agentjet host
                         does with these options, on loopback, and opens the way to it; nothing is to be installed there
                         but Node 22.18 or later, and the launcher
  run                    sends the folder --root (default: the working directory, which holds the config) without what
                         .gitignore and .agentjetignore leave out, has the host check everything, and starts it.
                         --dry-run stops before anything is sent. --env NAME gives the run a variable of yours.
                         More than --limit (4G, 500M; default: 2G) is not sent.
                         Flags of ajet and trinity go along; the host refuses by name those that it cannot heed
  ls, logs               runs; what one prints. --source: launcher (default), explorer, trainer, …, or all; of a
                         training in stages with the name of one before it, as in sft/trainer
  pull                   brings a checkpoint here (default: the newest, into checkpoints/RUN), and goes on after a cut
  rebuild                brings the code that ran here, as it was sent (default: into code/RUN)
  config                 the config that a run was started with: composed, with what the host has set, each value with
                         where it comes from, without secrets; diff compares two runs: + only in OTHER, - only in RUN
  resume                 goes on from a checkpoint in the earlier run's folder, or with --fork in one of its own. --stage: that
                         the step is of, where several have one

All of them but add, hosts and remove take --host NAME (default: AGENTJET_HOST, else the only one there is); all take
--json: one JSON document in one line; of logs, and with --follow, a line for each event. What could not be done is
told there as well, as a last line: {"error": {"code", "message", "hint"}}.

Exit code: 0; 1 if the run that is followed has failed or was lost; 2 if it could not be done; 130 interrupted (the run
goes on) or cancelled.`;

type Command = (args: readonly string[], io: CommandIo, client: ClientInfo) => number | Promise<number>;

/** Loaded when asked for. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  add: async () => (await import('./hostCommands.ts')).addHost,
  remove: async () => (await import('./hostCommands.ts')).removeHost,
  hosts: async () => (await import('./hostCommands.ts')).listHosts,
  status: async () => (await import('./hostCommands.ts')).showStatus,
  run: async () => (await import('./runCommand.ts')).startRun,
  ls: async () => (await import('./runCommands.ts')).listRuns,
  logs: async () => (await import('./runCommands.ts')).showLogs,
  cancel: async () => (await import('./runCommands.ts')).cancelRun,
  pull: async () => (await import('./pullCommand.ts')).pull,
  rebuild: async () => (await import('./rebuildCommand.ts')).rebuild,
  config: async () => (await import('./configCommand.ts')).showConfig,
  resume: async () => (await import('./resumeCommand.ts')).resume,
  rm: async () => (await import('./runCommands.ts')).removeRun,
};

/** `agentjet remote`: the client of GPU hosts. */
export function runRemote(client: ClientInfo): Subcommand {
  return async (args, io) => {
    const [name, ...rest] = args;
    if (name === undefined || name === '--help' || name === '-h' || rest.includes('--help')) {
      io.stdout.write(`${remoteUsage}\n`);
      return exitCodes.ok;
    }
    const command = await commandOf(name);
    return command(rest, io, client);
  };
}

function commandOf(name: string): Promise<Command> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load !== undefined) return load();
  throw wrongUse(`agentjet remote ${name} does nothing.`, `Choose ${Object.keys(commands).join(', ')}.`);
}
