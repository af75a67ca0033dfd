import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { homedir, userInfo } from 'node:os';
import { CodedError } from '../../../base/core/errors.ts';
import { HostTokens } from '../../node/host/server/tokens.ts';
import type { Environment } from '../../../base/node/process/environment.ts';
import { exitCodes } from '../../../base/node/terminal/commandIo.ts';
import { usageError, type CommandContext } from '../../../base/node/terminal/commandLine.ts';
import type { InstallValues } from './hostOptions.ts';
import { hostSettings, settingArguments, type HostSettings } from './hostSettings.ts';
import { firstToken } from './serveCommand.ts';
import { environmentFile, systemdUnit, unitName } from './systemdUnit.ts';

type Scope = 'user' | 'system';
const systemUnits = '/etc/systemd/system';

/** @param systemFolder the folder of the machine's units */
export function runInstall(
  { user: isUser = false, system = false, print = false, json: isJson = false, ...values }: InstallValues,
  _: readonly string[],
  { io, hostProgram }: Pick<CommandContext, 'io' | 'hostProgram'>,
  systemFolder = systemUnits,
): number {
  if (isUser && system) throw usageError('--user and --system exclude each other.', 'Choose one of them.');
  const scope: Scope = system ? 'system' : 'user';
  const user = installingUser(system ? io.env : {});
  const settings = hostSettings(values, io, user.home);
  const { dataFolder } = settings;
  if (settings.listen.port === 0)
    throw usageError('A service needs a fixed port.', 'Add --listen ADDRESS:PORT.');
  const script = path.join(dataFolder, 'program', 'host.cjs');
  const unit = systemdUnit({
    scope,
    command: [process.execPath, script, ...settingArguments(settings)],
    dataFolder,
    user: user.name,
    env: variablesOf(io.env),
  });
  if (print) {
    io.stdout.write(isJson ? `${JSON.stringify({ unit })}\n` : unit);
    return exitCodes.ok;
  }
  const file = path.join(system ? systemFolder : userUnits(io.env, user), unitName);
  copyProgram(hostProgram, script, user);
  write(file, unit, scope);
  const token = asUser(user, () =>
    new HostTokens(dataFolder).addFirst(firstToken.name, firstToken.scopes, Date.now()),
  );
  const installed = { file, scope, user: user.name, settings, token };
  io.stdout.write(isJson ? document(installed) : summary(installed));
  return exitCodes.ok;
}

/** Returns the variables that launchers need. A service has almost no environment. None of these is a secret. */
function variablesOf(env: Environment): Record<string, string> {
  const names = ['PATH', 'LD_LIBRARY_PATH', 'CUDA_HOME', 'HF_HOME', 'LANG'];
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

function userUnits(env: Environment, { home }: ServiceUser): string {
  const config = env['XDG_CONFIG_HOME'] ?? '';
  return path.join(path.isAbsolute(config) ? config : path.join(home, '.config'), 'systemd', 'user');
}

function write(file: string, unit: string, scope: Scope): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, unit, { mode: 0o644 });
  } catch (cause) {
    throw new CodedError({
      code: 'host/cannot-install',
      message: `Cannot write the unit: ${cause instanceof Error ? cause.message : String(cause)}.`,
      location: { file },
      hint:
        scope === 'system'
          ? 'Use sudo, or print the unit with --print and ask an administrator to install it.'
          : 'Print the unit with --print, and install it yourself.',
      cause,
    });
  }
}

/** Throws if the user cannot start the copy. An update of the editor extension removes the original. */
function copyProgram(from: string, to: string, user: ServiceUser): void {
  const text = readFileSync(from); // the user may have no access to this folder
  const dataFolder = path.dirname(path.dirname(to));
  asUser(user, () => {
    try {
      mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
      const part = `${to}.${process.pid}.part`;
      writeFileSync(part, text, { mode: 0o600 });
      renameSync(part, to);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw cannotUse(user, `${user.name} cannot write to the data folder: ${why}.`, cause);
    }
    const tried = spawnSync(process.execPath, [to, '--help'], { cwd: dataFolder, encoding: 'utf8' });
    if (tried.status === 0) return;
    const why = tried.error?.message ?? tried.stderr.trim().split('\n').at(-1) ?? '';
    throw cannotUse(
      user,
      `Cannot start the host with ${process.execPath} as ${user.name}: ${why}.`,
      tried.error,
    );
  });
}

