/** What a host that ssh gets to is started with; the command line and the editor take the same. */
import type { SshAsk } from '../../../protocol/host/sshHost.ts';
import { whole } from '../argumentValues.ts';
import { oneOf, parseOptions, wrongUse } from '../commandLine.ts';
import { rayHead } from '../host/hostSettings.ts';

export type SshStart = Omit<SshAsk, 'token'>;

export const sshStartOptions = {
  launcher: { type: 'string', multiple: true },
  gpus: { type: 'string' },
  ray: { type: 'string' },
} as const;

interface StartValues {
  readonly launcher?: readonly string[] | undefined;
  readonly gpus?: string | undefined;
  readonly ray?: string | undefined;
}

/** Throws `cli/usage`. */
export function sshStart({ launcher = [], gpus, ray }: StartValues): SshStart {
  return {
    launchers: Object.fromEntries(launcher.map(launcherThere)),
    gpus: whole('--gpus', gpus, 0) ?? null,
    ray: ray === undefined ? null : rayHead(ray),
  };
}

/** The same from one line, in which quotes keep blanks. Throws `cli/usage`. */
export function sshStartOf(line: string): SshStart {
  const { values, positionals } = parseOptions(wordsOf(line), sshStartOptions, 'agentjet remote add');
  const [stray] = positionals;
  if (stray === undefined) return sshStart(values);
  throw wrongUse(
    `"${stray}" belongs to no option.`,
    'There are --launcher NAME=PATH, --gpus N and --ray URL.',
  );
}

/** The options that say it. */
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
  if (/["']/.test(rest)) throw wrongUse('A quote is not closed.', 'Write it in pairs, or leave it out.');
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** A path of the machine that ssh gets to, where it is looked at. */
function launcherThere(text: string): [string, string] {
  const [, name = '', file = ''] = /^([^=]*)=(\/.+)$/.exec(text) ?? [];
  if (file === '')
    throw wrongUse(`--launcher ${text} is no NAME=PATH.`, 'Write --launcher ajet=/opt/venv/bin/ajet.');
  return [oneOf('--launcher', name, ['ajet', 'trinity']), file];
}
