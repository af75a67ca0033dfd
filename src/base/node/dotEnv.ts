import path from 'node:path';
import { parse } from 'dotenv';
import type { FileReader } from '../core/ports.ts';

/**
 * The variables of `.env` in the working directory that are not set yet, as upstream's backbone reads them: what is set
 * wins. Python environments have that name, too, and are folders: those have none.
 */
export async function dotEnv(
  cwd: string,
  files: Pick<FileReader, 'readText'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, string>> {
  const text = await files.readText(path.join(cwd, '.env')).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EISDIR') return undefined;
    throw error;
  });
  const variables = Object.entries(parse(text ?? ''));
  return Object.fromEntries(variables.filter(([name]) => environment[name] === undefined));
}
