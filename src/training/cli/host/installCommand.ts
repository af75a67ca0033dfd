import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { CodedError } from '../../../base/core/errors.ts';
import { HostTokens } from '../../node/host/server/tokens.ts';
import type { Environment } from '../../../base/node/process/environment.ts';
import type { CommandIo } from '../../../base/node/terminal/commandIo.ts';
import { usageError } from '../../../base/node/terminal/commandLine.ts';
import { exitCodes } from '../../../base/node/terminal/commandIo.ts';
import type { HostProgram, InstallValues } from './hostOptions.ts';
import { hostSettings, settingArguments, type HostSettings } from './hostSettings.ts';
import { firstToken } from './serveCommand.ts';
import { asUser, whoInstalls, type ServiceUser } from './serviceUser.ts';
import { environmentFile, systemdUnit, unitName } from './systemdUnit.ts';

type Scope = 'user' | 'system';

/** The folder of the machine's units. */
const systemUnits = '/etc/systemd/system';

/**
 * Runs `agentjet host install`, which writes a systemd unit with the options of the host.
 *
 * @param systemFolder the folder of the machine's units
 */
export function runInstall(
  { user: isUser = false, system = false, print = false, json: isJson = false, ...values }: InstallValues,
  program: HostProgram,
  io: CommandIo,
  systemFolder = systemUnits,
): number {
  if (isUser && system) throw usageError('--user and --system exclude each other.', 'Choose one of them.');
  const scope: Scope = system ? 'system' : 'user';
  const user = whoInstalls(system ? io.env : {});
  const settings = hostSettings(values, io, user.home);
  if (settings.listen.port === 0)
    throw usageError('A service needs a fixed port.', 'Add --listen ADDRESS:PORT.');
  const script = path.join(settings.dataFolder, 'program', 'host.cjs');
  const unit = systemdUnit({
    scope,
    command: [process.execPath, script, ...settingArguments(settings)],
    dataFolder: settings.dataFolder,
    user: user.name,
    env: variablesOf(io.env),
  });
  if (print) {
    io.stdout.write(isJson ? `${JSON.stringify({ unit })}\n` : unit);
    return exitCodes.ok;
  }
  const file = path.join(scope === 'system' ? systemFolder : userUnits(io.env, user), unitName);
  copyProgram(program.script, script, user);
  write(file, unit, scope);
  const token = tokenFor(user, settings);
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
    throw new CodedError(
      {
        code: 'host/cannot-install',
        message: `The unit cannot be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
        location: { file },
        hint:
          scope === 'system'
            ? 'Call it with sudo, or print the unit with --print and have somebody else write it.'
            : 'Print the unit with --print, and write it where it belongs.',
      },
      { cause },
    );
  }
}

/**
 * Into the data folder, which stays where an update of the editor's extension takes its own folder away. Throws where the
 * user could not start it from there.
 */
function copyProgram(from: string, to: string, user: ServiceUser): void {
  const text = readFileSync(from); // perhaps from where the user may not look
  const dataFolder = path.dirname(path.dirname(to));
  asUser(user, () => {
    try {
      mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
      const part = `${to}.${process.pid}.part`;
      writeFileSync(part, text, { mode: 0o600 });
      renameSync(part, to);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw cannotUse(user, `The data folder cannot be written by ${user.name}: ${why}.`, cause);
    }
    const tried = spawnSync(process.execPath, [to, '--help'], { cwd: dataFolder, encoding: 'utf8' });
    if (tried.status === 0) return;
    const why = tried.error?.message ?? tried.stderr.trim().split('\n').at(-1) ?? '';
    throw cannotUse(
      user,
      `${process.execPath} does not start the host as ${user.name}: ${why}.`,
      tried.error,
    );
  });
}

function cannotUse({ name }: ServiceUser, message: string, cause: unknown): CodedError {
  const hint = `The service runs as ${name}: name a folder of ${name}'s with --data DIR, and call agentjet with a Node.js that ${name} may start.`;
  return new CodedError({ code: 'host/cannot-install', message, hint }, { cause });
}

function tokenFor(user: ServiceUser, { dataFolder }: HostSettings): string | undefined {
  return asUser(user, () => {
    return new HostTokens(dataFolder).addFirst(firstToken.name, firstToken.scopes, Date.now());
  });
}

interface Installed {
  readonly file: string;
  readonly scope: Scope;
  readonly user: string;
  readonly settings: HostSettings;
  readonly token: string | undefined;
}

function commandsOf({ scope, user }: Installed): string[] {
  const systemctl = scope === 'system' ? 'sudo systemctl' : 'systemctl --user';
  return [
    `${systemctl} daemon-reload`,
    `${systemctl} enable --now ${unitName}`,
    ...(scope === 'user' ? [`loginctl enable-linger ${user}`] : []),
  ];
}

function document(installed: Installed): string {
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

function summary(installed: Installed): string {
  const { file, scope, settings, token } = installed;
  const { dataFolder, listen } = settings;
  const lines = [
    `Wrote ${file}. To start the host now and at every boot:`,
    '',
    ...commandsOf(installed).map((command) => `  ${command}`),
    '',
    `Put further variables for runs, such as keys, as NAME=VALUE into ${path.join(dataFolder, environmentFile)}.`,
    `The host will listen at ${listen.address}:${listen.port}. \`journalctl ${scope === 'user' ? '--user ' : ''}-u ${unitName}\` shows its address.`,
  ];
  if (token !== undefined) {
    lines.push(`Its first token, ${firstToken.name}, is shown only once:`, '', `  ${token}`);
  }
  return `${lines.join('\n')}\n`;
}
