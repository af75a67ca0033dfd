import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/**
 * The token of a Ray cluster, where Ray's own clients look for it (2.53 and later): `RAY_AUTH_TOKEN`, the file of
 * `RAY_AUTH_TOKEN_PATH`, else `~/.ray/auth_token`, which newer ones make when a program starts a cluster of its own, and from
 * then on `ray start` asks for it. Undefined: there is none, or `RAY_AUTH_MODE` says that none is wanted.
 */
export async function rayToken(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env['RAY_AUTH_MODE']?.toLowerCase() === 'disabled') return undefined;
  const given = env['RAY_AUTH_TOKEN']?.trim() ?? '';
  if (given !== '') return given;
  const file = env['RAY_AUTH_TOKEN_PATH'] ?? path.join(env['HOME'] ?? os.homedir(), '.ray/auth_token');
  const kept = await readFile(file, 'utf8').catch(() => '');
  return kept.trim() === '' ? undefined : kept.trim();
}
