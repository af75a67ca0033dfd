/** The start options of a host over SSH, which the command line and the editor share. */
import type { HostStart } from '../../core/protocol/sshHost.ts';
import {
  oneOf,
  parseOptions,
  repeated,
  text,
  integer,
  usageError,
  type Values,
} from '../../../base/node/terminal/commandLine.ts';

/** Throws `cli/usage`. */
export function sshStart({
  launcher = [],
  gpus,
  ray,
  tinkerServers,
}: Values<typeof sshStartOptions>): HostStart {
  return {
    launchers: Object.fromEntries(launcher.map(remoteLauncher)),
    gpus: gpus ?? null,
    ray: ray === undefined ? null : rayHead(ray),
    ...(tinkerServers !== undefined && { tinkerServers }),
  };
}

/** Reads the options from one line, in which quotes keep blanks. Throws `cli/usage`. */
export function sshStartOf(line: string): HostStart {
  return sshStart(parseOptions(wordsOf(line), sshStartOptions, 'agentjet remote add'));
}

export function sshStartWords({ launchers, gpus, ray, tinkerServers = null }: HostStart): string[] {
  return [
    ...Object.entries(launchers).flatMap(([name, file]) => ['--launcher', `${name}=${file}`]),
    ...(gpus === null ? [] : ['--gpus', String(gpus)]),
    ...(ray === null ? [] : ['--ray', ray]),
    ...(tinkerServers === null ? [] : ['--tinker-servers', tinkerServers]),
  ];
}

function wordsOf(line: string): string[] {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  const rest = line.replaceAll(/"[^"]*"|'[^']*'/g, '');
  if (/["']/.test(rest)) throw usageError('A quote is not closed.', 'Close it or remove it.');
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** Reads NAME=PATH. The host checks the path, which is on its machine. */
function remoteLauncher(text: string): [string, string] {
  const [, name = '', file = ''] = /^([^=]*)=(\/.+)$/.exec(text) ?? [];
  if (file === '')
    throw usageError(`--launcher ${text} is not NAME=PATH.`, 'Write --launcher ajet=/opt/venv/bin/ajet.');
  return [oneOf('--launcher', name, ['ajet', 'trinity']), file];
}

export const sshStartOptions = {
  launcher: repeated(
    text('<name=path>', 'The executable for ajet or trinity on the host (over SSH). Can be repeated.'),
  ),
  gpus: integer('<n>', 0, 'Number of GPUs of the host (over SSH).'),
  ray: text('<url>', 'The dashboard of a Ray cluster (over SSH), such as http://HEAD:8265.'),
  tinkerServers: text(
    '<file>',
    'The absolute path on the host of a file that lists the Tinker servers that it may start (over SSH).',
  ),
};

export function rayHead(written: string): string {
  const protocol = URL.canParse(written) ? new URL(written).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return written;
  throw usageError(
    `--ray ${written} is not the address of a Ray dashboard.`,
    'Write it as http://HEAD:8265.',
  );
}