function cannotUse({ name }: ServiceUser, message: string, cause: unknown): CodedError {
  const hint = `The service runs as ${name}. Choose a folder of ${name} with --data DIR, and run agentjet with a Node.js that ${name} can start.`;
  return new CodedError({ code: 'host/cannot-install', message, hint, cause });
}

interface Installation {
  readonly file: string;
  readonly scope: Scope;
  readonly user: string;
  readonly settings: HostSettings;
  readonly token: string | undefined;
}

function commandsOf({ scope, user }: Installation): string[] {
  const systemctl = scope === 'system' ? 'sudo systemctl' : 'systemctl --user';
  return [
    `${systemctl} daemon-reload`,
    `${systemctl} enable --now ${unitName}`,
    ...(scope === 'user' ? [`loginctl enable-linger ${user}`] : []),
  ];
}

function document(installed: Installation): string {
  const { file, scope, user, settings, token } = installed;
  return `${JSON.stringify({
    file,
    scope,
    user,
    data: settings.dataFolder,
    listen: settings.listen,
    commands: commandsOf(installed),
    ...(token !== undefined && { token: { name: firstToken.name, token } }),
  })}\n`;
}

function summary(installed: Installation): string {
  const { file, scope, settings, token } = installed;
  const { dataFolder, listen } = settings;
  return `Wrote ${file}. To start the host now and at every boot:

${commandsOf(installed)
  .map((command) => `  ${command}\n`)
  .join('')}
To set variables for runs, such as keys, write NAME=VALUE lines into ${path.join(dataFolder, environmentFile)}.
The host will listen at ${listen.address}:${listen.port}. \`journalctl ${scope === 'user' ? '--user ' : ''}-u ${unitName}\` shows its address.
${token === undefined ? '' : `Its first token, ${firstToken.name}, is shown only once:\n\n  ${token}\n`}`;
}

export interface ServiceUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** Returns the user who called sudo, or else the user of this process. */
export function installingUser(env: Environment): ServiceUser {
  const { uid, gid, username } = userInfo();
  const name = env['SUDO_USER'] ?? '';
  if (uid !== 0 || name === '') return { name: username, uid, gid, home: homedir() };
  // `getent` also finds users that are not in /etc/passwd.
  const { stdout, status } = spawnSync('getent', ['passwd', '--', name], { encoding: 'utf8' });
  const [, , itsUid = '', itsGid = '', , home = ''] = status === 0 ? stdout.trim().split(':') : [];
  if (home === '') {
    throw new CodedError({
      code: 'host/no-user',
      message: `SUDO_USER names an unknown user: ${JSON.stringify(name)}.`,
      hint: 'Call sudo as the user for the service.',
    });
  }
  return { name, uid: Number(itsUid), gid: Number(itsGid), home };
}

/**
 * Lets the user own the new files, so that links in the folders of the user do not mislead root. `work` must be
 * synchronous, because the whole process has these rights meanwhile.
 */
export function asUser<T>({ name, uid, gid }: ServiceUser, work: () => T): T {
  if (process.geteuid?.() !== 0 || uid === 0) return work();
  const groups = process.getgroups?.() ?? [];
  const group = process.getegid?.() ?? 0;
  const { stdout } = spawnSync('id', ['-G', '--', name], { encoding: 'utf8' });
  process.setgroups?.([...new Set([gid, ...stdout.split(/\s+/).filter(Boolean).map(Number)])]);
  process.setegid?.(gid);
  process.seteuid?.(uid);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(group);
    process.setgroups?.(groups);
  }
}
