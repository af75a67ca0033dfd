import process from 'node:process';
import { CodedError } from '../../../base/errors.ts';
import type { Subcommand } from '../commandIo.ts';
import { parseOptions, wrongUse } from '../commandLine.ts';
import { exitCodes } from '../terminalView.ts';
import type { HostProgram } from './hostProgram.ts';
import { hostSettings, settingsOptions } from './hostSettings.ts';

const options = {
  ...settingsOptions,
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const hostUsage = `Usage: agentjet host [--listen ADDRESS:PORT] [--data DIR] [--launcher NAME=PATH] [--gpus N] [--ray URL]
                     [--tls | --tls-cert FILE --tls-key FILE] [--json]
       agentjet host token add NAME [--scope start] [--scope cancel] | list | remove NAME
       agentjet host install [--user|--system] [--print] [the same options]

Serves this machine's GPUs to the editor and to agentjet remote: takes code, queues and starts training, keeps its logs,
metrics and checkpoints. Runs belong to the host, not to who is connected: they go on when it is stopped (INT, TERM), or
killed, and the next host with the same data folder takes them over. Linux only.

  --listen ADDRESS:PORT  where (default: 127.0.0.1:7788); an address beyond this machine needs TLS
  --data DIR             what it keeps (default: ~/.agentjet/host)
  --launcher NAME=PATH   the executable for ajet or trinity (default: those on PATH); nothing else is ever started
  --gpus N               as many GPUs, whatever nvidia-smi tells; 0: none
  --ray http://HEAD:8265 the dashboard of a Ray cluster that runs may be sent to
  --tls                  with a certificate that it makes for itself and keeps: clients know it by its fingerprint
  --tls-cert FILE --tls-key FILE
                         with a certificate of yours, both in PEM
  --json                 tells where it listens as one line of JSON

At its first start it makes a token, owner, which is shown once with the address. token and install have a --help of
their own.

Exit code: 0 it was stopped, 2 it could not start.`;

/** `agentjet host`: the GPU host, its tokens and its service. */
export function runHost(program: HostProgram): Subcommand {
  return async (args, io) => {
    mustBeUsable(process.platform, process.versions.node);
    const [name, ...rest] = args;
    if (name === 'token') return (await import('./tokenCommand.ts')).runToken(rest, io);
    if (name === 'install') return (await import('./installCommand.ts')).runInstall(rest, program, io);
    // A client that has come over SSH.
    if (name === 'detach') return (await import('./detachCommand.ts')).runDetach(program, io);
    // These two the host starts by itself.
    if (name === 'keep') {
      await (await import('../../host/runs/keeper.ts')).keepRun(fileOf(rest));
      return exitCodes.ok;
    }
    if (name === 'ray-job')
      return (await import('../../host/ray/runRayJob.ts')).runRayJob(fileOf(rest), process.env);
    const { values, positionals } = parseOptions(args, options, 'agentjet host');
    if (values.help === true) {
      io.stdout.write(`${hostUsage}\n`);
      return exitCodes.ok;
    }
    const [stray] = positionals;
    if (stray !== undefined) throw wrongUse(`agentjet host ${stray} does nothing.`, 'agentjet host --help');
    const { serve } = await import('./serveCommand.ts');
    return serve(hostSettings(values, io), program, { io, json: values.json === true });
  };
}

function fileOf([file, ...strays]: readonly string[]): string {
  if (file === undefined || strays.length > 0)
    throw wrongUse('It takes one file.', 'The host starts it by itself.');
  return file;
}

function mustBeUsable(platform: NodeJS.Platform, version: string): void {
  if (platform !== 'linux') {
    throw new CodedError({
      code: 'host/platform',
      message: 'A GPU host runs on Linux, and this is another system.',
      hint: 'Start it on the machine with the GPUs; agentjet remote is for every system.',
    });
  }
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return;
  throw new CodedError({
    code: 'host/node',
    message: `A GPU host needs Node.js 22.18 or later, and this is ${version}.`,
    hint: 'Install a newer Node.js and call it with that.',
  });
}
