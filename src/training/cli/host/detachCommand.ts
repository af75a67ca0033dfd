import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import { CodedError, toReport } from '../../../base/core/errors.ts';
import { sshRequest, sshMark, type HostStart, type SshAnswer } from '../../core/protocol/sshHost.ts';
import { folderOfMachine, holderOf, listeningAt, type Listening } from '../../node/host/hostLock.ts';
import { HostTokens } from '../../node/host/server/tokens.ts';
import { type CommandIo, exitCodes } from '../../../base/node/terminal/commandIo.ts';
import type { CommandContext } from '../../../base/node/terminal/commandLine.ts';
import {
  dataFolderOf,
  hostSettings,
  isExecutable,
  settingArguments,
  type HostSettings,
} from './hostSettings.ts';

/**
 * Serves a client that connects over SSH. If no host of this user runs, starts one on a free port of loopback, which
 * outlives the connection. Prints its address, and a new token if the client asks for one.
 */
export async function runDetach(
  _values: object,
  _args: readonly string[],
  context: CommandContext,
): Promise<number> {
  const answer = await answerTo(context).catch((error: unknown): SshAnswer => {
    const { code, message, hint } = toReport(error, 'host/unexpected');
    return { error: { code, message, ...(hint !== undefined && { hint }) } };
  });
  context.io.stdout.write(`${sshMark}${JSON.stringify(answer)}\n`);
  return exitCodes.ok;
}

async function answerTo(context: CommandContext): Promise<SshAnswer> {
  const { io, hostProgram } = context;
  const { token, ...asked } = sshRequest.parse(JSON.parse(await io.readStdin()));
  // Machines with one home folder each have their own.
  const data = folderOfMachine(dataFolderOf(undefined, io));
  const older = olderHost(context, data);
  const settings = settingsFor(asked, older?.start, io, data);
  mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 });
  // Before it starts: a host without tokens would make one that no user sees.
  const made = token === null ? null : newToken(settings.dataFolder, token);
  if (older !== undefined) await end(older, settings.dataFolder);
  const running = listeningAt(settings.dataFolder) ?? (await started(hostProgram, settings));
  const { url, fingerprint, id } = running;
  return { url, fingerprint, id, token: made };
}

/** Keeps earlier settings that the client does not set, except launchers that no longer exist. */
function settingsFor(
  asked: HostStart,
  before: HostStart | undefined,
  io: CommandIo,
  data: string,
): HostSettings {
  const kept = Object.entries(before?.launchers ?? {}).filter(([, file]) => isExecutable(file));
  const launchers = { ...Object.fromEntries(kept), ...asked.launchers };
  const gpus = asked.gpus ?? before?.gpus ?? undefined;
  const values = {
    listen: '127.0.0.1:0',
    data,
    launcher: Object.entries(launchers).map(([name, file]) => `${name}=${file}`),
    gpus,
    ray: asked.ray ?? before?.ray ?? undefined,
    tinkerServers: asked.tinkerServers ?? before?.tinkerServers ?? undefined,
  };
  return hostSettings(values, io);
}

function newToken(dataFolder: string, name: string): string {
  const tokens = new HostTokens(dataFolder);
  return tokens.add(`${name}-${randomBytes(3).toString('hex')}`, ['start', 'cancel'], Date.now());
}

/** Returns a running host that an earlier version copied here and that must be replaced. It never is one that the owner started. */
function olderHost({ hostProgram, version }: CommandContext, dataFolder: string): Listening | undefined {
  const running = listeningAt(dataFolder);
  if (running === undefined || path.dirname(running.program) !== path.dirname(hostProgram)) return undefined;
  return isOlder(running.version, version) ? running : undefined;
}

/** Ends a host. Its runs continue. */
async function end({ pid }: Listening, dataFolder: string): Promise<void> {
  if (holderOf(dataFolder) === pid) process.kill(pid, 'SIGTERM');
  while (holderOf(dataFolder) === pid) await after(interval);
}

function isOlder(one: string, other: string): boolean {
  const numbers = (version: string): string => version.split('-', 1)[0] ?? '';
  return numbers(one).localeCompare(numbers(other), 'en', { numeric: true }) < 0;
}

/** Milliseconds between two checks of a host that starts or ends. */
const interval = 50;

async function started(hostProgram: string, settings: HostSettings): Promise<Listening> {
  const { dataFolder } = settings;
  const log = path.join(dataFolder, 'host.log');
  const output = openSync(log, 'w', 0o600);
  const child = spawn(process.execPath, [hostProgram, '--json', ...settingArguments(settings)], {
    cwd: dataFolder,
    stdio: ['ignore', 'ignore', output],
    detached: true,
  });
  child.once('error', () => undefined); // the process has no pid then
  child.unref();
  const hasEnded = (): boolean =>
    child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  for (;;) {
    // Another client may have started a host meanwhile, so that ours has ended.
    const found = listeningAt(dataFolder);
    if (found !== undefined) return found;
    if (hasEnded()) throw didNotStart(readFileSync(log, 'utf8'));
    await after(interval);
  }
}

function didNotStart(log: string): CodedError {
  const [, message = '', code = ''] = /^agentjet: (.*) \[([\w/-]+)\]$/m.exec(log) ?? [];
  if (code === '') {
    const last = log.trim().split('\n').at(-1) ?? '';
    return new CodedError({ code: 'host/did-not-start', message: `The host did not start: ${last}` });
  }
  return new CodedError({ code, message });
}
