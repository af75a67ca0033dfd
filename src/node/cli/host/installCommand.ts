import { copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { CodedError } from '../../../base/errors.ts';
import { HostTokens } from '../../host/server/tokens.ts';
import type { Environment } from '../../process/environment.ts';
import type { CommandIo } from '../commandIo.ts';
import { parseOptions, wrongUse } from '../commandLine.ts';
import { exitCodes } from '../terminalView.ts';
import type { HostProgram } from './hostProgram.ts';
import { hostSettings, settingArguments, settingsOptions, type HostSettings } from './hostSettings.ts';
import { firstToken } from './serveCommand.ts';
import { environmentFile, systemdUnit, unitName } from './systemdUnit.ts';

const options = {
  ...settingsOptions,
  user: { type: 'boolean' },
  system: { type: 'boolean' },
  print: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const usage = `Usage: agentjet host install [--user|--system] [--print] [options of agentjet host]

Writes a unit by which systemd starts the host, and again whenever it ends; tells how to enable it. Stopping the service
leaves the runs running. The program is copied into the data folder: after an update, install it again.

  --user                 a service of yours (default): ~/.config/systemd/user/${unitName}
  --system               a service of the machine, as the user who calls sudo: /etc/systemd/system/${unitName}
  --print                only prints the unit

Exit code: 0, or 2 if it could not be written.`;

type Scope = 'user' | 'system';

/** `agentjet host install`: a systemd unit with the same options. */
export function runInstall(args: readonly string[], program: HostProgram, io: CommandIo): number {
  const { values, positionals } = parseOptions(args, options, 'agentjet host install');
  if (values.help === true) {
    io.stdout.write(`${usage}\n`);
    return exitCodes.ok;
  }
  const [stray] = positionals;
  if (stray !== undefined) throw wrongUse(`"${stray}" belongs to no option.`, 'agentjet host install --help');
  if (values.user === true && values.system === true)
    throw wrongUse('--user and --system exclude each other.', 'Choose one of them.');
  const scope: Scope = values.system === true ? 'system' : 'user';
  const settings = hostSettings(values, io);
  if (settings.listen.port === 0)
    throw wrongUse('A service needs a port that stays the same.', 'Give one: --listen ADDRESS:PORT');
  const script = path.join(settings.dataFolder, 'program', 'host.cjs');
  const unit = systemdUnit({
    scope,
    command: [process.execPath, script, ...settingArguments(settings)],
    dataFolder: settings.dataFolder,
    user: io.env['SUDO_USER'] ?? userInfo().username,
    env: variablesOf(io.env),
  });
  if (values.print === true) {
    io.stdout.write(unit);
    return exitCodes.ok;
  }
  const file = path.join(unitFolder(scope, io.env), unitName);
  write(file, unit, scope);
  copyProgram(program.script, script);
  io.stdout.write(told(file, scope, settings));
  return exitCodes.ok;
}

/** A service has next to no environment; what finds the launchers is taken along, and nothing that may be a secret. */
function variablesOf(env: Environment): Record<string, string> {
  const names = ['PATH', 'LD_LIBRARY_PATH', 'CUDA_HOME', 'HF_HOME', 'LANG'];
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

function unitFolder(scope: Scope, env: Environment): string {
  if (scope === 'system') return '/etc/systemd/system';
  const config = env['XDG_CONFIG_HOME'] ?? '';
  return path.join(path.isAbsolute(config) ? config : path.join(homedir(), '.config'), 'systemd', 'user');
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

/** Into the data folder, which stays where an update of the editor's extension takes its own folder away. */
function copyProgram(from: string, to: string): void {
  if (from === to) return;
  mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
  const part = `${to}.${process.pid}.part`;
  copyFileSync(from, part);
  renameSync(part, to);
}

function told(file: string, scope: Scope, { dataFolder, listen }: HostSettings): string {
  const systemctl = scope === 'system' ? 'sudo systemctl' : 'systemctl --user';
  const tokens = new HostTokens(dataFolder);
  const lines = [
    `${file} is written. To start the host now and whenever the machine starts:`,
    '',
    `  ${systemctl} daemon-reload`,
    `  ${systemctl} enable --now ${unitName}`,
    ...(scope === 'user' ? [`  loginctl enable-linger ${userInfo().username}`] : []),
    '',
    `What runs need beside PATH, keys among it, goes as NAME=VALUE into ${path.join(dataFolder, environmentFile)}.`,
    `It will listen at ${listen.address}:${listen.port}; \`journalctl ${scope === 'user' ? '--user ' : ''}-u ${unitName}\` shows its address.`,
  ];
  if (tokens.list().length === 0) {
    const token = tokens.add(firstToken.name, firstToken.scopes, Date.now());
    lines.push(`Its first token, ${firstToken.name}, is shown this once:`, '', `  ${token}`);
  }
  return `${lines.join('\n')}\n`;
}
