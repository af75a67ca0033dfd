import { mkdirSync } from 'node:fs';
import { HostTokens, type TokenInfo } from '../../node/host/server/tokens.ts';
import { type CommandIo, exitCodes } from '../../../base/node/terminal/commandIo.ts';
import type { CommandContext } from '../../../base/node/terminal/commandLine.ts';
import type { DataValues, TokenValues } from './hostOptions.ts';
import { dataFolderOf } from './hostSettings.ts';

export function addToken(
  { data, scope = [], json = false }: TokenValues,
  [name = '']: readonly string[],
  { io }: CommandContext,
): number {
  const tokens = tokensOf(data, io);
  const token = tokens.add(name, scope, Date.now());
  const info = tokens.list().find((one) => one.name === name);
  io.stdout.write(json ? `${JSON.stringify({ ...info, token })}\n` : `${token}\n`);
  if (!json)
    io.stderr.write(`Scopes of the token: ${(info?.scopes ?? []).join(', ')}. It is shown only once.\n`);
  return exitCodes.ok;
}

export function listTokens(
  { data, json = false }: DataValues,
  _: readonly string[],
  { io }: CommandContext,
): number {
  const list = tokensOf(data, io).list();
  io.stdout.write(json ? `${JSON.stringify(list)}\n` : list.map(line).join(''));
  return exitCodes.ok;
}

export function removeToken(
  { data, json = false }: DataValues,
  [name = '']: readonly string[],
  { io }: CommandContext,
): number {
  const tokens = tokensOf(data, io);
  const info = tokens.list().find((one) => one.name === name);
  tokens.remove(name);
  if (json) io.stdout.write(`${JSON.stringify(info)}\n`);
  return exitCodes.ok;
}

function tokensOf(data: string | undefined, io: CommandIo): HostTokens {
  const dataFolder = dataFolderOf(data, io);
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  return new HostTokens(dataFolder);
}

function line({ name, scopes: allowed, createdAt }: TokenInfo): string {
  return `${name.padEnd(20)}  ${allowed.join(', ').padEnd(20)}  ${new Date(createdAt).toISOString().slice(0, 10)}\n`;
}
