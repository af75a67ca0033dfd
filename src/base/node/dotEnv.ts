import path from 'node:path';
import { parse } from 'dotenv';
import { hasCode } from '../core/errors.ts';
import type { FileReader } from '../core/ports.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variables of `.env` in the working directory that are not set in the environment, like the backbone of
 * AgentJet. Ignores folders named `.env`, which are Python environments.
 */
export async function dotEnv(
  cwd: string,
  files: Pick<FileReader, 'readText'>,
  environment: Variables,
): Promise<Record<string, string>> {
  const text = await files.readText(path.join(cwd, '.env')).catch((error: unknown) => {
    if (hasCode(error, 'EISDIR')) return undefined;
    throw error;
  });
  const variables = Object.entries(parseEnvFile(text ?? '', environment));
  return Object.fromEntries(variables.filter(([name]) => environment[name] === undefined));
}

const reference = /\$\{([^}:]*)(?::-([^}]*))?\}/g;

/**
 * Parses an env file as python-dotenv does. `${NAME}` and `${NAME:-default}` become the value in the environment, else
 * the one of an earlier line, else the default or nothing.
 */
export function parseEnvFile(text: string, environment: Variables): Record<string, string> {
  const known = new Map<string, string>();
  for (const [name, value] of Object.entries(parse(text))) {
    const expanded = value.replaceAll(
      reference,
      (_, other: string, fallback?: string) => environment[other] ?? known.get(other) ?? fallback ?? '',
    );
    known.set(name, expanded);
  }
  return Object.fromEntries(known);
}
