import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import { CodedError } from '../../../base/core/errors.ts';
import { writeFileAtomicSync } from '../../../base/node/atomicFile.ts';

const identity = z.object({ id: z.string().check(z.regex(/^[0-9a-f]{32}$/)) });

/** The id of the host with this data folder; made at its first start. */
export function hostId(dataFolder: string): string {
  const file = path.join(dataFolder, 'host.json');
  const known = read(file);
  if (known !== undefined) return known;
  const id = randomBytes(16).toString('hex');
  writeFileAtomicSync(file, `${JSON.stringify({ id })}\n`);
  return id;
}

function read(file: string): string | undefined {
  try {
    return identity.parse(JSON.parse(readFileSync(file, 'utf8'))).id;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw unreadable(file, cause);
  }
}

function unreadable(file: string, cause: unknown): CodedError {
  return new CodedError(
    {
      code: 'host/identity-unreadable',
      message: 'What this host is known by cannot be read.',
      location: { file },
      hint: 'Restore the file, or remove it: clients then take this host for another one.',
    },
    { cause },
  );
}
