/** How a host starts over SSH. The command line and the editor take the same options. */
import type { SshAsk } from '../../../protocol/host/sshHost.ts';
import { oneOf, parseOptions, wrongUse, type Values } from '../commandLine.ts';
import { rayHead } from '../host/hostSettings.ts';
import { sshStartOptions } from './remoteOptions.ts';

export type SshStart = Omit<SshAsk, 'token'>;

/** Throws `cli/usage`. */
export function sshStart({ launcher = [], gpus, ray }: Values<typeof sshStartOptions>): SshStart {
  return {
    launchers: Object.fromEntries(launcher.map(remoteLauncher)),
    gpus: gpus ?? null,
    ray: ray === undefined ? null : rayHead(ray),
  };
}

/** Reads the options from one line, in which quotes keep blanks. Throws `cli/usage`. */
export function sshStartOf(line: string): SshStart {
  return sshStart(parseOptions(wordsOf(line), sshStartOptions, 'agentjet remote add'));
}

/** Returns the options with the same meaning. */
export function sshStartWords({ launchers, gpus, ray }: SshStart): string[] {
  return [
    ...Object.entries(launchers).flatMap(([name, file]) => ['--launcher', `${name}=${file}`]),
    ...(gpus === null ? [] : ['--gpus', String(gpus)]),
    ...(ray === null ? [] : ['--ray', ray]),
  ];
}

function wordsOf(line: string): string[] {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  const rest = line.replaceAll(/"[^"]*"|'[^']*'/g, '');
  if (/["']/.test(rest)) throw wrongUse('A quote is not closed.', 'Close it, or remove it.');
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** Reads NAME=PATH. The host checks the path, which is on its machine. */
function remoteLauncher(text: string): [string, string] {
  const [, name = '', file = ''] = /^([^=]*)=(\/.+)$/.exec(text) ?? [];
  if (file === '')
    throw wrongUse(`--launcher ${text} is not NAME=PATH.`, 'Write --launcher ajet=/opt/venv/bin/ajet.');
  return [oneOf('--launcher', name, ['ajet', 'trinity']), file];
}
