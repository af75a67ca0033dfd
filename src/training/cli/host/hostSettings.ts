/** The settings of a GPU host, which `agentjet host` and `agentjet host install` share. */
import { accessSync, constants } from 'node:fs';
import { CodedError, messageOf } from '../../../base/core/errors.ts';
import { tinkerServers, type TinkerServers } from '../../core/launch/tinkerServers.ts';
import { decodeFileSync } from '../../../base/node/atomicFile.ts';
import { checked } from '../../../tinker/core/checked.ts';
import path from 'node:path';
import { agentjetHome } from '../../../base/node/agentjetHome.ts';
import type { CommandIo } from '../../../base/node/terminal/commandIo.ts';
import { oneOf, usageError } from '../../../base/node/terminal/commandLine.ts';
import type { SettingValues } from './hostOptions.ts';
import { rayHead } from '../../node/client/sshStart.ts';
import type { OpenHostOptions } from '../../node/host/openHost.ts';

/** All paths are absolute. */
export type HostSettings = Omit<
  OpenHostOptions,
  'env' | 'keeper' | 'raySupervisor' | 'version' | 'program' | 'logger'
>;

const defaultPort = 7788;

/** @param home the home folder of the user who owns the host, by default the user of this process */
export function hostSettings(
  values: SettingValues,
  { cwd, env }: Pick<CommandIo, 'cwd' | 'env'>,
  home?: string,
): HostSettings {
  return {
    listen: listenAddress(values.listen ?? `127.0.0.1:${defaultPort}`),
    dataFolder: dataFolderOf(values.data, { cwd, env }, home),
    gpus: values.gpus,
    ray: values.ray === undefined ? undefined : rayHead(values.ray),
    launchers: Object.fromEntries((values.launcher ?? []).map((written) => launcher(written, cwd))),
    ...(values.tinkerServers !== undefined && { tinker: tinkerOf(path.resolve(cwd, values.tinkerServers)) }),
    tls: tlsOf(values, cwd),
  };
}

function tinkerOf(file: string): { readonly file: string; readonly servers: TinkerServers } {
  const servers = decodeFileSync(
    file,
    { parse: (json) => checked(tinkerServers, json, 'servers') },
    badTinkerServers,
  );
  if (servers === undefined) throw badTinkerServers(file, new Error('it does not exist'));
  return { file, servers };
}

function badTinkerServers(file: string, cause: unknown): CodedError {
  return new CodedError({
    code: 'host/tinker-servers',
    message: `Cannot read the list of Tinker servers: ${messageOf(cause)}.`,
    location: { file },
    hint: 'Correct the file. Its format is in "Train on a GPU host", in the section "Tinker servers".',
    cause,
  });
}

export function dataFolderOf(
  named: string | undefined,
  { cwd, env }: Pick<CommandIo, 'cwd' | 'env'>,
  home?: string,
): string {
  return named === undefined ? path.join(agentjetHome(env, home), 'host') : path.resolve(cwd, named);
}

export function settingArguments({
  listen,
  dataFolder,
  gpus,
  ray,
  launchers,
  tinker,
  tls,
}: HostSettings): string[] {
  const { address, port } = listen;
  return [
    ...['--listen', `${address.includes(':') ? `[${address}]` : address}:${port}`, '--data', dataFolder],
    ...(gpus === undefined ? [] : ['--gpus', String(gpus)]),
    ...(ray === undefined ? [] : ['--ray', ray]),
    ...Object.entries(launchers).flatMap(([name, { command }]) => ['--launcher', `${name}=${command}`]),
    ...(tinker === undefined ? [] : ['--tinker-servers', tinker.file]),
    ...(tls === 'own' ? ['--tls'] : []),
    ...(typeof tls === 'object' ? ['--tls-cert', tls.cert, '--tls-key', tls.key] : []),
  ];
}

function listenAddress(written: string): HostSettings['listen'] {
  const [, bracketed, plain, digits = ''] =
    /^(?:(?:\[([\da-fA-F:.%]+)\]|([\w.-]+)):)?(\d{1,5})$/.exec(written) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) {
    throw usageError(
      `--listen ${written} is not an address.`,
      'Write it as ADDRESS:PORT: 127.0.0.1:7788, 0.0.0.0:7788, [::1]:7788.',
    );
  }
  return { address: bracketed ?? plain ?? '127.0.0.1', port };
}

function launcher(written: string, cwd: string): [string, { command: string; args: readonly string[] }] {
  const [, name = '', file = ''] = /^([^=]*)=(.+)$/.exec(written) ?? [];
  if (file === '')
    throw usageError(`--launcher ${written} is not NAME=PATH.`, 'Write --launcher ajet=/opt/venv/bin/ajet.');
  const command = path.resolve(cwd, file);
  if (!isExecutable(command)) {
    throw usageError(
      `--launcher ${written} does not name an executable.`,
      `Check that ${command} exists and is executable.`,
    );
  }
  return [oneOf('--launcher', name, ['ajet', 'trinity']), { command, args: [] }];
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function tlsOf(values: SettingValues, cwd: string): HostSettings['tls'] {
  const { tls = false, tlsCert: cert, tlsKey: key } = values;
  if (cert === undefined && key === undefined) return tls ? 'own' : undefined;
  if (cert === undefined || key === undefined)
    throw usageError(
      '--tls-cert and --tls-key must be used together.',
      'Write --tls-cert FILE --tls-key FILE.',
    );
  if (tls) throw usageError('--tls and --tls-cert exclude each other.', 'Remove --tls.');
  return { cert: path.resolve(cwd, cert), key: path.resolve(cwd, key) };
}
