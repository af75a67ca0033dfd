/** Finds the API key of a Tinker server in the places of the official SDK. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import * as z from 'zod/mini';
import { hasCode, messageOf } from '../../base/core/errors.ts';
import { parseJson } from '../../base/core/parseJson.ts';
import { tinkerErrors } from '../core/errors.ts';

export interface CredentialSources {
  readonly apiKey?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeFolder: string;
}

const credentials = z.object({
  default: z.optional(z.nullable(z.string())),
  keys: z.record(z.string(), z.object({ key: z.string() })),
});

/**
 * Returns the given key, else that of `TINKER_API_KEY`, of the command in `TINKER_CREDENTIAL_CMD`, or of the file that
 * `tinker auth login` writes.
 */
export async function findApiKey({
  apiKey,
  env,
  homeFolder,
}: CredentialSources): Promise<string | undefined> {
  const given = [apiKey, env['TINKER_API_KEY']].map((key) => key?.trim()).find(Boolean);
  if (given !== undefined) return given;
  const command = env['TINKER_CREDENTIAL_CMD']?.trim();
  return command ? keyOfCommand(command, env) : keyOfFile(path.join(homeFolder, '.tinker/credentials.json'));
}

/** Milliseconds. The command may ask the user to touch a device. */
const commandTimeout = 60_000;

async function keyOfCommand(command: string, env: CredentialSources['env']): Promise<string> {
  const isWindows = process.platform === 'win32';
  const [shell, flags] = isWindows ? ['cmd.exe', ['/d', '/s', '/c']] : ['/bin/sh', ['-c']];
  try {
    const { stdout } = await promisify(execFile)(shell, [...flags, command], {
      env,
      timeout: commandTimeout,
    });
    if (stdout.trim() !== '') return stdout.trim();
  } catch (error) {
    // The message has the command, not what it printed.
    throw tinkerErrors.credentialCommand(messageOf(error).split('\n')[0] ?? '');
  }
  throw tinkerErrors.credentialCommand('it prints nothing');
}

async function keyOfFile(file: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw tinkerErrors.badCredentials(file, messageOf(error));
  }
  const read = credentials.safeParse(parseJson(text));
  if (!read.success) throw tinkerErrors.badCredentials(file, 'the file is not a list of keys');
  const { default: id, keys } = read.data;
  return id ? keys[id]?.key : Object.values(keys)[0]?.key;
}
