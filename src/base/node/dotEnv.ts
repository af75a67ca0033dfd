import path from 'node:path';
import { parse } from 'dotenv';
import { hasCode } from '../core/errors.ts';
import type { FileReader } from '../core/ports.ts';

/**
 * Returns the variables of `.env` in the working directory that are not set in the environment, like the backbone of
 * AgentJet. Ignores folders named `.env`, which are Python environments.
 */
export async function dotEnv(
  cwd: string,
  files: Pick<FileReader, 'readText'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, string>> {
  const text = await files.readText(path.join(cwd, '.env')).catch((error: unknown) => {
    if (hasCode(error, 'EISDIR')) return undefined;
    throw error;
  });
  const variables = Object.entries(parse(text ?? ''));
  return Object.fromEntries(variables.filter(([name]) => environment[name] === undefined));
}
